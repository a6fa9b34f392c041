"""Where does the exon end? The same as `seamark demo`, whose source is `seamark.cli`."""

import sys

from seamark.cli import main

if __name__ == "__main__":
    sys.exit(main(["demo", *sys.argv[1:]]))
