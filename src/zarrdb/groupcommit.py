"""Values that tasks of one event loop store at the same time, committed together."""

import asyncio
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from zarrdb.errors import LockedError

Items = list[tuple[str, memoryview]]


class Committer(Protocol):
    """Who commits, and who waits when somebody else holds the lock."""

    def commit(self, items: Items) -> None:
        """Commit values as one transaction. Raises LockedError at once."""
        ...

    async def off_loop(self, action: Callable[[], None]) -> None:
        """Run an action on another thread, again while it raises LockedError."""
        ...


class GroupCommit:
    """Collects what tasks want stored until the loop comes round, then commits it at once.

    No task is told before its value is committed. zarr stores ten chunks at a time, and one
    transaction of ten values of 8 KiB costs 260 µs where ten transactions cost 420.
    """

    def __init__(self) -> None:
        # Of each loop what its tasks are waiting for; only its own thread touches it.
        self._batches: dict[asyncio.AbstractEventLoop, _Batch] = {}

    async def put(self, committer: Committer, key: str, value: memoryview) -> None:
        """Have the value stored; returns when it is."""
        loop = asyncio.get_running_loop()
        batch = self._batches.get(loop)
        if batch is None:
            batch = self._batches[loop] = _Batch([], [])
            loop.call_soon(self._flush, committer, loop, batch)
        waiter = loop.create_future()
        batch.items.append((key, value))
        batch.waiters.append(waiter)
        await waiter

    def flush(self, committer: Committer) -> None:
        """Commit what the running loop's tasks have asked for so far."""
        loop = asyncio.get_running_loop()
        batch = self._batches.get(loop)
        if batch is not None:
            self._flush(committer, loop, batch)

    def _flush(
        self, committer: Committer, loop: asyncio.AbstractEventLoop, batch: "_Batch"
    ) -> None:
        if self._batches.get(loop) is not batch:
            return
        del self._batches[loop]
        items, waiters = batch
        try:
            committer.commit(items)
        except LockedError:
            waiting = loop.create_task(committer.off_loop(lambda: committer.commit(items)))
            waiting.add_done_callback(lambda task: _tell(waiters, task.exception()))
        except BaseException as error:
            _tell(waiters, error)
        else:
            _tell(waiters, None)


class _Batch(NamedTuple):
    items: Items
    waiters: "list[asyncio.Future[None]]"


def _tell(waiters: "Iterable[asyncio.Future[None]]", error: BaseException | None) -> None:
    for waiter in waiters:
        if waiter.done():
            continue
        if error is None:
            waiter.set_result(None)
        else:
            waiter.set_exception(error)
