"""What is left of locks, threads and event loops in the child of a fork: nothing of use."""

import os
from typing import Protocol
from weakref import WeakSet


class Renewable(Protocol):
    """Something that works on in a forked child once its locks and threads are new."""

    def renew(self) -> None:
        """In the child of a fork: begin with new ones."""
        ...


_all: WeakSet[Renewable] = WeakSet()


def renew_in_children(thing: Renewable) -> None:
    """Have `renew` called in each child of this process, for as long as the thing lives."""
    _all.add(thing)


def _after_fork_in_child() -> None:
    for thing in list(_all):
        thing.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
