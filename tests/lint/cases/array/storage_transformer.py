from helpers_lint import array3, fails, passes

FAILING = [
    fails(
        {"zarr.json": array3(storage_transformers=[{"name": "something", "configuration": {}}])},
        {"pointer": "/storage_transformers"},
    )
]

PASSING = [passes({"zarr.json": array3(storage_transformers=[])}), passes({"zarr.json": array3()})]
