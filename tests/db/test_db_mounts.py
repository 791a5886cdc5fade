"""File systems that several hosts mount are told from those of this machine."""

from pathlib import Path

import pytest

from zarrdb.db import mounts

TABLE = """\
22 27 0:21 / / rw,relatime - ext4 /dev/vda rw
30 22 0:30 / {data} rw - nfs4 server:/data rw,vers=4.2
31 30 0:31 / {data}/local rw - tmpfs tmpfs rw
32 22 0:32 / {data}\\040x rw - fuse.sshfs host: rw
33 22 0:33 / {data}/twice rw - nfs server:/old rw
34 22 0:34 / {data}/twice rw shared:1 - xfs /dev/vdb rw
"""


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("", True),
        ("/deep/er", True),
        ("/local", False),
        ("/local/x", False),
        ("/localx", True),
        (" x", True),
        ("y", False),
        ("/twice/x", False),
    ],
)
def test_the_nearest_mount_decides(
    place: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mountinfo"
    data = tmp_path.resolve() / "data"
    table.write_text(TABLE.format(data=data))
    monkeypatch.setattr(mounts, "MOUNTS", str(table))
    assert mounts.is_network(f"{data}{place}") is expected


def test_without_a_table_nothing_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mounts, "MOUNTS", str(tmp_path / "absent"))
    assert not mounts.is_network(str(tmp_path))
