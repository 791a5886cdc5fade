"""A metadata document on its way through the rules."""

from functools import cached_property

from zarrdb import jsontext
from zarrdb.jsontext import CONSTANT, OVERFLOW, Oddity, Parsed


class Document:
    """Key, bytes and value of a document, and what is odd about its text."""

    def __init__(self, key: str, data: bytes, parsed: Parsed) -> None:
        self.key = key
        self.data = data
        self.parsed = parsed
        self.name = key.rpartition("/")[2]

    @property
    def is_fit(self) -> bool:
        """Whether every number in it is finite."""
        return CONSTANT not in self.parsed.odd and OVERFLOW not in self.parsed.odd

    @cached_property
    def oddities(self) -> tuple[Oddity, ...]:
        """What is odd, with its places; looked for only if there is anything."""
        return tuple(jsontext.oddities(self.data)) if self.parsed.odd else ()

    def odd(self, kind: str, *, in_attributes: bool) -> list[Oddity]:
        """The odd things of one kind, inside attributes or elsewhere."""
        if kind not in self.parsed.odd:
            return []
        return [
            each
            for each in self.oddities
            if each.kind == kind and self.is_attribute(each.place.pointer) is in_attributes
        ]

    def is_attribute(self, pointer: str) -> bool:
        """Whether a place belongs to the attributes of a node, which readers leave alone."""
        if self.name == ".zattrs":
            return True
        steps = pointer.split("/")
        if self.name == ".zmetadata":
            return steps[1:2] == ["metadata"] and "".join(steps[2:3]).endswith(".zattrs")
        if steps[1:3] == ["consolidated_metadata", "metadata"]:
            steps = ["", *steps[4:]]
        return self.name == "zarr.json" and steps[1:2] == ["attributes"] and len(steps) > 2
