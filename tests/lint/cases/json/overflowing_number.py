from helpers_lint import GROUP2, array2, array3, fails, passes, spelt

FAILING = [
    fails({".zgroup": GROUP2, ".zattrs": b'{"a": 1e999}'}, {"pointer": "/a", "column": 7}),
    fails({".zgroup": GROUP2, ".zattrs": b'{"a": 1' + b"0" * 5000 + b"}"}, {"pointer": "/a"}),
]

FAILING += [
    fails({".zarray": spelt(array2(fill_value="@", dtype="<f8"), "1e999")}, {"column": 99}),
    fails(
        {"zarr.json": spelt(array3(shape=[-1], attributes={"a": "@"}), "1e999")},
        also=("array/invalid-shape",),
    ),
]

PASSING = [passes({".zgroup": GROUP2, ".zattrs": b'{"a": 1e308, "b": 1' + b"0" * 400 + b"}"})]
