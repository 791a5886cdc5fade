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

ROOT_OF_ROWS: Final = "SELECT rootpage FROM new.sqlite_schema WHERE name = 'zarr'"
BUILD_KEY_INDEX: Final = "REINDEX new.zarr"
PUT_RECORD: Final = "INSERT OR REPLACE INTO new.zarr_sqlitestore_metadata(k, v) VALUES (?1, ?2)"

# An index of keys alone, to learn how many pages the key index will take.
CREATE_KEYS: Final = "CREATE TABLE keys (k TEXT NOT NULL)"
ADD_KEY: Final = "INSERT INTO keys VALUES (?1)"
INDEX_KEYS: Final = "CREATE INDEX key_index ON keys(k)"

# Sorting more entries than memory should hold.
CREATE_RANKED: Final = "CREATE TABLE ranked (rank TEXT, key TEXT, size INTEGER, source INTEGER)"
ADD_RANKED: Final = "INSERT INTO ranked VALUES (?1, ?2, ?3, ?4)"
RANKED: Final = "SELECT rank, key, size, source FROM ranked ORDER BY rank, key, source"
