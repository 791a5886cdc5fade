"""A signal that arrives at any line of what makes, renames and removes files."""

import gc
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from helpers_cli import write_store
from zarrdb.cli.app import Terminated, run

STEPS = ("db/private.py", "sources/target.py", "sources/directory_target.py", "unfinished.py")
"""The modules at each of whose lines the signal arrives."""

NEW = {
    "zarr.json": {"zarr_format": 3, "node_type": "group"},
    "a/zarr.json": {"zarr_format": 3, "node_type": "group", "attributes": {"new": 1}},
}
OLD = {"zarr.json": {"zarr_format": 3, "node_type": "group", "attributes": {"old": 1}}}


class Interruption:
    """Raises at the n-th line of those modules, as the handler of a signal would."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.lines = 0

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if not frame.f_code.co_filename.endswith(STEPS) or frame.f_code.co_name == "<module>":
            return None
        # The last steps of a run are taken with all signals at rest.
        if frame.f_code.co_name in ("noted", "remove"):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.number:
                raise Terminated(15)
        return self


def interrupted(number: int, words: list[str]) -> int:
    """The exit code of a run that is interrupted at the n-th line, if it comes to it."""
    before = sys.gettrace()
    sys.settrace(Interruption(number))
    try:
        return run(words)
    finally:
        sys.settrace(before)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# Open files of what was never handed out are closed by the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    ("words", "stands"),
    [
        pytest.param(["export", "new.zarr", "{}/x.zarr"], "", id="new directory"),
        pytest.param(["export", "new.zarr", "{}/x.zip"], "", id="new zip"),
        pytest.param(["export", "new.zarr", "{}/x.tar"], "", id="new tar"),
        pytest.param(["import", "new.zarr", "{}/x.zarrdb"], "", id="new file"),
        pytest.param(["init", "{}/x.zarrdb"], "", id="init"),
        pytest.param(["init", "{}/x.zarrdb", "--overwrite"], "x.zarrdb", id="init anew"),
        pytest.param(["cat", "new.zarr", "zarr.json", "-o", "{}/x"], "", id="cat"),
        pytest.param(["info", "new.zarr", "-o", "{}/x.txt"], "", id="info"),
        pytest.param(["export", "new.zarr", "{}/x.zarr", "--overwrite"], "x.zarr", id="directory"),
        pytest.param(["export", "new.zarr", "{}/x.zip", "--overwrite"], "x.zip", id="zip"),
        pytest.param(["import", "new.zarr", "{}/x.zarrdb", "--overwrite"], "x.zarrdb", id="file"),
        pytest.param(["vacuum", "--force", "{}/x.zarrdb"], "x.zarrdb", id="vacuum"),
    ],
)
def test_nothing_is_left_wherever_a_signal_arrives(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    stands: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    write_store(tmp_path / "new.zarr", NEW)
    left: list[dict[str, bytes]] = []
    old: dict[str, bytes] = {}
    code = 143
    while code == 143:
        folder = tmp_path / str(len(left) + 1)
        folder.mkdir()
        if stands and not old:
            old = contents(write_store(folder / stands, OLD).parent)
        for name, data in old.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(data)
        code = interrupted(len(left) + 1, [word.format(folder) for word in words])
        left.append(contents(folder))
    assert code == 0, capsys.readouterr().err
    finished = left.pop()
    assert [state for state in left if state not in (old, finished)] == []
    assert len(left) > 10
    # What was cut short goes here, and not in another test.
    gc.collect()


def test_an_interrupt_while_starting_is_silent() -> None:
    start = (
        "import sys; from zarrdb.__main__ import main\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'zarrdb.cli.app': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted()); main()"
    )
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
