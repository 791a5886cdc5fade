"""Rules on how nodes stand to one another, told by keys and documents.

The subject is a place of the hierarchy, when the last key below it has passed.
"""

from collections.abc import Iterator, Mapping

from zarrdb.lint.finding import Hit
from zarrdb.lint.place import V2, V3, Place
from zarrdb.lint.rule import declaration, rule
from zarrdb.lint.same import same
from zarrdb.lint.verdict import Verdict


@declaration("hierarchy/no-nodes", level="warning", subject="hierarchy")
def no_nodes() -> None:
    """The store holds no metadata document at all.

    Why: without one there is no group and no array, so Zarr finds nothing in it.

    Fix: `zarrdb init` makes a store with a root group; check what was imported.
    """


@rule("hierarchy/missing-group", level="error", subject="hierarchy", fixable=True)
def missing_group(place: Place) -> Iterator[Hit]:
    """A group that nodes lie below has no document.

    Why: in Zarr v3 each group has a `zarr.json`, and in both formats a root without a
    document cannot be opened; whoever walks down from there finds nothing.

    Fix: write the document of an empty group; `--fix` does.
    """
    if place.below and not place.formats and (place.below & V3 or not place.path):
        if not place.path and ".zmetadata" in place.documents:
            return
        name = "zarr.json" if place.below & V3 else ".zgroup"
        what = "the root group" if not place.path else "this group"
        yield Hit(
            f"{what} has no {name}, but there are nodes below it",
            "readers that walk down from here find nothing",
            node=place.path,
        )


@rule("hierarchy/implicit-group", level="warning", subject="hierarchy", fixable=True)
def implicit_group(place: Place) -> Iterator[Hit]:
    """A v2 group that nodes lie below has no `.zgroup`.

    Why: some readers make one up, others do not find what lies below.

    Fix: write `{"zarr_format": 2}` there; `--fix` does.
    """
    if place.path and place.below == V2 and not place.formats:
        yield Hit(
            "this group has no .zgroup, but there are nodes below it",
            "some readers do not find them",
            node=place.path,
        )


@rule("hierarchy/attributes-without-node", level="warning", subject="hierarchy")
def attributes_without_node(place: Place) -> Iterator[Hit]:
    """A `.zattrs` without a `.zarray` or `.zgroup` beside it.

    Why: attributes belong to a node; without one nobody reads them.

    Fix: write the document of the node, or delete the attributes.
    """
    names = place.documents
    if ".zattrs" in names and not {".zarray", ".zgroup", ".zmetadata"} & names.keys():
        yield Hit("attributes of no node: no .zarray or .zgroup", key=place.prefix + ".zattrs")


@rule("hierarchy/array-and-group", level="error", subject="node")
def array_and_group(place: Place) -> Iterator[Hit]:
    """Documents of an array and of a group at one path.

    Why: which of them it is depends on the reader; what the other one says is lost.

    Fix: delete the document that is not meant.
    """
    if ".zarray" in place.documents and ".zgroup" in place.documents:
        yield Hit("both .zarray and .zgroup", "readers take it for either", node=place.path)


@declaration("hierarchy/node-below-array", level="error", subject="node")
def node_below_array() -> None:
    """A node inside an array.

    Why: an array has no children; readers that walk the hierarchy never see the node, and
    its keys may collide with chunks.

    Fix: move the node out of the array.
    """


@declaration("hierarchy/mixed-formats", level="error", subject="node")
def mixed_formats() -> None:
    """A node of one format below a group of the other only.

    Why: a reader walks down in one format and never finds it.

    Fix: convert the node, or its parents.
    """


@rule("hierarchy/conflicting-formats", level="error", subject="node", requires=("json/*",))
def conflicting_formats(place: Place) -> Iterator[Hit]:
    """Documents of Zarr v2 and v3 at one path that say different things.

    Why: which of them counts depends on the reader, so that two readers see two arrays, or
    an array and a group.

    Fix: delete the documents of the format that is not meant.
    """
    if place.formats == V2 | V3:
        differences = list(_differences(place.documents))
        if differences:
            text = f"documents of Zarr v2 and v3 that differ in {', '.join(differences)}"
            yield Hit(text, "which of them counts depends on the reader", node=place.path)


@rule(
    "hierarchy/two-formats",
    level="warning",
    subject="node",
    requires=("json/*", "hierarchy/conflicting-formats"),
)
def two_formats(place: Place) -> Iterator[Hit]:
    """Documents of Zarr v2 and v3 at one path, which agree.

    Why: which of them counts depends on the reader; a change to one is not seen through the
    other.

    Fix: delete the documents of the format that is not meant.
    """
    if place.formats == V2 | V3:
        yield Hit("documents of both Zarr v2 and v3", node=place.path)


def _differences(documents: Mapping[str, Verdict]) -> Iterator[str]:
    """What the v2 documents of a node say otherwise than its v3 document."""
    old, new = documents.get(".zarray"), documents["zarr.json"]
    if (old is None) == new.is_array:
        yield "kind"
        return
    if old is not None and old.array is not None and new.array is not None:
        if old.array.shape != new.array.shape:
            yield "shape"
        if old.array.chunks != new.array.chunks:
            yield "chunks"
        if old.array.type_name != new.array.type_name:
            yield "data type"
    attributes = documents[".zattrs"].value if ".zattrs" in documents else {}
    if isinstance(new.value, dict) and not same(attributes, new.value.get("attributes", {})):
        yield "attributes"


@declaration("hierarchy/unknown-document", level="error", subject="node", requires=("json/*",))
def unknown_document() -> None:
    """A document does not say, in a way that readers know, what it describes.

    Why: `zarr_format` is 2 or 3, an integer, and `node_type` is `array` or `group`; a reader
    that finds anything else does not see the node. Nothing else in the document is judged.

    Fix: correct the member.
    """
