from helpers_lint import GROUP2, fails, passes

FAILING = [
    fails({}),
    fails({"a/b": b"x"}),
    fails({".zattrs": {}}, also=("hierarchy/attributes-without-node",)),
]

PASSING = [passes({".zgroup": GROUP2})]
