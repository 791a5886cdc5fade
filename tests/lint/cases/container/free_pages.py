from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [
    fails(
        database(
            {"zarr.json": {"zarr_format": 3, "node_type": "group"}, "big": bytes(100_000)},
            after=("DELETE FROM zarr WHERE k = 'big'",),
        ),
        {"level": "info"},
    )
]

PASSING = [passes(database())]
