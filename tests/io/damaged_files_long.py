"""The long form of the test of damaged files: ``python tests/io/damaged_files_long.py 20000``.

Prints every mutation that raises anything but an error of greedag; ends with status 1 if there was
any.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

from helpers.mutations import DamagedFiles, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mutations", type=int, help="of each file")
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        files = DamagedFiles(Path(folder))
        seeds = range(arguments.first, arguments.first + arguments.mutations)
        for name, seed, error in failures(files, seeds):
            count += 1
            print(f"{name}, seed {seed}: {error!r}", flush=True)
        print(f"{len(files.valid)} kinds of files, {len(seeds)} mutations each: {count} wrong")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
