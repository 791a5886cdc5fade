from helpers_lint import fails, passes
from helpers_lint_files import DATA, database

ALL = {"sqlitestore_version": "1.0", "compatible_flags": "", "incompatible_flags": ""}
LOOSE = "CREATE TABLE zarr_sqlitestore_metadata(k TEXT, v TEXT)"


def without(name: str) -> list[tuple[str, object]]:
    return [(key, value) for key, value in ALL.items() if key != name]


FAILING = [
    *(fails(database(records=without(name))) for name in ALL),
    fails(database(records=[*without("compatible_flags"), ("compatible_flags", b"")])),
    fails(
        database(schema=(LOOSE, DATA), records=[*ALL.items(), ("sqlitestore_version", "2.0")]),
        also=("container/loose-schema",),
    ),
]

PASSING = [passes(database())]
