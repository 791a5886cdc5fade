"""`zarrdb ls` on a small file against a typer script that does nothing.

    python tests/bench/bench_startup.py [--rounds 31]

Alternating runs on this interpreter; medians. Exits with 1 past the bound.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sidebyside import alternate, bound, ratio, show

BOUND = 1.25

NOTHING = """\
import typer
app = typer.Typer()
@app.command()
def main(file: str) -> None:
    pass
app()
"""


# Both are compiled, as they are once installed.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def run(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=31)
    rounds = parser.parse_args().rounds
    zarrdb = str(Path(sys.executable).with_name("zarrdb"))
    with tempfile.TemporaryDirectory() as folder:
        file, script = str(Path(folder, "new.zarrdb")), Path(folder, "nothing.py")
        script.write_text(NOTHING, encoding="utf-8")
        run([zarrdb, "init", file])
        timings = alternate(
            {
                "nothing": lambda: run([sys.executable, str(script), file]),
                "ls": lambda: run([zarrdb, "ls", file]),
            },
            rounds=rounds,
        )
    show("start-up", timings, base="nothing")
    slower = ratio(timings, "ls", "nothing")
    wanted = "x the time of a typer script that does nothing"
    return 0 if bound("ls of a small file", slower, wanted, at_most=BOUND) else 1


if __name__ == "__main__":
    sys.exit(main())
