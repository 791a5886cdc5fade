"""Rules and canonical forms that the families of typestrings share."""

from dataclasses import dataclass
from typing import Any

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems


@dataclass(frozen=True)
class Sized:
    """The rule of most families: the sizes there are, and where the byte order may be `|`.

    `sizes` is None where any will do. `orderless` are the sizes that may be written with `|`,
    None for all. A wrong size hides a wrong byte order.
    """

    sizes: tuple[int, ...] | None
    orderless: frozenset[int] | None

    def __call__(self, configuration: Any) -> Problems:
        size = configuration["itemsize"]
        if self.sizes is not None and size not in self.sizes:
            known = " ".join(map(str, self.sizes))
            text = f"no such size (sizes in bytes: {known})"
            return (Problem(("itemsize",), "invalid_value", text, reasons.WRONG_SIZE),)
        if configuration["byteorder"] != "|" or self.orderless is None or size in self.orderless:
            return ()
        text = "a type of several bytes needs the byte order < or >"
        return (Problem(("byteorder",), "invalid_value", text, reasons.WRONG_BYTE_ORDER),)


def orderless(configuration: Any) -> Any:
    """The canonical form of types whose byte order means nothing."""
    return {**configuration, "byteorder": "|"}


def orderless_byte(configuration: Any) -> Any:
    """The canonical form of types whose byte order means nothing at one byte."""
    return orderless(configuration) if configuration["itemsize"] == 1 else configuration
