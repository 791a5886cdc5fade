"""`zarrdb ls` on a small file against a typer script that does nothing.

    python tests/bench/bench_startup.py [RUNS]

Alternating runs on this interpreter; medians. Exits with 1 past the bound.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
    return time.perf_counter() - start


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 31
    zarrdb = str(Path(sys.executable).with_name("zarrdb"))
    with tempfile.TemporaryDirectory() as folder:
        file, script = str(Path(folder, "new.zarrdb")), Path(folder, "nothing.py")
        script.write_text(NOTHING, encoding="utf-8")
        subprocess.run([zarrdb, "init", file], stdout=subprocess.DEVNULL, check=True)
        commands = {"nothing": [sys.executable, str(script), file], "ls": [zarrdb, "ls", file]}
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for command in commands.values():
            seconds(command)
        for _ in range(runs):
            for name, command in commands.items():
                taken[name].append(seconds(command))
    medians = {name: statistics.median(values) for name, values in taken.items()}
    ratio = medians["ls"] / medians["nothing"]
    for name, median in medians.items():
        print(f"{name:8} {median * 1000:6.1f} ms")
    print(f"ratio    {ratio:6.2f}   (at most {BOUND})")
    return 0 if ratio <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
