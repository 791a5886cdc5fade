"""What zips and tars have in common: members under names, in any order, perhaps twice."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import Final

from zarrdb import jsontext
from zarrdb.errors import NotAStoreError
from zarrdb.keys import Child, Entry, Remark, join, printable
from zarrdb.sources.junk import junk_part
from zarrdb.sources.names import name_fault
from zarrdb.spec import DOCUMENT_NAMES

_ROOT_DOCUMENTS: Final = ("zarr.json", ".zgroup", ".zarray", ".zmetadata")


class Members:
    """The keys of an archive in code-point order, each with its size and a number.

    The number is the caller's: the place of the member in its own lists.
    """

    __slots__ = ("_keys", "_numbers", "_sizes")

    def __init__(self, keys: list[str], sizes: "array[int]", numbers: "array[int]") -> None:
        self._keys = keys
        self._sizes = sizes
        self._numbers = numbers

    @property
    def numbers(self) -> Iterator[int]:
        """The numbers of all members, in the order of their keys."""
        return iter(self._numbers)

    def find(self, key: str) -> int | None:
        """The number of the member at a key, or None."""
        place = self._place(key)
        return None if place is None else self._numbers[place]

    def size(self, key: str) -> int | None:
        """The size of the member at a key, or None."""
        place = self._place(key)
        return None if place is None else self._sizes[place]

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order of the whole key, past `after`."""
        keys = self._keys
        start = bisect_left(keys, prefix)
        if after is not None:
            start = max(start, bisect_right(keys, after))
        for place in range(start, len(keys)):
            if not keys[place].startswith(prefix):
                return
            yield Entry(keys[place], self._sizes[place])

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        found: dict[str, Child] = {}
        place, skip = bisect_left(self._keys, prefix), len(prefix)
        while place < len(self._keys) and self._keys[place].startswith(prefix):
            name, slash, _ = self._keys[place][skip:].partition("/")
            if slash:
                found[name] = Child(name, is_key=name in found, is_prefix=True)
                place = bisect_left(self._keys, _past(f"{prefix}{name}/"), place)
            else:
                found[name] = Child(name, is_key=True, is_prefix=False)
                place += 1
        return (found[name] for name in sorted(found))

    def below(self, prefix: str) -> "Members":
        """The members below a prefix, under keys without it."""
        first = bisect_left(self._keys, prefix)
        last = bisect_left(self._keys, _past(prefix), first)
        keys = [key[len(prefix) :] for key in self._keys[first:last]]
        return Members(keys, self._sizes[first:last], self._numbers[first:last])

    def _place(self, key: str) -> int | None:
        place = bisect_left(self._keys, key)
        return place if place < len(self._keys) and self._keys[place] == key else None


def _past(prefix: str) -> str:
    """What sorts after every key below a prefix: "0" is the character after the slash."""
    return prefix[:-1] + "0"


class Gatherer:
    """Takes the members of an archive as they come; the last of a name counts."""

    def __init__(self, *, keep_junk: bool) -> None:
        self.remarks: list[Remark] = []
        self._keep_junk = keep_junk
        self._numbers: dict[str, int] = {}
        self._sizes = array("Q")
        self._superseded: dict[str, int] = {}
        self._junk: set[str] = set()

    def add(self, key: str, size: int) -> None:
        """The next member; the first has number 0."""
        number = len(self._sizes)
        self._sizes.append(size)
        fault = name_fault(key)
        if fault is not None:
            self.remark("not-a-name", key, fault)
        elif not self._keep_junk and (junk := junk_part(key)) is not None:
            if junk not in self._junk:
                self._junk.add(junk)
                self.remark("junk", junk, "is left out")
        else:
            if key in self._numbers:
                self._superseded[key] = self._superseded.get(key, 0) + 1
            self._numbers[key] = number

    def skip(self) -> None:
        """The next member is none that holds a value."""
        self._sizes.append(0)

    def remark(self, kind: str, name: str, detail: str) -> None:
        """Note what does not fit."""
        self.remarks.append(Remark(kind, printable(name), detail))

    def finish(self) -> Members:
        """All members that count."""
        for key, times in self._superseded.items():
            word = "member" if times == 1 else "members"
            self.remark(
                "superseded-member", key, f"{times} earlier {word} of this name: the last counts"
            )
        keys = sorted(self._numbers)
        numbers = array("Q", map(self._numbers.__getitem__, keys))
        sizes = array("Q", map(self._sizes.__getitem__, numbers))
        return Members(keys, sizes, numbers)


def without_outer_folder(
    members: Members,
    name: str,
    remark: Callable[[str, str, str], None],
    get: Callable[[str], bytes | None],
) -> Members:
    """The members below the one folder that holds the store, where there is such a folder.

    `get` gives the value of a key. Raises NotAStoreError if several folders hold a store each:
    a `.zarr` folder, a Zarr v3 group or a consolidated hierarchy.
    """
    if any(members.find(document) is not None for document in DOCUMENT_NAMES):
        return members
    folders = [child.name for child in members.children() if child.is_prefix]
    holders = [
        f for f in folders if any(members.find(join(f, d)) is not None for d in _ROOT_DOCUMENTS)
    ]
    roots = [f for f in holders if _is_root(members, f, get)] if len(holders) > 1 else holders
    if len(roots) > 1:
        named = ", ".join(f"`{printable(root)}`" for root in roots[:5])
        more = f" and {len(roots) - 5} more" if len(roots) > 5 else ""
        raise NotAStoreError(
            f"{name} holds {len(roots)} stores: {named}{more}",
            hint="unpack it and import each of them",
        )
    if not roots:
        return members
    inner = members.below(roots[0] + "/")
    remark("outer-folder", roots[0] + "/", "holds the store; its name is no part of the keys")
    for child in members.children():
        if child.name != roots[0]:
            remark("outside-root", child.name + "/" * child.is_prefix, "lies outside the store")
    return inner


def _is_root(members: Members, folder: str, get: Callable[[str], bytes | None]) -> bool:
    if folder.lower().endswith(".zarr") or members.find(join(folder, ".zmetadata")) is not None:
        return True
    document = join(folder, "zarr.json")
    if members.find(document) is None:
        return False
    value = jsontext.parse(get(document) or b"").value
    return isinstance(value, dict) and value.get("node_type") == "group"
