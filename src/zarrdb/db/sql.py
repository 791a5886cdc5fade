"""Every SQL statement of the store, as a named constant with bound parameters.

Names in SQL compare without case, so one spelling serves every file. In text order, numbers
and NULL come before all texts and BLOBs after them: `k >= '' AND k < x''` are the text keys.
"""

from typing import Final

# Reading one value. The value itself comes along only while it is small: SQLite copies a
# large one page by page, several times slower than the incremental blob interface.
GET: Final = (
    "SELECT typeof(v), octet_length(v), CASE WHEN octet_length(v) <= ?2 THEN v END, rowid"
    " FROM zarr WHERE k = ?1"
)
FACTS_OF: Final = "SELECT typeof(v), octet_length(v) FROM zarr WHERE k = ?1"

# Listing by pages.
PAGE_FIRST: Final = (
    "SELECT k, octet_length(v), typeof(v) FROM zarr WHERE k >= ?1 AND k < ?2 ORDER BY k LIMIT ?3"
)
PAGE_NEXT: Final = (
    "SELECT k, octet_length(v), typeof(v) FROM zarr WHERE k > ?1 AND k < ?2 ORDER BY k LIMIT ?3"
)

# Writing.
PUT: Final = "INSERT INTO zarr(k, v) VALUES (?1, ?2) ON CONFLICT(k) DO UPDATE SET v = excluded.v"
PUT_NEW: Final = "INSERT INTO zarr(k, v) VALUES (?1, ?2) ON CONFLICT(k) DO NOTHING"
DELETE: Final = "DELETE FROM zarr WHERE k = ?1"
DELETE_ALL: Final = "DELETE FROM zarr"

BEGIN_READ: Final = "BEGIN"
BEGIN_WRITE: Final = "BEGIN IMMEDIATE"
COMMIT: Final = "COMMIT"
ROLLBACK: Final = "ROLLBACK"

CREATE_METADATA: Final = (
    "CREATE TABLE zarr_sqlitestore_metadata (k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)"
)
CREATE_DATA: Final = "CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL)"
SET_APPLICATION_ID: Final = "PRAGMA application_id = 0x10b50760"
PUT_RECORD: Final = (
    "INSERT INTO zarr_sqlitestore_metadata(k, v) VALUES (?1, ?2)"
    " ON CONFLICT(k) DO UPDATE SET v = excluded.v"
)
RECORDS: Final = "SELECT k, v FROM zarr_sqlitestore_metadata"

# Where the b-trees of the data table begin; a table without rowids is its own key index.
ROOTS: Final = "SELECT type, rootpage FROM sqlite_schema WHERE lower(tbl_name) = 'zarr'"
