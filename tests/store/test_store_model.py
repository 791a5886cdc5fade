"""One file through stores and databases side by side, against a dictionary."""

import asyncio
import random
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from contextvars import Context
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from zarr.abc.store import OffsetByteRequest, RangeByteRequest, SuffixByteRequest

from helpers_store import PROTOTYPE, buffer, get, keys, put, sidecars
from zarrdb import SQLiteStore
from zarrdb.db import Database
from zarrdb.errors import LockedError
from zarrdb.sources.directory import DirectorySource
from zarrdb.transfer.copy import CopyOptions, into_file
from zarrdb.transfer.read import Part

T = TypeVar("T")

KEYS = ("zarr.json", "a/zarr.json", "a/c/0", "a/c/1", "a/c/2", "a.b", "ab/c/0", "b")
SIZES = (0, 1, 300, 5_000, 140_000, 1_300_000, 3_000_000)
SPARE = random.Random(0).randbytes(SIZES[-1] + 256)


@cache
def made(size: int, number: int) -> bytes:
    """A value that no other place in a file has."""
    return SPARE[number : number + size]


VALUES = st.builds(made, st.sampled_from(SIZES), st.integers(0, 255))
ANY_KEY = st.sampled_from(KEYS)
PREFIXES = st.sampled_from(["", "a", "a/c", "ab", "b", "no"])


class SideBySide(RuleBasedStateMachine):
    """What one of them has committed, all others see; a transaction only those inside."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "x.zarrdb"
        self.committed: dict[str, bytes] = {}
        self.inside: dict[str, bytes] | None = None
        """What the open transaction sees."""
        self.owner: Any = None
        self.stack = ExitStack()
        self.stores: list[SQLiteStore] = []
        self.databases: list[Database] = []

    @initialize(
        start=st.sampled_from(["nothing", "empty", "imported"]),
        page_size=st.sampled_from([512, 4096, 65536, None]),
        journal_mode=st.sampled_from(["WAL", "DELETE"]),
    )
    def begin_file(self, start: str, page_size: int | None, journal_mode: Any) -> None:
        self.options: dict[str, Any] = {
            "journal_mode": journal_mode,
            "page_size": page_size or "auto",
            "timeout": 0,
        }
        if start == "imported":
            folder = self.folder / "x.zarr"
            for number, key in enumerate(KEYS[:-1]):
                value = b"{}" if key.endswith("zarr.json") else made(SIZES[-1 - number % 4], number)
                (folder / key).parent.mkdir(parents=True, exist_ok=True)
                (folder / key).write_bytes(value)
                self.committed[key] = value
            part = Part(DirectorySource(str(folder)))
            into_file([part], str(self.path), CopyOptions(page_size=page_size))
        elif start == "empty":
            Database.open(self.path, mode="create", page_size=page_size).close()
        self.stores = [self._store(read_only=False), self._store(read_only=False)]
        if start != "nothing":
            self._open_others()

    def _store(self, *, read_only: bool) -> SQLiteStore:
        return SQLiteStore(self.path, read_only=read_only, **self.options)

    def _open_others(self) -> None:
        self.stores.append(self._store(read_only=True))
        self.databases = [
            Database.open(self.path, mode="rw", timeout=0, fold=False),
            Database.open(self.path, timeout=0),
        ]

    def teardown(self) -> None:
        if self.inside is not None:
            self._end(keep=True)
        self._close()
        if self.path.exists():
            assert sidecars(self.path) == []
            with Database.open(self.path) as database:
                assert dict(database.get_many(database.list())) == self.committed
                check = database.connection.execute("PRAGMA integrity_check")
                assert check.fetchall() == [("ok",)]
        super().teardown()

    def _close(self) -> None:
        for database in self.databases:
            database.close()
        for store in self.stores:
            store.close()
        self.stores, self.databases = [], []

    # Who does it, and what is expected

    def _sees(self, who: Any) -> dict[str, bytes]:
        mine = who is self.owner or (
            isinstance(who, SQLiteStore) and isinstance(self.owner, SQLiteStore)
        )
        return self.inside if self.inside is not None and mine else self.committed

    def _change(
        self, who: Any, action: Callable[[], object], change: Callable[[Any], None]
    ) -> None:
        """Do it there and in the dictionary, unless somebody else's transaction is open."""
        seen = self._sees(who)
        if self.inside is not None and seen is not self.inside:
            with pytest.raises(LockedError):
                action()
            return
        action()
        change(seen)

    def _read(self, who: Any, action: Callable[[], T], expected: Callable[[Any], T]) -> None:
        seen = self._sees(who)
        try:
            found = action()
        except LockedError:
            # A large transaction without a log is written before it is committed.
            assert self.inside is not None
            assert seen is not self.inside
            return
        assert found == expected(seen)

    def _writers(self) -> list[Any]:
        return [*self.stores[:2], *self.databases[:1]]

    def _all(self) -> list[Any]:
        return [*self.stores, *self.databases]

    # Changes

    @rule(data=st.data(), key=ANY_KEY, value=VALUES, how=st.sampled_from(["sync", "loop", "task"]))
    def set(self, data: st.DataObject, key: str, value: bytes, how: str) -> None:
        who = data.draw(st.sampled_from(self._writers()))

        def action() -> None:
            if isinstance(who, Database):
                who.set(key, value)
            elif how == "sync":
                who.set_sync(key, buffer(value))
            elif how == "loop":
                put(who, key, value)
            else:
                asyncio.run(who.set(key, buffer(value)))

        self._change(who, action, lambda seen: seen.update({key: value}))

    @rule(data=st.data(), items=st.dictionaries(ANY_KEY, VALUES, max_size=5))
    def set_many(self, data: st.DataObject, items: dict[str, bytes]) -> None:
        who = data.draw(st.sampled_from(self._writers()))

        async def together() -> None:
            await asyncio.gather(*(who.set(key, buffer(value)) for key, value in items.items()))

        def action() -> None:
            if isinstance(who, Database):
                who.set_many(items.items())
            else:
                asyncio.run(together())

        if items:
            self._change(who, action, lambda seen: seen.update(items))

    @precondition(lambda self: self.databases)
    @rule(data=st.data(), patch=st.binary(min_size=1, max_size=9))
    def set_ranges(self, data: st.DataObject, patch: bytes) -> None:
        database = self.databases[0]
        fitting = [key for key, value in self._sees(database).items() if len(value) >= 9]
        if not fitting:
            return
        key = data.draw(st.sampled_from(sorted(fitting)))
        value = bytearray(self._sees(database)[key])
        offset = data.draw(st.integers(0, len(value) - len(patch)))
        value[offset : offset + len(patch)] = patch
        self._change(
            database,
            lambda: database.set_ranges(key, [(offset, patch)]),
            lambda seen: seen.update({key: bytes(value)}),
        )

    @rule(data=st.data(), key=ANY_KEY)
    def delete(self, data: st.DataObject, key: str) -> None:
        who = data.draw(st.sampled_from(self._writers()))

        def action() -> None:
            who.delete(key) if isinstance(who, Database) else who.delete_sync(key)

        self._change(who, action, lambda seen: seen.pop(key, None))

    @rule(data=st.data(), prefix=PREFIXES)
    def delete_prefix(self, data: st.DataObject, prefix: str) -> None:
        who = data.draw(st.sampled_from(self._writers()))
        text = prefix and prefix + "/"

        def action() -> None:
            if isinstance(who, Database):
                who.delete_prefix(text)
            else:
                asyncio.run(who.delete_dir(prefix))

        def change(seen: dict[str, bytes]) -> None:
            for key in [key for key in seen if key.startswith(text)]:
                del seen[key]

        self._change(who, action, change)

    # Transactions

    @precondition(lambda self: self.inside is None)
    @rule(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.owner = data.draw(st.sampled_from(self._writers()))
        self.stack.enter_context(self.owner.transaction())
        self.inside = dict(self.committed)

    @precondition(lambda self: self.inside is not None)
    @rule(keep=st.booleans())
    def end(self, keep: bool) -> None:
        self._end(keep=keep)

    def _end(self, *, keep: bool) -> None:
        stack, self.stack = self.stack, ExitStack()
        if keep:
            stack.close()
        else:
            assert not stack.__exit__(RuntimeError, RuntimeError("taken back"), None)
        if keep:
            assert self.inside is not None
            self.committed = self.inside
        self.inside = self.owner = None

    @precondition(lambda self: self.inside is not None and isinstance(self.owner, SQLiteStore))
    @rule(data=st.data(), key=ANY_KEY, value=VALUES)
    def another_context(self, data: st.DataObject, key: str, value: bytes) -> None:
        store = data.draw(st.sampled_from(self.stores[:2]))
        with pytest.raises(LockedError):
            Context().run(store.set_sync, key, buffer(value))
        with suppress(LockedError):
            assert Context().run(get, store, key) == self.committed.get(key)

    # Reading

    @rule(data=st.data(), key=ANY_KEY)
    def get(self, data: st.DataObject, key: str) -> None:
        who = data.draw(st.sampled_from(self._all()))
        self._read(
            who,
            lambda: who.get(key) if isinstance(who, Database) else get(who, key),
            lambda seen: seen.get(key),
        )

    @rule(
        data=st.data(),
        key=ANY_KEY,
        start=st.integers(0, 3_100_000) | st.integers(1_000_000, 1_400_000) | st.integers(0, 400),
        length=st.integers(0, 200_000) | st.none(),
        from_end=st.booleans(),
    )
    def get_range(
        self, data: st.DataObject, key: str, start: int, length: int | None, from_end: bool
    ) -> None:
        who = data.draw(st.sampled_from(self._all()))
        request: Any = OffsetByteRequest(start)
        if from_end:
            request, length = SuffixByteRequest(start), None
        elif length is not None:
            request = RangeByteRequest(start, start + length)

        def action() -> bytes | None:
            if isinstance(who, Database):
                if from_end and not start:
                    return who.get_range(key, 0, 0)
                found: bytes | None = who.get_range(key, -start if from_end else start, length)
                return found
            return get(who, key, request)

        def expected(seen: dict[str, bytes]) -> bytes | None:
            value = seen.get(key)
            if value is None:
                return None
            if from_end:
                return value[max(0, len(value) - start) :]
            return value[start:] if length is None else value[start : start + length]

        self._read(who, action, expected)

    @rule(
        data=st.data(), places=st.lists(st.tuples(ANY_KEY, st.integers(0, 3_000_000)), max_size=6)
    )
    def get_together(self, data: st.DataObject, places: list[tuple[str, int]]) -> None:
        who = data.draw(st.sampled_from(self._all()))

        async def together() -> list[bytes | None]:
            requests = [(key, RangeByteRequest(at, at + 99)) for key, at in places]
            parts = await who.get_partial_values(PROTOTYPE, requests)
            whole = await asyncio.gather(*(who.get(key, PROTOTYPE) for key, _ in places))
            return [None if each is None else each.to_bytes() for each in (*parts, *whole)]

        def action() -> list[bytes | None]:
            if isinstance(who, Database):
                parts = who.get_ranges([(key, at, 99) for key, at in places])
                return [*parts, *(value for _, value in who.get_many(k for k, _ in places))]
            return asyncio.run(together())

        def expected(seen: dict[str, bytes]) -> list[bytes | None]:
            parts = [seen[key][at : at + 99] if key in seen else None for key, at in places]
            return [*parts, *(seen.get(key) for key, _ in places)]

        self._read(who, action, expected)

    @rule(data=st.data(), prefix=PREFIXES)
    def listings(self, data: st.DataObject, prefix: str) -> None:
        who = data.draw(st.sampled_from(self._all()))
        text = prefix and prefix + "/"

        async def listed() -> tuple[list[str], int]:
            return sorted([name async for name in who.list_dir(prefix)]), await who.getsize_prefix(
                prefix
            )

        def action() -> tuple[list[str], list[str], int]:
            if isinstance(who, Database):
                size = sum(entry.size for entry in who.entries(text))
                return list(who.list()), list(who.list_dir(text)), size
            return keys(who), *asyncio.run(listed())

        def expected(seen: dict[str, bytes]) -> tuple[list[str], list[str], int]:
            below = {key: value for key, value in seen.items() if key.startswith(text)}
            names = sorted({key[len(text) :].split("/")[0] for key in below})
            return sorted(seen), names, sum(map(len, below.values()))

        self._read(who, action, expected)

    # Coming and going

    @precondition(lambda self: self.databases)
    @rule(number=st.integers(0, 4))
    def open_again(self, number: int) -> None:
        if self._all()[number] is self.owner:
            return
        if number < 3:
            self.stores[number].close()
            self.stores[number] = self._store(read_only=number == 2)
        elif self.inside is None:
            self.databases[number - 3].close()
            mode: Any = "rw" if number == 3 else "r"
            self.databases[number - 3] = Database.open(self.path, mode=mode, timeout=0, fold=False)

    @precondition(lambda self: self.inside is None and self.path.exists())
    @rule(vacuum=st.booleans())
    def close_all(self, vacuum: bool) -> None:
        self._close()
        assert sidecars(self.path) == []
        if vacuum:
            with Database.open(self.path, mode="rw") as database:
                database.connection.execute("VACUUM").fetchall()
        self.stores = [self._store(read_only=False), self._store(read_only=False)]
        self._open_others()


SideBySide.TestCase.settings = settings(max_examples=20, stateful_step_count=25, deadline=None)
TestSideBySide = SideBySide.TestCase
