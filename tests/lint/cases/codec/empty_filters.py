from helpers_lint import array2, fails, passes

FAILING = [
    fails(
        {".zarray": array2(filters=[])},
        {"pointer": "/filters", "level": "info", "fixable": True},
    )
]

PASSING = [passes({".zarray": array2(filters=None)})]
