"""`zarrdb cat --slice`: a part of an array, decoded."""

from typing import TYPE_CHECKING

from zarrdb.arrays.show import BINARY, FORMATS
from zarrdb.arrays.view import frame_view, open_view
from zarrdb.cli.frames import require_root
from zarrdb.cli.output import Output
from zarrdb.detect import is_frame
from zarrdb.errors import UsageError
from zarrdb.keys import KeySource, printable

if TYPE_CHECKING:
    from zarrdb.frame import FrameFile


def print_slice(
    source: "KeySource | FrameFile",
    names: list[str],
    slices: str,
    form: str,
    out: Output,
    *,
    force: bool,
) -> None:
    """Print what `slices` selects of the one array named; that of a frame needs no name.

    Raises UsageError, NotFoundError and CorruptError.
    """
    if len(names) > 1 or not (names or is_frame(source)):
        raise UsageError(
            "--slice takes one array", hint="`zarrdb cat FILE ARRAY --slice '0:10, ::5'`"
        )
    if form not in FORMATS:
        raise UsageError(
            f"--format: `{printable(form)}` is not one of {', '.join(FORMATS)}",
            hint="text is the default",
        )
    if form in BINARY and out.terminal and not force:
        raise UsageError(
            f"--format {form} is binary, which a terminal cannot show",
            hint="send it to a file or a program, or add --force",
        )
    if is_frame(source):
        require_root(source, "".join(names))
        view = frame_view(source, slices)
    else:
        view = open_view(source, names[0].strip("/"), slices)
    for piece in FORMATS[form](view):
        out.data(piece)
