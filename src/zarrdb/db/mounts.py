"""What kind of file system a path lies on: locks and shared memory differ."""

import os
from typing import Final

MOUNTS: Final = "/proc/self/mountinfo"

_NETWORK: Final = frozenset(
    {
        "9p",
        "acfs",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "fhgfs",
        "gpfs",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "panfs",
        "pvfs2",
        "smb3",
        "smbfs",
        "virtiofs",
    }
)
"""Where the shared memory of a write-ahead log is not shared between hosts."""


def is_network(path: str) -> bool:
    """Whether the file system of `path` may be mounted by several hosts at once.

    Known on Linux only (the mount table); elsewhere False.
    """
    try:
        with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as table:
            lines = table.readlines()
    except OSError:
        return False
    place = os.path.realpath(path)
    kind, longest = "", -1
    for line in lines:
        before, _, after = line.partition(" - ")
        mount = _unescape(before.split(" ")[4])
        inside = place == mount or place.startswith(mount.rstrip("/") + "/")
        # Of two mounts on one place the later one hides the earlier.
        if inside and len(mount) >= longest:
            kind, longest = after.split(" ", 1)[0], len(mount)
    return kind in _NETWORK or kind.startswith("fuse")


def _unescape(field: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, character)
    return field
