"""The SQL of writing a whole new file, as named constants with bound parameters.

The new file is attached as `new` to a database in memory.
"""

from typing import Final

ATTACH_NEW: Final = "ATTACH ?1 AS new"

CREATE: Final = (
    "CREATE TABLE new.zarr_sqlitestore_metadata (k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)",
    "CREATE TABLE new.zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL)",
)

ROOTS: Final = "SELECT name, rootpage FROM new.sqlite_schema"
BUILD_KEY_INDEX: Final = "REINDEX new.zarr"
PUT_RECORD: Final = "INSERT OR REPLACE INTO new.zarr_sqlitestore_metadata(k, v) VALUES (?1, ?2)"

# Sorting more entries than memory should hold.
CREATE_RANKED: Final = "CREATE TABLE ranked (rank TEXT, key TEXT, size INTEGER, source INTEGER)"
ADD_RANKED: Final = "INSERT INTO ranked VALUES (?1, ?2, ?3, ?4)"
RANKED: Final = "SELECT rank, key, size, source FROM ranked ORDER BY rank, key, source"
