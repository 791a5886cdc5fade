"""How far the writing of a new file is, so that another process can go on with it."""

from array import array
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Standing(NamedTuple):
    """What a writer knows and the pages on the disk do not show yet."""

    rows: int = 0
    pages: int = 0
    """Pages of the file that will not change any more, but for those that are still open."""
    leaf: int = 0
    """The page of the leaf that is being filled, 0 while it has none."""
    cells: tuple[bytes, ...] = ()
    """What is on that leaf."""
    leaves: Sequence[int] = ()
    """The pages of the finished leaves."""
    lasts: Sequence[int] = ()
    """The last row of each of them."""
    places: tuple[int, ...] | None = None
    """Pages kept for what stands above the leaves; None while the front is not written."""

    def since(self, earlier: "Standing") -> dict[str, Any]:
        """What is new, as the members of a JSON object."""
        return {
            "rows": self.rows,
            "pages": self.pages,
            "leaf": self.leaf,
            "cells": [b2a_base64(cell, newline=False).decode() for cell in self.cells],
            "leaves": list(self.leaves[len(earlier.leaves) :]),
            "lasts": list(self.lasts[len(earlier.lasts) :]),
            "places": self.places,
        }

    def after(self, step: Mapping[str, Any]) -> "Standing":
        """The standing that `since` told of. Raises KeyError, TypeError, ValueError."""
        return Standing(
            rows=int(step["rows"]),
            pages=int(step["pages"]),
            leaf=int(step["leaf"]),
            cells=tuple(a2b_base64(cell) for cell in step["cells"]),
            leaves=array("L", self.leaves) + array("L", step["leaves"]),
            lasts=array("Q", self.lasts) + array("Q", step["lasts"]),
            places=None if step["places"] is None else tuple(step["places"]),
        )
