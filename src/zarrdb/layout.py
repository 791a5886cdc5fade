"""The layout of a file: in which order its rows stand, and how large its pages are.

Metadata documents come first, so that one range read at the start of the file brings them;
then each array's chunks in grid order, arrays in the order of the hierarchy.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Final, NamedTuple

from zarrdb.db.limits import record_size
from zarrdb.db.pages import LEAF_HEADER, POINTER, local_size
from zarrdb.db.sorter import RankSorter
from zarrdb.keys import Entry, is_document
from zarrdb.spec import DOCUMENT_NAMES

PAGE_SIZES: Final = (4096, 8192, 16384)
"""What is chosen from. Smaller pages chain large values into long lists (600 values of 1 MiB
are read in 87 ms at 4096, 50 at 16384, 43 at 32768); with larger ones the roots, the key index
and the documents of 50 arrays no longer arrive with the first 160 KiB of the file."""

TOLERANCE: Final = 1.03
"""How much larger than the smallest possible a file may get for the sake of larger pages."""

_BATCH: Final = 1024
_DEEPEST: Final = 0x7FFF
_ENDINGS: Final = tuple(DOCUMENT_NAMES)


Rank = Callable[[str], str]
"""A text to sort a key by."""

Sourced = tuple[str, int, int]
"""A key, the size of its value, and the number of the source it comes from."""


class SourceEntry(NamedTuple):
    """The same with names: making one takes as long as reading a small directory entry."""

    key: str
    size: int
    source: int


def grid_rank(key: str) -> str:
    """A text by which keys sort into the order of a file.

    Documents before everything else, a node's before its children's. Components that are
    numbers, or numbers joined by dots, sort by their values.
    """
    path, _, name = key.rpartition("/")
    if name in DOCUMENT_NAMES:
        return f"\x01{_rank_of_path(path)}\x01{name}"
    return f"\x02{_rank_of_path(path)}{_rank_of_name(name)}"


@lru_cache(maxsize=1024)
def _rank_of_path(path: str) -> str:
    return "".join(map(_rank_of_name, path.split("/"))) if path else ""


def _rank_of_name(name: str) -> str:
    if _is_number(name):
        return f"\x02{len(name):c}{name}\x01"
    first, *rest = name.split(".")
    if rest and all(map(_is_number, rest)) and (first == "c" or _is_number(first)):
        numbers = "".join(map(_rank_of_name, rest))
        return f"\x03c\x01{numbers}" if first == "c" else _rank_of_name(first) + numbers
    return f"\x03{name}\x01"


def _is_number(name: str) -> bool:
    return name.isdecimal() and name.isascii() and (name[0] != "0" or name == "0")


def key_rank(key: str) -> str:
    """A text by which keys sort into code-point order: themselves."""
    return key


def far_rank(key: str) -> str:
    """A text by which values sort before all documents, and the deepest of those first.

    Whoever stops in between has written nothing that opens.
    """
    if not is_document(key):
        return f"\x01{key}"
    return f"\x02{max(0, _DEEPEST - key.count('/')):c}{key}"


class Sizes:
    """A tally of values by size, from which the page size follows; flat in memory."""

    def __init__(self) -> None:
        self.keys = 0
        self.bytes = 0
        self.largest: Entry | None = None
        self._tally: dict[int, list[int]] = {}
        self._key_bytes = 0

    def add(self, entries: Sequence[tuple[str, int, int]]) -> None:
        """Count the values of some entries."""
        sizes = [size for _, size, _ in entries]
        self.keys += len(sizes)
        self.bytes += sum(sizes)
        self._key_bytes += sum([len(key) for key, _, _ in entries])
        largest = max(sizes, default=-1)
        if self.largest is None or largest > self.largest.size:
            self.largest = next(Entry(key, size) for key, size, _ in entries if size == largest)
        for size, count in Counter(sizes).items():
            # Sizes within one per cent of each other share a line.
            shift = max(0, size.bit_length() - 7)
            line = self._tally.setdefault(size >> shift << shift, [0, 0])
            line[0] += count
            line[1] += count * size

    def file_size(self, page_size: int) -> int:
        """About how many bytes a file of these values takes."""
        if not self.keys:
            return 6 * page_size
        name = "k" * (self._key_bytes // self.keys)
        rows = sum(
            count * row_cost(record_size(name, total // count), page_size)
            for count, total in self._tally.values()
        )
        index = self.keys * (len(name) + 12)
        return int(rows + index) + 6 * page_size

    def page_size(self) -> int:
        """The largest page that wastes little and is no larger than the usual value."""
        usual = self._usual_size()
        sizes = {
            page: self.file_size(page) for page in PAGE_SIZES if page <= max(usual, PAGE_SIZES[0])
        }
        least = min(sizes.values())
        return max(page for page, size in sizes.items() if size <= least * TOLERANCE)

    def _usual_size(self) -> int:
        """The size of value in which the middle one of all bytes lies."""
        seen = 0
        for size in sorted(self._tally):
            seen += self._tally[size][1]
            if 2 * seen >= self.bytes:
                return size
        return 0


def row_cost(record: int, page_size: int) -> float:
    """Bytes of the file that a row of the data table takes, its share of shared pages included.

    SQLite's "Database File Format": a leaf holds records up to the page size less 35; of a
    longer one the rest goes to a chain of overflow pages, each with a pointer of 4 bytes.
    """
    room = page_size - LEAF_HEADER
    local = local_size(record, page_size, is_table=True)
    overflow = -(-(record - local) // (page_size - 4))
    cell = local + (4 if overflow else 0) + POINTER + 3 + 3
    return overflow * page_size + page_size / max(1, room // cell)


class Plan:
    """What a copy moves, in the order in which it is written; a context manager.

    Iterating gives (key, size, number of the source), as often as wanted.
    """

    def __init__(self, sorter: RankSorter, sizes: Sizes, documents: int) -> None:
        self._sorter = sorter
        self.sizes = sizes
        self.documents = documents

    @property
    def keys(self) -> int:
        """How many values there are."""
        return self.sizes.keys

    @property
    def bytes(self) -> int:
        """Their sizes together."""
        return self.sizes.bytes

    def __iter__(self) -> Iterator[SourceEntry]:
        return map(SourceEntry._make, map(itemgetter(1, 2, 3), self._sorter))

    def close(self) -> None:
        """Give back memory and temporary file; a second call does nothing."""
        self._sorter.close()

    def __enter__(self) -> "Plan":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def plan(entries: Iterable[Sourced], *, temp_dir: str, rank: Rank = grid_rank) -> Plan:
    """Order entries for a file, or by another rank, in flat memory.

    `temp_dir` takes what does not fit in memory.
    """
    sizes = Sizes()
    documents = 0
    sorter = RankSorter(temp_dir)
    try:
        remaining = iter(entries)
        while batch := list(islice(remaining, _BATCH)):
            sizes.add(batch)
            documents += sum([is_document(key) for key, _, _ in batch if key.endswith(_ENDINGS)])
            sorter.add([(rank(key), key, size, source) for key, size, source in batch])
    except BaseException:
        sorter.close()
        raise
    return Plan(sorter, sizes, documents)


class Score(NamedTuple):
    """What a file costs to read from afar, in requests."""

    opening: int
    """To open it and read the root's document."""
    chunk: int
    """To read one chunk after that; the middle one of some."""


def score(path: str, chunks: Sequence[str]) -> Score:
    """Read the file as if it were far away: it, and then some of its chunks.

    Raises what opening it would raise.
    """
    from zarrdb.db.rehearsal import rehearse

    opening, costs = rehearse(path, chunks)
    return Score(opening, sorted(costs)[len(costs) // 2] if costs else 0)
