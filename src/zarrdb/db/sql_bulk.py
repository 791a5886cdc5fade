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

# Comparing a new file with the one that it was made from. Rows that differ are those that the
# old file does not have with the same value; values longer than ?3 are compared elsewhere.
COUNT_BOTH: Final = "SELECT (SELECT count(*) FROM main.zarr), (SELECT count(*) FROM new.zarr)"
DIFFERENT_ROWS: Final = (
    "SELECT n.k FROM new.zarr AS n LEFT JOIN main.zarr AS o ON o.k = n.k"
    " WHERE n.rowid BETWEEN ?1 AND ?2"
    " AND (octet_length(o.v) IS NOT octet_length(n.v)"
    " OR (octet_length(n.v) <= ?3 AND CAST(o.v AS BLOB) IS NOT n.v))"
)
LARGE_ROWS: Final = "SELECT k FROM new.zarr WHERE octet_length(v) > ?1"
