from helpers_lint import GROUP3, fails, group3, passes

FAILING = [
    fails(
        {"zarr.json": group3(consolidated_metadata=None)},
        {"pointer": "/consolidated_metadata", "level": "warning", "fixable": True},
    )
]

PASSING = [passes({"zarr.json": GROUP3})]
