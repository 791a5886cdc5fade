"""The register of all connections of this process, and what a fork does to them.

Bytes of database files come through SQLite too (`FileBytes`), so that no lock is ever dropped.
"""

import os
from threading import RLock
from typing import Protocol
from weakref import WeakSet

from zarrdb.db.filebytes import FileBytes

__all__ = ["FileBytes", "Registered", "keep_alive", "opening", "register"]


class Registered(Protocol):
    """Whoever holds a connection."""

    lock: RLock
    """Held during every call of SQLite."""

    def forget_inherited(self) -> None:
        """In the child of a fork: leave the connection alone for ever."""
        ...


_registered: WeakSet[Registered] = WeakSet()
_frozen: list[Registered] = []
_opening = RLock()


def register(holder: Registered) -> None:
    """Have forks take care of a connection for as long as its holder lives."""
    _registered.add(holder)


def opening() -> RLock:
    """The lock to hold while connections are opened and closed; taken after a holder's own."""
    return _opening


def keep_alive(connection: object) -> None:
    """Keep an inherited connection from being closed, also when the interpreter ends.

    Closing it would roll back the parent's transaction and delete the parent's journal.
    """
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _before_fork() -> None:
    # A call in progress holds locks inside SQLite, which nobody would give back in the child.
    while True:
        for holder in set(_registered).difference(_frozen):
            holder.lock.acquire()
            _frozen.append(holder)
        _opening.acquire()
        if set(_registered) <= set(_frozen):
            return
        _opening.release()


def _after_fork_in_parent() -> None:
    _opening.release()
    while _frozen:
        _frozen.pop().lock.release()


def _after_fork_in_child() -> None:
    global _opening
    _opening = RLock()
    while _frozen:
        _frozen.pop().forget_inherited()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
