"""How many broken stores `zarrdb check` finds, and how many its peers do.

    python tests/bench/bench_findings.py [--each]

One store a rule: the first failing case of each rule of level error or warning that can be
written as a directory. A peer finds a store when it says or raises anything about it, whatever
it is; `zarrdb check` when the rule itself does. Exits with 1 where that misses one. Peers are
left out where they are missing.
"""

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from sidebyside import bound

TESTS: Final = Path(__file__).resolve().parents[1]
LEVELS: Final = ("error", "warning")
DOCUMENTS: Final = (".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json")

MAX_MEMORY: Final = 4 << 30
MAX_SECONDS: Final = 60
"""For one store and peer: some stores are made to exhaust who decodes them."""


class Broken(NamedTuple):
    """A store that a rule finds fault with, and where it lies."""

    rule: str
    level: str
    case: Any
    folder: Path


Finds = Callable[[Broken], bool]


def broken_stores(work: Path) -> Iterator[Broken]:
    """The store of each rule, written below a folder.

    Left out are keys that no directory can have.
    """
    sys.path[:0] = [str(TESTS), str(TESTS / "lint")]
    cases, helpers = import_module("test_lint_cases"), import_module("helpers_lint")
    for rule in cases.RULES:
        case = next(filter(is_usable, cases.load(rule.id).FAILING), None)
        if rule.level not in LEVELS or case is None:
            continue
        folder = work / rule.id
        values = {key: helpers.encoded(value) for key, value in case.files.items()}
        if all(written(folder, key, value) for key, value in values.items()):
            yield Broken(rule.id, rule.level, case, folder)


def is_usable(case: Any) -> bool:
    """Whether the fault is in keys and values of what is a store as a directory too, and does
    not come from a project's own rules."""
    if callable(case.files) or case.scope is not None or case.remarks:
        return False
    return any(key.rpartition("/")[2] in DOCUMENTS for key in case.files)


def written(folder: Path, key: str, value: bytes) -> bool:
    """Write a value, if a directory can have the key."""
    if not {"", ".", ".."}.isdisjoint(key.split("/")) or "\0" in key:
        return False
    folder.joinpath(key).parent.mkdir(parents=True, exist_ok=True)
    folder.joinpath(key).write_bytes(value)
    return True


def by_rule(store: Broken) -> bool:
    """`zarrdb check`: the rule finds it."""
    from zarrdb.lint import Options, check_file

    report = check_file(str(store.folder), Options(data=store.case.data))
    return any(finding.rule == store.rule for finding in report.findings)


def by_zarr_python(store: Broken) -> bool:
    """zarr-python: opening, or reading every array and attribute, raises or warns."""
    import zarr

    def read(node: Any) -> None:
        dict(node.attrs)
        if isinstance(node, zarr.Array):
            node[...]
            return
        for _, member in node.members():
            read(member)

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        refused = raises(lambda: read(zarr.open(str(store.folder), mode="r")))
    return refused or any(issubclass(each.category, UserWarning) for each in said)


def by_zarr_metadata(store: Broken) -> bool:
    """zarr-metadata: a node or a copy of several has problems."""
    from zarr_metadata import model

    def read(folder: Path) -> None:
        files = {
            path.name: path.read_bytes() for path in folder.iterdir() if path.name in DOCUMENTS
        }
        if ".zmetadata" in files:
            model.ZarrV2ConsolidatedMetadata.from_key_value(files)
        if "zarr.json" in files:
            model.node_metadata_from_key_value_v3(files)
        if files.keys() & {".zarray", ".zgroup"}:
            model.node_metadata_from_key_value_v2(files)

    folders = [store.folder, *filter(Path.is_dir, store.folder.rglob("*"))]
    return any(raises(partial(read, folder)) for folder in folders)


def raises(run: Callable[[], object]) -> bool:
    """Whether something is refused; to run out of memory is no finding."""
    try:
        run()
    except MemoryError:
        return False
    except Exception:
        return True
    return False


def by_zarr_lint(command: str) -> Finds:
    """zarr-lint: it reports anything at all."""

    def finds(store: Broken) -> bool:
        run = [command, "--fail-on", "warning", str(store.folder)]
        return subprocess.run(run, capture_output=True, check=False).returncode != 0

    return finds


def alone(finds: Finds) -> Finds:
    """The same in a process of its own, which may not take too much."""

    def guarded(store: Broken) -> bool:
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
            signal.alarm(MAX_SECONDS)
            found = False
            try:
                found = finds(store)
            finally:
                os._exit(found)
        return os.waitpid(child, 0)[1] >> 8 == 1

    return guarded


def candidates() -> dict[str, Finds]:
    found: dict[str, Finds] = {"zarrdb check": by_rule}
    for name, finds in (("zarr", by_zarr_python), ("zarr_metadata", by_zarr_metadata)):
        if find_spec(name) is not None:
            import_module(name)
            found[name.replace("_", "-")] = alone(finds)
    beside = Path(sys.executable).with_name("zarr-lint")
    command = str(beside) if beside.exists() else shutil.which("zarr-lint")
    return found if command is None else found | {"zarr-lint": by_zarr_lint(command)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true", help="a row for each store as well")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        stores, who = list(broken_stores(Path(name))), candidates()
        found = {each: [store for store in stores if who[each](store)] for each in who}
    if wanted.each:
        for store in stores:
            marks = "".join(f" {each if store in found[each] else '-':<14}" for each in who)
            print(f"  {store.level:<8} {store.rule:<34}{marks}")
    counts = {level: sum(store.level == level for store in stores) for level in LEVELS}
    print(f"\n{len(stores)} broken stores, one a rule")
    print(f"  {'':<14} {'found':>6}", *(f"{f'of {counts[each]} {each}s':>16}" for each in LEVELS))
    for each, those in found.items():
        parts = (sum(store.level == level for store in those) for level in LEVELS)
        print(f"  {each:<14} {len(those):>6}", *(f"{part:>16}" for part in parts))
    peers = max((len(those) for each, those in found.items() if each != "zarrdb check"), default=0)
    what = f"broken stores found, {peers} by the best of its peers"
    met = bound(what, len(found["zarrdb check"]), f"of {len(stores)}", at_least=len(stores))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
