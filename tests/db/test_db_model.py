"""A database against a dictionary, in every encoding, and odd tables against a list of rows."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from helpers_db import SCHEMA, make_database
from zarrdb.db import Database
from zarrdb.errors import InvalidKeyError, SchemaError
from zarrdb.keys import Child, Entry, is_valid

# Few characters, so that keys meet: around `/`, NUL, both sides of the surrogates, the
# characters that UTF-16 databases fold, and some whose little-endian bytes look like a slash.
CHARACTERS = "ab/.-0\0é\u0301\u012f\u302f\uff2f\ud7ff\ue000\ufffd\U00010000\U0010ffff"
KEYS = st.text(CHARACTERS, max_size=6)
ANY_KEYS = st.one_of(KEYS, st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
VALUES = st.one_of(
    st.binary(max_size=40), st.sampled_from([0, 5_000, 140_000]).map(lambda size: b"x" * size)
)


def children_of(keys: dict[str, bytes], prefix: str) -> list[Child]:
    """What `children` has to give, in the simplest words."""
    rests = [key[len(prefix) :] for key in keys if key.startswith(prefix)]
    names = {rest.partition("/")[0] for rest in rests}
    return [
        Child(name, name in rests, any(rest.startswith(name + "/") for rest in rests))
        for name in sorted(names)
    ]


class AgainstDictionary(RuleBasedStateMachine):
    """Any changes in any order leave what they leave in a dictionary."""

    encoding = "UTF-8"
    schema: tuple[str, ...] = SCHEMA

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.model: dict[str, bytes] = {}

    @initialize()
    def open(self) -> None:
        path = make_database(
            Path(self.folder.name) / "x.zarrdb", schema=self.schema, encoding=self.encoding
        )
        self.database = Database.open(path, mode="rw")

    def teardown(self) -> None:
        self.database.close()
        self.folder.cleanup()

    def _writable(self, key: str) -> bool:
        if self.encoding != "UTF-8" and set(key) & {"\ufffe", "\uffff"}:
            return False
        return is_valid(key)

    @rule(key=ANY_KEYS, value=VALUES)
    def set(self, key: str, value: bytes) -> None:
        if self._writable(key):
            self.database.set(key, value)
            self.model[key] = value
        else:
            with pytest.raises(InvalidKeyError):
                self.database.set(key, value)

    @rule(key=KEYS, value=VALUES)
    def set_if_not_exists(self, key: str, value: bytes) -> None:
        if self._writable(key):
            assert self.database.set_if_not_exists(key, value) == (key not in self.model)
            self.model.setdefault(key, value)

    @rule(items=st.dictionaries(KEYS.filter(is_valid), VALUES, max_size=5))
    def set_many(self, items: dict[str, bytes]) -> None:
        self.database.set_many(items.items())
        self.model.update(items)

    @rule(key=KEYS.filter(is_valid), value=VALUES, size=st.integers(1, 3000))
    def set_stream(self, key: str, value: bytes, size: int) -> None:
        pieces = (value[start : start + size] for start in range(0, len(value), size))
        self.database.set_stream(key, len(value), pieces)
        self.model[key] = value

    @rule(data=st.data(), patch=st.binary(max_size=10))
    def set_ranges(self, data: st.DataObject, patch: bytes) -> None:
        fitting = sorted(key for key, value in self.model.items() if len(value) >= len(patch))
        if not fitting:
            return
        key = data.draw(st.sampled_from(fitting))
        offset = data.draw(st.integers(0, len(self.model[key]) - len(patch)))
        self.database.set_ranges(key, [(offset, patch)])
        value = bytearray(self.model[key])
        value[offset : offset + len(patch)] = patch
        self.model[key] = bytes(value)

    @rule(key=ANY_KEYS)
    def delete(self, key: str) -> None:
        assert self.database.delete(key) == (self.model.pop(key, None) is not None)

    @rule(prefix=KEYS)
    def delete_prefix(self, prefix: str) -> None:
        gone = [key for key in self.model if key.startswith(prefix)]
        assert self.database.delete_prefix(prefix) == len(gone)
        for key in gone:
            del self.model[key]

    @rule(items=st.dictionaries(KEYS.filter(is_valid), VALUES, max_size=3), fails=st.booleans())
    def transaction(self, items: dict[str, bytes], fails: bool) -> None:
        try:
            with self.database.transaction():
                for key, value in items.items():
                    self.database.set(key, value)
                    assert self.database.get(key) == value
                if fails:
                    raise TimeoutError
        except TimeoutError:
            return
        self.model.update(items)

    @rule(key=ANY_KEYS)
    def get(self, key: str) -> None:
        value = self.model.get(key)
        assert self.database.get(key) == value
        assert self.database.exists(key) == (value is not None)
        assert self.database.size(key) == (None if value is None else len(value))

    @rule(key=KEYS, offset=st.integers(-20, 20), length=st.none() | st.integers(0, 30))
    def get_range(self, key: str, offset: int, length: int | None) -> None:
        value = self.model.get(key)
        found = self.database.get_range(key, offset, length)
        if value is None:
            assert found is None
            return
        start = max(0, len(value) + offset) if offset < 0 else offset
        assert found == (value[start:] if length is None else value[start : start + length])
        buffer = bytearray(15)
        count = self.database.read_into(key, buffer, offset)
        assert count is not None
        assert buffer[:count] == value[start : start + 15]

    @rule(prefix=KEYS, after=st.none() | KEYS)
    def entries(self, prefix: str, after: str | None) -> None:
        assert list(self.database.entries(prefix, after)) == [
            Entry(key, len(value))
            for key, value in sorted(self.model.items())
            if key.startswith(prefix) and (after is None or key > after)
        ]

    @rule(prefix=KEYS.map(lambda key: key and key + "/"))
    def children(self, prefix: str) -> None:
        assert list(self.database.children(prefix)) == children_of(self.model, prefix)

    @invariant()
    def lists_the_same_keys(self) -> None:
        assert list(self.database.list()) == sorted(self.model)
        assert list(self.database.children()) == children_of(self.model, "")


class InUtf16Little(AgainstDictionary):
    encoding = "UTF-16le"


class InUtf16Big(AgainstDictionary):
    encoding = "UTF-16be"


class WithoutRowid(AgainstDictionary):
    schema = (
        SCHEMA[0],
        "CREATE TABLE zarr (v BLOB NOT NULL, k TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID",
        *SCHEMA[2:],
    )


class WithIndexOnValues(AgainstDictionary):
    schema = (*SCHEMA, "CREATE INDEX extra ON zarr(v, k)")


class UniqueInUpperCase(AgainstDictionary):
    schema = (SCHEMA[0], 'CREATE TABLE "ZARR" (V BLOB, K TEXT UNIQUE)', *SCHEMA[2:])


_SETTINGS = settings(max_examples=12, stateful_step_count=25)
for _machine in (
    AgainstDictionary,
    InUtf16Little,
    InUtf16Big,
    WithoutRowid,
    WithIndexOnValues,
    UniqueInUpperCase,
):
    _machine.TestCase.settings = _SETTINGS

TestUtf8 = AgainstDictionary.TestCase
TestUtf16Little = InUtf16Little.TestCase
TestUtf16Big = InUtf16Big.TestCase
TestWithoutRowid = WithoutRowid.TestCase
TestIndexOnValues = WithIndexOnValues.TestCase
TestUpperCase = UniqueInUpperCase.TestCase


KEY_COLUMNS = (
    "k TEXT COLLATE NOCASE PRIMARY KEY NOT NULL",
    "k TEXT COLLATE RTRIM PRIMARY KEY NOT NULL",
    "k TEXT NOT NULL",
    "k TEXT",
    "k",
    "k TEXT PRIMARY KEY DESC",
    "k VARCHAR(9) UNIQUE",
)
STORED_KEYS = st.one_of(KEYS, st.none(), st.integers(-5, 5), st.floats(0, 1), st.binary(max_size=4))
STORED_VALUES = st.one_of(
    st.binary(max_size=9), st.text(CHARACTERS, max_size=4), st.none(), st.integers(0, 9)
)


@contextmanager
def odd_database(
    rows: list[tuple[object, object]], column: str, encoding: str
) -> Iterator[tuple[Database, list[tuple[object, object]]]]:
    """A database with the rows that the table takes, and those rows."""
    with tempfile.TemporaryDirectory() as folder:
        schema = (SCHEMA[0], f"CREATE TABLE zarr ({column}, v)", *SCHEMA[2:])
        path = Path(folder) / "x.zarrdb"
        make_database(path, schema=schema, encoding=encoding, keys=rows, skip_refused=True)
        with Database.open(path) as database:
            stored = database.connection.execute("SELECT k, v FROM zarr")
            yield database, [(key, value) for key, value in stored.fetchall()]


@given(
    rows=st.lists(st.tuples(STORED_KEYS, STORED_VALUES), max_size=12),
    column=st.sampled_from(KEY_COLUMNS),
    encoding=st.sampled_from(["UTF-8", "UTF-16le", "UTF-16be"]),
)
@settings(max_examples=120)
def test_odd_tables_are_read_right(
    rows: list[tuple[object, object]], column: str, encoding: str
) -> None:
    with odd_database(rows, column, encoding) as (database, stored):
        texts: dict[str, list[object]] = {}
        for key, value in stored:
            if isinstance(key, str):
                texts.setdefault(key, []).append(value)
        assert list(database.list()) == sorted(texts)
        remarks = {(remark.kind, remark.key) for remark in database.remarks()}
        for key, values in texts.items():
            if len(values) > 1:
                with pytest.raises(SchemaError, match="more than once"):
                    database.get(key)
            elif isinstance(values[0], bytes):
                assert database.get(key) == values[0]
                assert database.size(key) == len(values[0])
            elif isinstance(values[0], str):
                assert database.get(key) == values[0].encode()
                assert database.size(key) == len(values[0].encode())
                assert "text-value" in {kind for kind, _ in remarks}
            else:
                with pytest.raises(SchemaError, match="not a BLOB"):
                    database.get(key)
                assert database.exists(key)
        assert dict(database.entries()) == {key: database.size(key) or 0 for key in texts}
        for other in ("A", "a ", "missing", "\ufffd", "\uffff"):
            assert other in texts or database.get(other) is None
