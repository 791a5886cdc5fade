"""What the library logs, as notes of a command."""

import logging

from zarrdb.cli.output import Output


class _Notes(logging.Handler):
    """Prints each record as a note."""

    def __init__(self, out: Output) -> None:
        super().__init__()
        self._out = out

    def emit(self, record: logging.LogRecord) -> None:
        self._out.note(record.getMessage())


def follow(out: Output) -> None:
    """Print warnings of the library from now on, and with `-vv` all that it logs."""
    logger = logging.getLogger("zarrdb")
    logger.handlers = [_Notes(out)]
    logger.propagate = False
    logger.setLevel(logging.DEBUG if out.verbose > 1 else logging.WARNING)
