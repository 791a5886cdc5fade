"""Rules on the keys below an array, held against its document.

The subject is the watch over one array, when the last of its keys has passed.
"""

from collections.abc import Iterator

from zarrdb.lint.chunkwatch import ChunkWatch
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import rule
from zarrdb.lint.tally import Tally
from zarrdb.units import counted

_ARRAY = ("json/*", "array/invalid-shape", "array/rank-mismatch", "array/invalid-extension")


@rule("chunk/unreachable", level="error", subject="array", requires=_ARRAY)
def unreachable(array: ChunkWatch) -> Iterator[Hit]:
    """Every chunk is stored under another layout than the document says.

    Why: readers look for `0.0`, the keys are `0/0` (or the other way round): they find
    nothing, and give out fill values without any error.

    Fix: set `dimension_separator` (v2) or `chunk_key_encoding` (v3) to what the keys are.
    """
    found = array.counted("other-layout")
    if found.count and not array.present:
        is_v2 = array.array.zarr_format == 2
        member = "dimension_separator" if is_v2 else "chunk_key_encoding"
        yield tallied(
            array,
            found,
            f"{found.text('chunk')} under another layout than the document's "
            f"`{array.example}`: readers see only fill values",
            f"`{member}` has to say how the keys are written",
        )


@rule("chunk/mixed-layout", level="error", subject="array", requires=_ARRAY)
def mixed_layout(array: ChunkWatch) -> Iterator[Hit]:
    """The chunks of one array are stored under two layouts.

    Why: readers know one of them, and give out fill values for the chunks of the other.

    Fix: rename the keys of the wrong layout, if they are not older copies.
    """
    found = array.counted("other-layout")
    if found.count and array.present:
        yield tallied(
            array,
            found,
            f"{found.text('chunk')} under another layout than the other {array.present:,}",
            f"readers look for keys like `{array.example}`",
        )


@rule(
    "chunk/outside-grid",
    level="warning",
    subject="array",
    requires=(*_ARRAY, "chunk/unreachable"),
)
def outside_grid(array: ChunkWatch) -> Iterator[Hit]:
    """Chunk keys that are no cell of the grid.

    Why: no reader looks at them: they are left over from a larger shape or another layout,
    or their index is negative, padded with zeros, or of another rank. They take space.

    Fix: delete them, or correct the shape if it is what is wrong.
    """
    found = array.counted("outside")
    if found.count:
        grid = " x ".join(map(str, array.layout.lengths)) or "scalar"
        message = f"{found.text('chunk')} outside the {grid} grid"
        yield tallied(array, found, message, "no reader looks at them")


@rule("chunk/stray-key", level="info", subject="array", requires=_ARRAY)
def stray_key(array: ChunkWatch) -> Iterator[Hit]:
    """Keys below an array that are no chunks.

    Why: readers do not look at them.

    Fix: keep other files beside arrays, at groups.
    """
    found = array.counted("stray")
    if found.count:
        yield tallied(array, found, f"{found.text('key')} beside the chunks")


@rule("chunk/missing", level="info", subject="array", requires=(*_ARRAY, "chunk/unreachable"))
def missing(array: ChunkWatch) -> Iterator[Hit]:
    """Chunks of the grid that are not stored.

    Why: they read as the fill value, which is what writers mean when they leave out chunks
    that hold nothing else, and what a lost file looks like.

    Fix: nothing, if they were never written. `--require-chunks` makes it an error.
    """
    absent = array.total - array.present
    if absent > 0:
        message = f"{absent:,} of {counted(array.total, 'chunk')} absent"
        yield Hit(message, node=array.path, count=absent)


@rule(
    "fill-value/undefined",
    level="info",
    subject="array",
    requires=(*_ARRAY, "fill-value/wrong-type", "chunk/unreachable"),
)
def undefined(array: ChunkWatch) -> Iterator[Hit]:
    """The fill value is null and chunks are missing.

    Why: what the missing chunks hold is not defined; some readers give zeros, some random
    memory.

    Fix: choose a fill value, or write all chunks.
    """
    absent = array.total - array.present
    if absent > 0 and array.array.value.get("fill_value") is None:
        message = f"{counted(absent, 'chunk')} absent and no fill value: their content is undefined"
        yield Hit(message, node=array.path, count=absent)


@rule("chunk/empty", level="error", subject="array", requires=_ARRAY)
def empty(array: ChunkWatch) -> Iterator[Hit]:
    """A chunk of no bytes.

    Why: no codec writes one; a crashed writer or a full disk leaves it, and reading fails.

    Fix: write the chunk again, or delete it so that it reads as the fill value.
    """
    found = array.counted("empty")
    if found.count:
        yield tallied(array, found, f"{found.text('chunk')} of 0 bytes")


def tallied(array: ChunkWatch, tally: Tally, message: str, hint: str | None = None) -> Hit:
    """A hit at an array for the keys of a tally."""
    return Hit(
        f"{message} {tally.examples()}",
        hint,
        node=array.path,
        count=tally.count,
        size=tally.size,
        keys=tuple(array.prefix + key for key in tally.keys),
    )
