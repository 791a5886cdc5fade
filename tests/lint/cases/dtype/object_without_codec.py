from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(dtype="|O", filters=filters, fill_value=None)}, {"pointer": "/dtype"})
    for filters in (None, [], [{"id": "shuffle"}])
]

PASSING = [
    passes({".zarray": array2(dtype="|O", filters=[{"id": name}], fill_value=None)})
    for name in ("vlen-utf8", "json2", "something-else")
]
