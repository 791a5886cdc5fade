"""The register of all connections of this process, and what a fork does to them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock, RLock, get_ident
from typing import Final, Protocol
from weakref import WeakSet


class Registered(Protocol):
    """Whoever holds a connection."""

    lock: RLock
    """Held during every call of SQLite."""

    def forget_inherited(self) -> None:
        """In the child of a fork: leave the connection alone for ever."""
        ...


_PATIENCE: Final = 30
"""Seconds that a fork waits for a call. Two threads that fork inside calls wait for each other."""

_registered: WeakSet[Registered] = WeakSet()
_frozen: list[Registered] = []
_gate = Condition()
_one_fork = Lock()
_inside: list[int] = []
"""The threads that are inside `no_fork`."""
_forking: list[int] = []
"""The thread that is about to fork."""


def register(holder: Registered) -> None:
    """Have forks take care of a connection for as long as its holder lives."""
    with _gate:
        _wait_for_fork()
        _registered.add(holder)


@contextmanager
def no_fork() -> Iterator[None]:
    """Around every call of SQLite that no holder's lock covers: a fork waits for its end."""
    me = get_ident()
    with _gate:
        _wait_for_fork()
        _inside.append(me)
    try:
        yield
    finally:
        with _gate:
            _inside.remove(me)
            _gate.notify_all()


def _wait_for_fork() -> None:
    me = get_ident()
    _gate.wait_for(lambda: not _forking or _forking == [me] or me in _inside)


def keep_alive(connection: object) -> None:
    """Keep an inherited connection from being closed, also when the interpreter ends.

    Closing it would roll back the parent's transaction and delete the parent's journal.
    """
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _before_fork() -> None:
    # A call in progress holds locks inside SQLite, which nobody would give back in the child.
    me = get_ident()
    _one_fork.acquire()
    hopeless: set[Registered] = set()
    while True:
        with _gate:
            _forking.append(me)
            _gate.wait_for(lambda: set(_inside) <= {me})
            missing = set(_registered).difference(_frozen, hopeless)
            if not missing:
                return
            _forking.clear()
            _gate.notify_all()
        for holder in missing:
            if holder.lock.acquire(timeout=_PATIENCE):
                _frozen.append(holder)
            else:
                hopeless.add(holder)


def _after_fork_in_parent() -> None:
    with _gate:
        _forking.clear()
        _gate.notify_all()
    while _frozen:
        _frozen.pop().lock.release()
    _one_fork.release()


def _after_fork_in_child() -> None:
    global _gate, _one_fork
    _gate, _one_fork = Condition(), Lock()
    _forking.clear()
    _inside.clear()
    _frozen.clear()
    for holder in set(_registered):
        holder.forget_inherited()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
