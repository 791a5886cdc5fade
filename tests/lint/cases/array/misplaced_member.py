from helpers_lint import array2, fails, passes

FAILING = [fails({".zarray": array2(attributes={"a": 1})}, {"pointer": "/attributes"})]

PASSING = [passes({".zarray": array2(), ".zattrs": {"a": 1}})]
