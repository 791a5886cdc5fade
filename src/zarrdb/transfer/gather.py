"""What a copy takes: the entries of its sources, judged before anything is written."""

from collections.abc import Iterator, Sequence
from typing import Final

from zarrdb.errors import NotAStoreError, SourceError, UsageError
from zarrdb.keys import KeySource, Remark, is_document, printable
from zarrdb.layout import Plan, Rank, Sourced, grid_rank, plan
from zarrdb.transfer.engine import READABLE_HINT, unreadable_error
from zarrdb.transfer.groups import GroupDocuments
from zarrdb.transfer.read import Part
from zarrdb.transfer.select import Selection

ROWS_NOT_COPIED: Final = frozenset(
    {"blob-key", "number-key", "null-key", "not-unicode-key", "duplicate-key"}
    | {"number-value", "null-value"}
)
FILES_NOT_COPIED: Final = frozenset(
    {"unreadable-file", "name-not-unicode", "special-file", "not-a-name"}
    | {"link-broken", "link-loop", "link-refused"}
)
"""Kinds of remarks about data that would be lost without a word."""

_NAMED_BY_KEY: Final = FILES_NOT_COPIED | {"number-value", "null-value"}
"""Those whose key is one that patterns are about."""

REMARKS_KEPT: Final = 1000


class Gathering:
    """The entries of some parts under the keys they get, and what they show on the way."""

    def __init__(self, parts: Sequence[Part], selection: Selection) -> None:
        self._parts = parts
        self._selection = selection
        self.rooted = [False] * len(parts)
        """Which parts have a metadata document at their root or one level below."""
        self.root_names: set[str] = set()
        """Names of the documents at the roots."""
        self.listed = False
        """Whether there was any key at all."""

    def entries(self) -> Iterator[Sourced]:
        """Everything that is to be copied, part by part."""
        for number, part in enumerate(self._parts):
            entries = self._of(number, part)
            if not self._selection.takes_all:
                entries = self._selection.apply(entries)
            if part.below != part.at:
                entries = ((part.target_key(key), size, number) for key, size, _ in entries)
            yield from entries

    def _of(self, number: int, part: Part) -> Iterator[Sourced]:
        start, rooted = len(part.below), False
        for key, size in part.source.entries(part.below):
            # Documents at the root have no slash, those one level below are the first to show.
            if not rooted or "/" not in key:
                self._look(number, key[start:])
                rooted = self.rooted[number]
            yield key, size, number

    def _look(self, number: int, key: str) -> None:
        self.listed = True
        if key.count("/") <= 1 and is_document(key):
            self.rooted[number] = True
            if "/" not in key:
                self.root_names.add(key)


def gather(
    parts: list[Part],
    *,
    selection: Selection,
    temp_dir: str,
    any_keys: bool,
    may_be_empty: bool = False,
    rank: Rank = grid_rank,
    parents_of: str = "",
) -> Plan:
    """The plan of a copy. Close it.

    `parents_of` is a node path: for the groups above it documents are added, as one more
    part. Raises NotAStoreError for a part without metadata documents near its root (unless
    `any_keys`), SourceError for what cannot be read, UsageError if the selection is empty.
    """
    found = Gathering(parts, selection)

    def entries() -> Iterator[Sourced]:
        yield from found.entries()
        if parents_of:
            zarr_format = 3 if "zarr.json" in found.root_names else 2
            groups = GroupDocuments(parents_of, zarr_format=zarr_format)
            parts.append(Part(groups))
            for key, size in groups.entries():
                yield key, size, len(parts) - 1

    sources = list(parts)
    planned = plan(entries(), temp_dir=temp_dir, rank=rank)
    try:
        for source in sources:
            _require_readable(source.source, selection)
        if not planned.keys and not may_be_empty:
            raise _nothing(sources[0].source, found.listed, any_keys=any_keys)
        if not any_keys:
            for part, rooted in zip(sources, found.rooted, strict=True):
                if not rooted:
                    raise _no_store(part)
    except BaseException:
        planned.close()
        raise
    return planned


def remarks_of(parts: Sequence[Part]) -> tuple[dict[str, int], tuple[Remark, ...]]:
    """What the sources have to say that stops nothing: counts by kind, and the first of them."""
    counts: dict[str, int] = {}
    first: list[Remark] = []
    for part in parts:
        for remark in part.source.remarks():
            counts[remark.kind] = counts.get(remark.kind, 0) + 1
            if len(first) < REMARKS_KEPT:
                first.append(remark)
    return counts, tuple(first)


def _require_readable(source: KeySource, selection: Selection) -> None:
    lost = [
        f"{source.name}: {remark.key}: {remark.detail or remark.kind.replace('-', ' ')}"
        for remark in source.remarks()
        if remark.kind in FILES_NOT_COPIED | ROWS_NOT_COPIED
        and not (remark.kind in _NAMED_BY_KEY and selection.leaves_out(remark.key))
    ]
    if lost:
        rows = source.kind in ("zarrdb", "legacy")
        hint = "`zarrdb check` tells more about these rows" if rows else READABLE_HINT
        raise unreadable_error(lost, hint)


def _no_store(part: Part) -> NotAStoreError:
    place = f" below {printable(part.below.rstrip('/'))}" if part.below else ""
    return NotAStoreError(
        f"{part.source.name}{place}: no metadata document at its root or one level below",
        hint="it may be no Zarr store; --any-keys copies it all the same",
    )


def _nothing(source: KeySource, listed: bool, *, any_keys: bool) -> Exception:
    if listed:
        return UsageError(
            f"{source.name}: no key is left by --include and --exclude",
            hint="patterns are matched against whole keys, like `a/c/**`",
        )
    if any_keys:
        return SourceError(f"{source.name}: holds no keys", hint="there is nothing to copy")
    return NotAStoreError(
        f"{source.name}: holds no keys", hint="`zarrdb init` makes a new, empty store"
    )
