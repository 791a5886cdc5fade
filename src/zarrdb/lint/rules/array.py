"""Rules on the members of array documents, but for data type, fill value and codecs."""

from collections.abc import Iterator
from math import prod
from typing import Final

from zarrdb.lint.arraydocument import ArrayDocument
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import declaration, rule
from zarrdb.metadata.problem import shown
from zarrdb.units import size_text

_JSON: Final = ("json/*",)
_SHAPE: Final = ("array/invalid-shape",)

# numcodecs and Blosc take no buffer that is larger, and a reader needs twice the memory.
_HUGE_CHUNK: Final = 2 << 30

_KNOWN_V2: Final = frozenset(
    {
        "zarr_format",
        "shape",
        "chunks",
        "dtype",
        "compressor",
        "fill_value",
        "order",
        "filters",
        "dimension_separator",
        "attributes",
    }
)


@declaration(
    "array/missing-member",
    level="error",
    subject="array",
    requires=_JSON,
    reasons=("member:missing-member", "format:missing-member"),
)
def missing_member() -> None:
    """An array document lacks a member that it must have.

    Why: readers refuse the array, or guess: a v2 array without `compressor` or `filters` may
    be read as if it had none.

    Fix: add the member; `fill_value`, `compressor` and `filters` are null where there is none.
    """


@declaration(
    "array/invalid-member",
    level="error",
    subject="array",
    requires=_JSON,
    reasons=("member:*", "attributes:*", "transformers:*"),
)
def invalid_member() -> None:
    """A member of an array document has a value that it cannot have.

    Why: readers refuse the array, or take a default and read other values.

    Fix: give it one of the values that the message names.
    """


@declaration(
    "array/invalid-shape", level="error", subject="array", requires=_JSON, reasons=("axes:*",)
)
def invalid_shape() -> None:
    """`shape` or the chunk shape is no list of whole numbers from 0.

    Why: without it nobody knows how many items there are or which chunk holds them.

    Fix: write one whole number for each axis.
    """


@rule(
    "array/zero-chunk",
    level="error",
    subject="array",
    requires=(*_JSON, *_SHAPE),
    reasons=("*:zero-chunk",),
)
def zero_chunk(array: ArrayDocument) -> Iterator[Hit]:
    """A chunk has no length along an axis that has items.

    Why: no number of such chunks covers the axis; readers divide by zero.

    Fix: give the chunk a length of at least 1.
    """
    for axis in _zero_axes(array):
        if array.shape and array.shape[axis]:
            yield array.hit(
                array.chunks_loc(axis), f"chunk length 0 on axis {axis}, which has items"
            )


@rule(
    "array/zero-chunk-on-empty-axis",
    level="warning",
    subject="array",
    requires=(*_JSON, *_SHAPE),
    reasons=("*:zero-chunk-on-empty-axis",),
)
def zero_chunk_on_empty_axis(array: ArrayDocument) -> Iterator[Hit]:
    """A chunk has no length along an axis that is empty too.

    Why: nothing is lost, but some readers divide by it, and nothing can be appended.

    Fix: give the chunk a length of at least 1.
    """
    for axis in _zero_axes(array):
        if array.shape and not array.shape[axis]:
            yield array.hit(array.chunks_loc(axis), f"chunk length 0 on axis {axis}")


@rule("array/huge-chunk", level="warning", subject="array", requires=(*_JSON, *_SHAPE))
def huge_chunk(array: ArrayDocument) -> Iterator[Hit]:
    """One chunk takes more than 2 GiB when it is decoded.

    Why: most codecs refuse buffers of that size, and reading one item needs all of it.

    Fix: choose smaller chunks, of 1 to 100 MiB.
    """
    if array.chunks is None or array.item_size is None:
        return
    size = prod(array.chunks) * array.item_size
    if size > _HUGE_CHUNK:
        yield array.hit(array.chunks_loc(), f"a chunk takes {size_text(size)} when decoded")


@declaration(
    "array/rank-mismatch",
    level="error",
    subject="array",
    requires=(*_JSON, *_SHAPE),
    reasons=("*:rank-mismatch",),
)
def rank_mismatch() -> None:
    """A member has another number of axes than `shape`.

    Why: chunk shape, dimension names, transposition and inner chunks name one thing for each
    axis; readers refuse the array or mix the axes up.

    Fix: give one entry for each axis.
    """


@rule("array/extra-member", level="info", subject="array", requires=_JSON)
def extra_member(array: ArrayDocument) -> Iterator[Hit]:
    """A `.zarray` has a member that the specification does not describe.

    Why: readers ignore it.

    Fix: keep such facts in the attributes.
    """
    if array.zarr_format == 2 and not array.value.keys() <= _KNOWN_V2:
        for name in array.value.keys() - _KNOWN_V2:
            yield array.hit((name,), "a member that readers ignore")


@declaration(
    "array/misplaced-member",
    level="error",
    subject="array",
    requires=_JSON,
    reasons=("member:misplaced-member",),
)
def misplaced_member() -> None:
    """A member that belongs in another document or format.

    Why: readers do not look for it there: attributes in a `.zarray` are lost, and v2 members
    in a `zarr.json` stop readers.

    Fix: move it: attributes of v2 go to `.zattrs`.
    """


@declaration(
    "array/unknown-member",
    level="error",
    subject="array",
    requires=_JSON,
    reasons=("member:unknown-member",),
)
def unknown_member() -> None:
    """A `zarr.json` of an array has a member that a reader must understand.

    Why: a reader that does not know a member has to stop, unless the member is an object
    that says `"must_understand": false`.

    Fix: move it to the attributes, or say that it can be ignored.
    """


@declaration(
    "array/null-member",
    level="warning",
    subject="array",
    requires=_JSON,
    reasons=("*:null-member",),
    fixable=True,
)
def null_member() -> None:
    """`dimension_names` or `storage_transformers` is null instead of absent.

    Why: several writers did so; strict readers refuse the array.

    Fix: take the member out; `--fix` does.
    """


@declaration(
    "array/invalid-dimension-names",
    level="error",
    subject="array",
    requires=_JSON,
    reasons=("names:*",),
)
def invalid_dimension_names() -> None:
    """`dimension_names` is no list of texts and nulls.

    Why: readers refuse the array, or take each letter of a text for a name.

    Fix: write a list with a name, or null, for each axis.
    """


@declaration(
    "array/duplicate-dimension-name",
    level="warning",
    subject="array",
    requires=("array/rank-mismatch",),
    reasons=("*:duplicate-name",),
)
def duplicate_dimension_name() -> None:
    """One dimension name stands for two axes.

    Why: tools that select by name, like xarray, cannot tell the axes apart.

    Fix: give each axis a name of its own.
    """


@declaration(
    "array/storage-transformer",
    level="error",
    subject="array",
    requires=_JSON,
    reasons=("*:storage-transformer",),
)
def storage_transformer() -> None:
    """The array uses a storage transformer.

    Why: what lies in the store is not what the keys seem to say; no common reader knows any
    transformer, and all must stop.

    Fix: write the array again without it.
    """


@declaration(
    "array/invalid-extension",
    level="error",
    subject="array",
    requires=_JSON,
    reasons=("grid:*",),
)
def invalid_extension() -> None:
    """The chunk grid or the chunk key encoding is not as it has to be.

    Why: nobody can tell which key holds which part of the array.

    Fix: correct the name, the chunk shape or the separator.
    """


@rule("array/unclaimed-extension", level="info", subject="array", requires=_JSON)
def unclaimed_extension(array: ArrayDocument) -> Iterator[Hit]:
    """A chunk grid or chunk key encoding that nobody in scope knows.

    Why: readers without it cannot find the chunks; nothing about the keys can be judged.

    Fix: correct the name if it is misspelled, or add it to the project's scope.
    """
    for slot in ("chunk_grids", "chunk_key_encodings"):
        for each in array.strangers(slot):
            yield array.hit(each.loc, f"{shown(each.name)} is outside the scope")


def _zero_axes(array: ArrayDocument) -> list[int]:
    if array.zarr_format == 3 or array.chunks is None or all(array.chunks):
        return []
    return [axis for axis, length in enumerate(array.chunks) if not length]
