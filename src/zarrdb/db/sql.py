"""Every SQL statement of the store, as a named constant with bound parameters.

Names in SQL compare without case, so one spelling serves every file. In the order of SQLite
NULL and numbers come before all texts and BLOBs after them: `k >= '' AND k < x''` are the
text keys.
"""

from typing import Final

# What every connection is told, and the first thing it is asked.
CHECK_CELL_SIZES: Final = "PRAGMA cell_size_check = ON"
LOCK_EXCLUSIVELY: Final = "PRAGMA locking_mode = EXCLUSIVE"
FIRST_READ: Final = "SELECT 1 FROM sqlite_schema LIMIT 1"

# One value. It comes along only while it is small: SQLite copies a large one through its
# cache, several times slower than the incremental blob interface (1 MiB: 850 and 100 us).
# A text is fetched as its bytes instead: it may be no Unicode.
GET: Final = (
    "SELECT CASE WHEN octet_length(v) <= 131072 AND typeof(v) = 'blob' THEN v ELSE 0 END"
    " FROM zarr WHERE k = ?1"
)

LOCATE: Final = "SELECT typeof(v), octet_length(v), rowid FROM zarr WHERE k = ?1"
LOCATE_WITHOUT_ROWID: Final = "SELECT typeof(v), octet_length(v), 0 FROM zarr WHERE k = ?1"
LOCATE_EXACTLY: Final = (
    "SELECT typeof(v), octet_length(v), rowid FROM zarr"
    " WHERE k = CAST(?1 AS TEXT) AND k COLLATE BINARY = CAST(?1 AS TEXT)"
)
LOCATE_EXACTLY_WITHOUT_ROWID: Final = (
    "SELECT typeof(v), octet_length(v), 0 FROM zarr"
    " WHERE k = CAST(?1 AS TEXT) AND k COLLATE BINARY = CAST(?1 AS TEXT)"
)
VALUE: Final = "SELECT v FROM zarr WHERE k = ?1"
VALUE_EXACTLY: Final = (
    "SELECT v FROM zarr WHERE k = CAST(?1 AS TEXT) AND k COLLATE BINARY = CAST(?1 AS TEXT)"
)
TEXT_AS_BYTES: Final = (
    "SELECT CAST(v AS BLOB) FROM zarr"
    " WHERE k = CAST(?1 AS TEXT) AND k COLLATE BINARY = CAST(?1 AS TEXT)"
)

# Keys by pages, in code-point order where an index has them so. A page that holds a text
# which is no Unicode is read again as bytes.
PAGE_FROM: Final = (
    "SELECT k, octet_length(v) FROM zarr WHERE k >= ?1 AND k < ?2 ORDER BY k LIMIT ?3"
)
PAGE_AFTER: Final = (
    "SELECT k, octet_length(v) FROM zarr WHERE k > ?1 AND k < ?2 ORDER BY k LIMIT ?3"
)
TEXTS_FROM: Final = "SELECT k FROM zarr WHERE k >= ?1 AND k < ?2 ORDER BY k LIMIT ?3"
TEXTS_AFTER: Final = "SELECT k FROM zarr WHERE k > ?1 AND k < ?2 ORDER BY k LIMIT ?3"
# A value comes along where it is a metadata document; a key with NUL in it is cut there by
# SQLite's text functions, which only means that its value has to be asked for.
_DOCUMENTS: Final = (
    "SELECT k, octet_length(v), CASE WHEN octet_length(v) <= 65536"
    " AND (substr(k, -7) IN ('.zarray', '.zattrs', '.zgroup')"
    " OR substr(k, -9) = 'zarr.json' OR substr(k, -10) = '.zmetadata') THEN v END FROM zarr"
)
DOCUMENTS_FROM: Final = _DOCUMENTS + " WHERE k >= ?1 AND k < x'' ORDER BY k LIMIT ?2"
DOCUMENTS_AFTER: Final = _DOCUMENTS + " WHERE k > ?1 AND k < x'' ORDER BY k LIMIT ?2"

PAGE_AS_BYTES_FROM: Final = (
    "SELECT CAST(k AS BLOB), octet_length(v) FROM zarr"
    " WHERE k >= CAST(?1 AS TEXT) AND k < ?2 ORDER BY k LIMIT ?3"
)
PAGE_AS_BYTES_AFTER: Final = (
    "SELECT CAST(k AS BLOB), octet_length(v) FROM zarr"
    " WHERE k > CAST(?1 AS TEXT) AND k < ?2 ORDER BY k LIMIT ?3"
)
KEYS_FROM: Final = (
    "SELECT CAST(k AS BLOB) FROM zarr WHERE k >= CAST(?1 AS TEXT) AND k < ?2 ORDER BY k LIMIT ?3"
)
KEYS_AFTER: Final = (
    "SELECT CAST(k AS BLOB) FROM zarr WHERE k > CAST(?1 AS TEXT) AND k < ?2 ORDER BY k LIMIT ?3"
)
ANY_IN_RANGE: Final = "SELECT 1 FROM zarr WHERE k >= ?1 AND k < ?2 LIMIT 1"
ALL_AS_BYTES: Final = (
    "SELECT CAST(k AS BLOB), octet_length(v), typeof(v) FROM zarr NOT INDEXED"
    " WHERE typeof(k) = 'text'"
)

# What does not fit a key and a value.
ODD_ROWS: Final = (
    "SELECT CASE typeof(k) WHEN 'text' THEN CAST(k AS BLOB) ELSE k END, typeof(k), typeof(v)"
    " FROM zarr NOT INDEXED WHERE typeof(k) <> 'text' OR typeof(v) <> 'blob'"
)
# Found at both ends of an index: NULL and numbers sort before all texts, BLOBs after them.
KEYS_OF_OTHER_TYPES: Final = (
    "SELECT k, typeof(k), typeof(v) FROM zarr WHERE k IS NULL UNION ALL"
    " SELECT k, typeof(k), typeof(v) FROM zarr WHERE k < '' UNION ALL"
    " SELECT k, typeof(k), typeof(v) FROM zarr WHERE k >= x'' LIMIT ?1"
)
TEXT_KEYS_AS_BYTES: Final = "SELECT CAST(k AS BLOB) FROM zarr WHERE typeof(k) = 'text'"
REPEATED_KEYS: Final = (
    "SELECT CAST(k AS BLOB), count(*) FROM zarr WHERE typeof(k) = 'text'"
    " GROUP BY k COLLATE BINARY HAVING count(*) > 1"
)

# Changes.
PUT: Final = "INSERT INTO zarr(k, v) VALUES (?1, ?2) ON CONFLICT(k) DO UPDATE SET v = excluded.v"
PUT_NEW: Final = "INSERT INTO zarr(k, v) VALUES (?1, ?2) ON CONFLICT(k) DO NOTHING"
PUT_ZEROS: Final = (
    "INSERT INTO zarr(k, v) VALUES (?1, zeroblob(?2))"
    " ON CONFLICT(k) DO UPDATE SET v = excluded.v RETURNING rowid"
)
DELETE: Final = "DELETE FROM zarr WHERE k = ?1"
DELETE_EXACTLY: Final = "DELETE FROM zarr WHERE k = CAST(?1 AS TEXT)"
DELETE_RANGE: Final = "DELETE FROM zarr WHERE k >= ?1 AND k < ?2"
DELETE_ALL: Final = "DELETE FROM zarr"

BEGIN_READING: Final = "BEGIN"
BEGIN_WRITING: Final = "BEGIN IMMEDIATE"
COMMIT: Final = "COMMIT"
ROLLBACK: Final = "ROLLBACK"
SAVEPOINT: Final = "SAVEPOINT inner"
RELEASE_SAVEPOINT: Final = "RELEASE inner"
ROLLBACK_TO_SAVEPOINT: Final = "ROLLBACK TO inner"

# A new file.
SET_APPLICATION_ID: Final = "PRAGMA application_id = 0x10b50760"
CREATE_METADATA: Final = (
    "CREATE TABLE zarr_sqlitestore_metadata (k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)"
)
CREATE_DATA: Final = "CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL)"

# The schema. `sql` decides what an object is: the other columns can say anything.
OBJECTS: Final = "SELECT name, tbl_name, sql FROM sqlite_schema"
COLUMNS: Final = 'SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?1)'
INDEXES: Final = 'SELECT name, "unique", origin, partial FROM pragma_index_list(?1)'
INDEX_TERMS: Final = "SELECT name, coll FROM pragma_index_xinfo(?1) WHERE key"
ANY_ROW: Final = "SELECT 1 FROM zarr LIMIT 1"
CHECK_ALL: Final = "PRAGMA integrity_check"
CHECK_TABLE: Final = "SELECT * FROM pragma_integrity_check(?1)"

# Metadata records, with texts as their bytes in the file's encoding.
DESCRIBED_RECORDS: Final = (
    "SELECT CASE typeof(k) WHEN 'text' THEN CAST(k AS BLOB) ELSE k END,"
    " CASE typeof(v) WHEN 'text' THEN CAST(v AS BLOB) ELSE v END, typeof(k), typeof(v)"
    " FROM zarr_sqlitestore_metadata WHERE k COLLATE BINARY IN ('sqlitestore_version',"
    " 'compatible_flags', 'incompatible_flags', 'created_by', 'modified_at') LIMIT 1000"
)
OTHER_RECORDS: Final = (
    "SELECT CASE typeof(k) WHEN 'text' THEN CAST(k AS BLOB) ELSE k END,"
    " CASE typeof(v) WHEN 'text' THEN CAST(v AS BLOB) ELSE v END, typeof(k), typeof(v)"
    " FROM zarr_sqlitestore_metadata WHERE k IS NULL OR k COLLATE BINARY NOT IN"
    " ('sqlitestore_version', 'compatible_flags', 'incompatible_flags', 'created_by',"
    " 'modified_at') LIMIT ?1"
)
COUNT_RECORDS: Final = "SELECT count(*) FROM zarr_sqlitestore_metadata"
INSERT_RECORD: Final = "INSERT INTO zarr_sqlitestore_metadata(k, v) VALUES (?1, ?2)"
UPDATE_RECORD: Final = "UPDATE zarr_sqlitestore_metadata SET v = ?2 WHERE k = ?1"

# Where the b-trees of the data table begin; a table without rowids is its own key index.
ROOTS: Final = "SELECT type, rootpage FROM sqlite_schema WHERE lower(tbl_name) = 'zarr'"

DATA_ROOT: Final = (
    "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'zarr' COLLATE NOCASE"
)
