"""Small tables, and commands run in this process."""

import csv
import io

from seamark.cli import main

NAMES = ["Anna", "Hanna", "Johanna", "Susanna", "Rosanna", "Otto", "Ottokar", "Lotto", "Botto"] * 3
SEX = ["f", "f", "f", "f", "f", "m", "m", "m", "m"] * 3


def write_csv(path, columns):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def run(*argv):
    return main([str(one) for one in argv])
