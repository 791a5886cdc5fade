"""Rules on decoded chunks (`--data`).

The subject is what decoding the chunks of one array has shown.
"""

from collections.abc import Iterator
from typing import Final

from zarrdb.lint.arraydata import ArrayData
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import rule
from zarrdb.lint.tally import Tally

_CODEC: Final = ("json/*", "array/*", "dtype/invalid", "codec/*", "chunk/wrong-length")


@rule("chunk/undecodable", level="error", subject="array", requires=_CODEC)
def undecodable(data: ArrayData) -> Iterator[Hit]:
    """A chunk that does not decode (`--data`).

    Why: the codec fails, its checksum differs, or the decoded bytes are not as many as a
    chunk has; reading that part of the array fails.

    Fix: restore the chunk, or write it again.
    """
    if data.undecodable.count:
        text = f"{data.undecodable.text('chunk')} that cannot be decoded: {data.fault}"
        yield _tallied(data, data.undecodable, text)


@rule("chunk/expands-too-far", level="error", subject="array", requires=_CODEC)
def expands_too_far(data: ArrayData) -> Iterator[Hit]:
    """A chunk that would decode to far more than a chunk holds (`--data`).

    Why: readers without a bound fill their memory with it; a few kilobytes can become
    gigabytes.

    Fix: restore the chunk; do not open it with other tools.
    """
    if data.too_far.count:
        text = f"{data.too_far.text('chunk')} that would expand too far: {data.fault}"
        yield _tallied(data, data.too_far, text)


@rule("chunk/not-verified", level="info", subject="array")
def not_verified(data: ArrayData) -> Iterator[Hit]:
    """The chunks of an array were not decoded (`--data`).

    Why: a codec is not known, not installed, or runs code when it decodes.

    Fix: `--scope installed` takes in whatever this Python can decode; install the package
    that has the codec, if none does.
    """
    if data.obstacle is not None:
        yield Hit(f"chunks not decoded: {data.obstacle}", node=data.prefix[:-1])


def _tallied(data: ArrayData, tally: Tally, message: str) -> Hit:
    return Hit(
        f"{message} {tally.examples()}",
        node=data.prefix[:-1],
        count=tally.count,
        size=tally.size,
        keys=tuple(data.prefix + key for key in tally.keys),
    )
