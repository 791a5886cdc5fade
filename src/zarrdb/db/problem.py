"""What is wrong with a container, as a value."""

from typing import Literal, NamedTuple

Blocks = Literal["", "writing", "reading"]


class Problem(NamedTuple):
    """One thing that is not as the format wants it.

    `reason` is the name of a rule of the family `container` (`wrong-application-id` …);
    `message` reads on after the file's name and a colon.
    """

    reason: str
    message: str
    hint: str | None = None
    subject: str = ""
    """What it is about: a record, column, table, flag or suffix; printable."""
    blocks: Blocks = ""
    """What must not be done with such a file; what blocks reading blocks writing too."""
