"""Groups and arrays as the keys and documents of a source tell them."""

from zarrdb.hierarchy.labels import Codec
from zarrdb.hierarchy.nodes import Node, lookup, walk

__all__ = ["Codec", "Node", "lookup", "walk"]
