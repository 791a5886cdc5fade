"""The SQL of writing a whole new file, as named constants with bound parameters.

The new file is attached as `new` to a database in memory; a file that is rewritten is
attached as `old`.
"""

from typing import Final

ATTACH_NEW: Final = "ATTACH ?1 AS new"
ATTACH_OLD: Final = "ATTACH ?1 AS old"

CREATE: Final = (
    "CREATE TABLE new.zarr_sqlitestore_metadata (k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)",
    "CREATE TABLE new.zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL)",
)

# The key index stands aside while rows are written, with its root page kept for it.
KEY_INDEX_ROOT: Final = (
    "SELECT rootpage FROM new.sqlite_schema WHERE type = 'index' AND tbl_name = 'zarr'"
)
HIDE_KEY_INDEX: Final = "DELETE FROM new.sqlite_schema WHERE type = 'index' AND tbl_name = 'zarr'"
HIDE_KEY: Final = (
    "UPDATE new.sqlite_schema SET sql = 'CREATE TABLE zarr (k TEXT NOT NULL, v BLOB NOT NULL)'"
    " WHERE name = 'zarr'"
)
SHOW_KEY: Final = (
    "UPDATE new.sqlite_schema"
    " SET sql = 'CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL)'"
    " WHERE name = 'zarr'"
)
SHOW_KEY_INDEX: Final = (
    "INSERT INTO new.sqlite_schema(type, name, tbl_name, rootpage, sql)"
    " VALUES ('index', 'sqlite_autoindex_zarr_1', 'zarr', ?1, NULL)"
)
BUILD_KEY_INDEX: Final = "REINDEX new.zarr"

INSERT: Final = "INSERT INTO new.zarr(k, v) VALUES (?1, ?2)"
INSERT_ZEROS: Final = "INSERT INTO new.zarr(k, v) VALUES (?1, zeroblob(?2))"
PUT_RECORD: Final = "INSERT OR REPLACE INTO new.zarr_sqlitestore_metadata(k, v) VALUES (?1, ?2)"

# Pages for the key index, kept free until the rows are there.
CREATE_RESERVED: Final = "CREATE TABLE new.reserved (v BLOB)"
FILL_RESERVED: Final = "INSERT INTO new.reserved VALUES (zeroblob(?1))"
DROP_RESERVED: Final = "DROP TABLE IF EXISTS new.reserved"
CREATE_KEYS: Final = "CREATE TABLE keys (k TEXT NOT NULL)"
ADD_KEY: Final = "INSERT INTO keys VALUES (?1)"
INDEX_KEYS: Final = "CREATE INDEX key_index ON keys(k)"

# Sorting more entries than memory should hold.
CREATE_RANKED: Final = "CREATE TABLE ranked (rank TEXT, key TEXT, size INTEGER, source INTEGER)"
ADD_RANKED: Final = "INSERT INTO ranked VALUES (?1, ?2, ?3, ?4)"
RANKED: Final = "SELECT rank, key, size, source FROM ranked ORDER BY rank, key, source"
