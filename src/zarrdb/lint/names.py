"""The key rules over a stream of keys in code-point order, in memory that stays flat."""

import re
from collections.abc import Callable
from typing import Final
from unicodedata import normalize

from zarrdb.keys import printable
from zarrdb.lint.collector import Collector
from zarrdb.lint.extension import BySubject
from zarrdb.lint.finding import Hit
from zarrdb.lint.place import Place
from zarrdb.lint.rules import key as key_rules
from zarrdb.lint.rules.key import Name

# What nearly every component of every key looks like: no rule on names can find anything in
# it. Of two names that differ by case alone one is less ordinary, and comes first.
_ORDINARY: Final[Callable[[str], object]] = re.compile(
    r"\.z(?:array|attrs|group|metadata)"
    r"|(?!con|prn|aux|nul|com|lpt)[a-z0-9_](?:[a-z0-9_+=,@#~ -]|\.(?=[a-z0-9_])){0,62}(?<![ ])"
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


class NameWatch:
    """Shows the names of keys and places, in order, to the rules on keys."""

    def __init__(self, collector: Collector, more: BySubject) -> None:
        self._more = more.get("key", ())
        self._collector = collector
        # The keys that are prefixes, as text, of the present one: those in between share it.
        self._open: list[str] = []
        self._reported: set[str] = set()

    def see_place(self, place: Place, name: str) -> None:
        """Judge the name of a place that is entered; keys with that name came before."""
        if not place.valid or place.parent is None:
            return
        if place.parent.folded or not _ORDINARY(name):
            self._judge(place.parent, Name(place.path, name, is_directory=True))
        if self._open:
            self._check_prefixes(place.prefix)

    def see_key(self, place: Place, key: str, name: str) -> None:
        """Judge a key that lies directly in a place; it sorts after all keys seen before."""
        while self._open and not key.startswith(self._open[-1]):
            self._reported.discard(self._open.pop())
        if not place.valid or not (name or not key):
            self._collector.apply((key_rules.invalid,), key, set())
            return
        self._open.append(key)
        if self._more:
            self._collector.apply(self._more, Name(key, name, is_directory=False), set())
        if place.folded or not _ORDINARY(name):
            self._judge(place, Name(key, name, is_directory=False))

    def _judge(self, place: Place, name: Name) -> None:
        self._collector.apply(_NAME_RULES, name, set())
        self._compare(place, name)

    def _compare(self, place: Place, name: Name) -> None:
        """Report a name that differs only by case or normalisation from one before it."""
        fold = normalize("NFC", normalize("NFC", name.name).casefold())
        folded = place.folded
        other = None if folded is None else folded.get(fold)
        if other is not None and folded is not None and other != name.name:
            folded[fold] = name.name
            self._portability(
                name.hit(
                    f"differs from `{printable(other)}` beside it only by case or normalisation",
                    "Windows and macOS take both for one name",
                )
            )
        elif fold != name.name:
            if folded is None:
                folded = place.folded = {}
            if len(folded) < _MAX_REMEMBERED:
                folded[fold] = name.name

    def _check_prefixes(self, prefix: str) -> None:
        for shorter in self._open:
            if shorter and prefix.startswith(shorter + "/") and shorter not in self._reported:
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
