from helpers_lint import fails, passes
from helpers_lint_files import database

FAILING = [
    fails(database(more=[("modified_at", text)]), {"fixable": True})
    for text in (
        "2024-02-29t00:00:00Z",
        "2024-02-29 00:00:00Z",
        "2023-02-29T00:00:00Z",
        "2024-02-29",
        "2024-02-29T00:00:00",
        "20240229T000000Z",
        "yesterday",
        "",
    )
]

PASSING = [
    passes(database(more=[("modified_at", text)]))
    for text in ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.123456789Z")
]
