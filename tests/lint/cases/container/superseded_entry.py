import warnings
import zipfile
from collections.abc import Iterable

from helpers_lint import GROUP3, encoded, fails, passes
from helpers_lint_files import Writer


def zipped(names: Iterable[str]) -> Writer:
    def write(folder: str) -> str:
        path = f"{folder}/x.zip"
        with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as file:
            warnings.simplefilter("ignore")
            for name in names:
                file.writestr(name, encoded(GROUP3))
        return path

    return write


FAILING = [fails(zipped(["zarr.json", "a/zarr.json", "zarr.json", "zarr.json"]), {"count": 1})]

PASSING = [passes(zipped(["zarr.json", "a/zarr.json"]))]
