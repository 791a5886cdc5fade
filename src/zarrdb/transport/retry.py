"""Asking again: how often, after how long, and for which faults."""

from collections.abc import Callable
from typing import Final, TypeVar

from zarrdb.errors import RangeError

RETRIES: Final = 3
FIRST_DELAY: Final = 0.5
DELAY_FACTOR: Final = 4
"""Seconds before the first retry, and how much longer before each next one: 0.5, 2, 8."""
LONGEST_REST: Final = 60.0
"""A server that asks for more seconds of rest than this is not waited for."""

T = TypeVar("T")


def persist(attempt: Callable[[bool], T], sleep: Callable[[float], None]) -> T:
    """The result of the attempt, made up to RETRIES times again after transient faults.

    The argument of `attempt` tells whether it is a retry. Raises its last RangeError.
    """
    delay = FIRST_DELAY
    for retry in range(RETRIES):
        try:
            return attempt(retry > 0)
        except RangeError as error:
            rest = error.retry_after or 0.0
            if not error.transient or rest > LONGEST_REST:
                raise
            sleep(max(delay, rest))
        delay *= DELAY_FACTOR
    return attempt(True)
