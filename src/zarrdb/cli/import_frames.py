"""Importing Blosc2 frames: what the options for them mean, and the keys that they become."""

from typing import TYPE_CHECKING, Literal

from zarrdb.detect import is_frame
from zarrdb.errors import UsageError
from zarrdb.keys import KeySource, printable
from zarrdb.transfer.copy import CopyOptions

if TYPE_CHECKING:
    from zarrdb.arrays.recode import Recoding
    from zarrdb.frame import FrameFile


def recoding_of(
    selection: str | None, codec: str | None, zarr_format: Literal["2", "3"] | None
) -> "Recoding | None":
    """How frames are to become arrays; None where nothing was said. Raises UsageError."""
    if selection is None and codec is None and zarr_format is None:
        return None
    from zarrdb.arrays.codecs import DEFAULT, parse_codec
    from zarrdb.arrays.recode import Recoding

    return Recoding(
        selection=selection or "",
        codec=DEFAULT if codec is None else parse_codec(codec),
        zarr_format=2 if zarr_format == "2" else 3,
    )


def as_keys(
    found: "KeySource | FrameFile",
    target: str,
    options: CopyOptions,
    recoding: "Recoding | None",
) -> KeySource:
    """What was opened as the keys to copy. Raises UsageError for options that do not fit."""
    if is_frame(found):
        from zarrdb.transfer.frames import keys_of

        return keys_of(found, target, options, recoding)
    if recoding is not None:
        raise UsageError(
            f"{printable(found.name)}: --slice, --codec and --zarr-format are for Blosc2 frames",
            hint="the bytes of a store are copied as they are",
        )
    return found
