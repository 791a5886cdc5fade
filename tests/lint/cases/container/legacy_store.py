from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [
    fails(
        database(
            {".zgroup": {"zarr_format": 2}},
            schema=("CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)",),
            records=(),
            application_id=0,
        ),
        {"level": "info"},
        also=(
            "container/wrong-application-id",
            "container/missing-table",
            "container/loose-schema",
        ),
    )
]

PASSING = [passes(database())]
