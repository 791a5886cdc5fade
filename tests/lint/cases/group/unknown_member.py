from helpers_lint import GROUP2, fails, group3, passes

FAILING = [
    fails({".zgroup": {**GROUP2, "extra": 1}}, {"pointer": "/extra"}),
    fails({".zgroup": {**GROUP2, "attributes": {}}}, {"pointer": "/attributes"}),
]

FAILING += [
    fails({"zarr.json": group3(extra={"a": 1})}, {"pointer": "/extra"}),
]

PASSING = [
    passes({".zgroup": GROUP2, ".zattrs": {"extra": 1}}),
    passes({".zgroup": {**GROUP2, "_NCZARR_GROUP": {}, "_nczarr_superblock": {}}}),
]

PASSING += [
    passes({"zarr.json": group3(extra={"must_understand": False})}),
]
