"""Groups and arrays as the keys and documents of a source tell them."""

from zarrdb.hierarchy.documents import documents
from zarrdb.hierarchy.nodes import Codec, Node, lookup, walk

__all__ = ["Codec", "Node", "documents", "lookup", "walk"]
