"""Symbolic links in a directory store: where they lead, and whether they are followed."""

import os
from typing import Literal, NamedTuple

from zarrdb.keys import Remark, printable
from zarrdb.sources.regular import reason

Links = Literal["follow", "inside", "refuse"]


class Followed(NamedTuple):
    """What a link stands for: a folder or something else; with a remark if there is one."""

    is_folder: bool
    remark: Remark | None = None


class LinkRules:
    """Decides about the links below one root."""

    def __init__(self, root: str, policy: Links) -> None:
        self._root = root
        self._real_root = os.path.realpath(root)
        self._policy = policy
        self._plain_folder = ""

    def follow(self, key: str) -> Followed | Remark:
        """What the link at a key stands for, or why it is left out."""
        path = os.path.join(self._root, key)
        if self._policy == "refuse":
            return Remark("link-refused", printable(key), "is a symbolic link")
        try:
            status = os.stat(path)
        except OSError as error:
            return Remark("link-broken", printable(key), f"leads nowhere: {reason(error)}")
        is_folder = os.path.isdir(path)
        if is_folder and self._is_ancestor(key, status):
            return Remark("link-loop", printable(key), "leads to a directory that it lies in")
        if self._is_inside(path):
            return Followed(is_folder)
        detail = f"leads out of the store, to {printable(os.path.realpath(path))}"
        if self._policy == "inside":
            return Remark("link-refused", printable(key), detail)
        return Followed(is_folder, Remark("link-outside", printable(key), detail))

    def allows(self, key: str) -> bool:
        """Whether a key may be opened, for the links that its path leads over."""
        if self._policy == "follow":
            return True
        path = os.path.join(self._root, key)
        if self._policy == "inside":
            return self._is_inside(path)
        return self._is_plain(os.path.dirname(key)) and not os.path.islink(path)

    def _is_plain(self, folder: str) -> bool:
        """Whether no link leads to a folder below the root."""
        if folder == self._plain_folder:
            return True
        plain = os.path.normpath(os.path.join(self._real_root, folder))
        if os.path.realpath(os.path.join(self._root, folder)) != plain:
            return False
        self._plain_folder = folder
        return True

    def _is_inside(self, path: str) -> bool:
        real = os.path.realpath(path)
        return real == self._real_root or real.startswith(os.path.join(self._real_root, ""))

    def _is_ancestor(self, key: str, status: os.stat_result) -> bool:
        """Whether a link leads to a directory that it lies in, in the store or above it."""
        real = os.path.realpath(os.path.join(self._root, key))
        if self._real_root.startswith(os.path.join(real, "")):
            return True
        folder = key
        while folder:
            folder = os.path.dirname(folder)
            if os.path.samestat(status, os.stat(os.path.join(self._root, folder))):
                return True
        return False
