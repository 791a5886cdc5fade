"""The key rules over a stream of keys in code-point order, in memory that stays flat."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple
from unicodedata import normalize

from zarrdb.keys import is_valid, printable
from zarrdb.lint.collector import Collector
from zarrdb.lint.finding import Hit
from zarrdb.lint.rules import key as key_rules
from zarrdb.lint.rules.key import Name

# What nearly every component of every key looks like; no rule on names can find anything in
# it, and no other name can differ from it by case alone without being less ordinary itself.
_ORDINARY: Final[Callable[[str], object]] = re.compile(
    r"\.z(?:array|attrs|group|metadata)"
    r"|(?!con|prn|aux|nul|com|lpt)[a-z0-9_](?:[a-z0-9_+=,@#~ -]|\.(?=[a-z0-9_]))*(?<![ ])"
    r"(?<!\.partial)"
).fullmatch

# Only the first so many uncommon names of one directory are remembered for comparison.
_MAX_REMEMBERED: Final = 100_000

_NAME_RULES: Final = (
    key_rules.unsafe,
    key_rules.nul,
    key_rules.not_portable,
    key_rules.left_over,
)


class _Directory(NamedTuple):
    """A directory that is being passed through, with the uncommon names met in it so far."""

    path: str
    folded: dict[str, str]


class KeyWatch:
    """Shows every key, in order, to the rules on keys."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._parent = ""
        self._parent_valid = True
        self._directories = [_Directory("", {})]
        # The keys that are prefixes, as text, of the present one: those in between share it.
        self._open: list[str] = []
        self._reported: set[str] = set()

    def see(self, key: str) -> None:
        """Judge one key; it sorts after all keys seen before."""
        while self._open and not key.startswith(self._open[-1]):
            self._reported.discard(self._open.pop())
        parent, _, name = key.rpartition("/")
        if parent != self._parent:
            self._enter(parent)
            self._check_prefixes(key)
        self._open.append(key)
        if not self._parent_valid or not is_valid(key):
            self._collector.apply((key_rules.invalid,), key, set())
        elif self._directories[-1].folded or len(name) > 63 or not _ORDINARY(name):
            self._judge(Name(key, name, is_directory=False))

    def _enter(self, parent: str) -> None:
        """Leave directories that are done and judge the names of those that are new."""
        self._parent = parent
        self._parent_valid = is_valid(parent)
        while not _is_inside(parent, self._directories[-1].path):
            self._directories.pop()
        path = self._directories[-1].path
        rest = parent[len(path) + 1 :] if path else parent
        for name in rest.split("/") if rest else ():
            path = f"{path}/{name}" if path else name
            if self._parent_valid and (
                self._directories[-1].folded or len(name) > 63 or not _ORDINARY(name)
            ):
                self._judge(Name(path, name, is_directory=True))
            self._directories.append(_Directory(path, {}))

    def _judge(self, name: Name) -> None:
        self._collector.apply(_NAME_RULES, name, set())
        self._compare(name)

    def _compare(self, name: Name) -> None:
        """Report a name that differs only by case or normalisation from one before it."""
        folded = self._directories[-1].folded
        fold = normalize("NFC", normalize("NFC", name.name).casefold())
        other = folded.get(fold)
        if other is not None and other != name.name:
            folded[fold] = name.name
            self._portability(
                name.hit(
                    f"differs from `{printable(other)}` beside it only by case or normalisation",
                    "Windows and macOS take both for one name",
                )
            )
        elif fold != name.name and len(folded) < _MAX_REMEMBERED:
            folded[fold] = name.name

    def _check_prefixes(self, key: str) -> None:
        for shorter in self._open:
            if shorter and key[len(shorter)] == "/" and shorter not in self._reported:
                self._reported.add(shorter)
                self._portability(
                    Hit(
                        "the key is also a prefix of other keys",
                        "a directory cannot hold both a file and a directory of this name",
                        key=shorter,
                    )
                )

    def _portability(self, hit: Hit) -> None:
        self._collector.add(key_rules.not_portable, hit)


def _is_inside(path: str, directory: str) -> bool:
    return not directory or path == directory or path.startswith(directory + "/")
