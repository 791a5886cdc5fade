from helpers_lint import GROUP2, fails, passes

FAILING = [
    fails({".zgroup": {**GROUP2, "extra": 1}}, {"pointer": "/extra"}),
    fails({".zgroup": {**GROUP2, "attributes": {}}}, {"pointer": "/attributes"}),
]

PASSING = [passes({".zgroup": GROUP2, ".zattrs": {"extra": 1}})]
