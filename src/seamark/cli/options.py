"""Options of all commands."""

from __future__ import annotations

import argparse
import csv
import json
from typing import Any, NoReturn

from ..plotting import visible
from .tables import STANDARD


def names(text: str) -> list[str]:
    """Names between commas, as in a CSV file: a name with a comma stands in quotes."""
    found = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [""])]
    if "" in found:
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name")
    return found


def mark(text: str) -> str:
    """Return what stands between labels, as it is; a space will do, nothing will not."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty")
    return text


def count(text: str) -> int:
    """A whole number from 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1; got {text!r}")
    return int(text)


def share(text: str) -> float:
    """Read a number between 0 and 1."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < 1:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1; got {text!r}")
    return found


def limit(text: str) -> tuple[str | None, float]:
    """Read a limit, perhaps of a column, whose name stands before the last equals sign."""
    name, equals, number = text.rpartition("=")
    try:
        return name if equals else None, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither LIMIT nor NAME=LIMIT") from None


def seed(text: str) -> int:
    """A whole number that numpy takes for a seed."""
    if not text.isascii() or not text.isdigit() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 2^32 - 1; got {text!r}")
    return int(text)


def pair(text: str) -> tuple[str, Any]:
    """A parameter and its value: JSON, or else text."""
    key, equals, value = text.partition("=")
    if not equals or not key.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form KEY=VALUE")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


class Several(argparse.Action):
    """Keep the columns that are named, as `const` says; the first of them by itself, too."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Keep one more."""
        found = [*(getattr(namespace, str(self.const), None) or []), values]
        setattr(namespace, str(self.const), found)
        setattr(namespace, self.dest, found[0])


# The options of each command.


EXAMPLES = {
    "demo": "--html report.html",
    "assess": "names.csv --target sex --column name --html report.html",
    "fit": "names.csv --target sex --column name -o names.seamark",
    "predict": "names.seamark new.csv -o out.csv --proba",
    "evaluate": "names.seamark test.csv --html scores.html",
    "explain": "names.seamark new.csv --rows 2",
    "describe": "names.seamark",
    "dedupe": "names.csv --column name --within 2 -o pairs.csv",
    "link": "names.csv new.csv --column name --within 2 -o pairs.csv",
    "outliers": "names.csv --column name -o far.csv",
    "measures": "levenshtein",
    "completion": "bash >> ~/.bashrc",
}
"""One for each command, shown below its options."""


class Parser(argparse.ArgumentParser):
    """A parser whose messages contain no terminal control codes."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the options, and stop."""
        super().error(visible(message))


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    from importlib.metadata import version

    top = Parser(
        prog="seamark",
        description="Learning from any similarity or distance between any objects.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"seamark {version('seamark')}")
    commands = top.add_subparsers(dest="command", metavar="command", required=True)
    learning = (_demo, _assess, _fit, _predict, _evaluate, _explain, _describe)
    for add in (*learning, _dedupe, _link, _outliers, _measures, _completion):
        add(commands)
    return top


def _command(commands: Any, name: str, summary: str, *parents: Any) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example: seamark {name} {EXAMPLES[name]}".rstrip(),
        parents=[*parents, _saying()],
        allow_abbrev=False,
    )
    return made


def _demo(commands: Any) -> None:
    demo = _command(commands, "demo", "learn from DNA strings, and write a report page")
    demo.add_argument("--html", metavar="FILE", help="where to write it (default: a new folder)")
    _force(demo)


def _assess(commands: Any) -> None:
    summary = "say whether a measure, or each column of a table, suits a task"
    assess = _command(commands, "assess", summary, _reading(), _learning(), _comparing())
    assess.add_argument("--html", metavar="FILE", help="write a report page")
    assess.add_argument("--budget", type=count, default=1_000_000, help="most values to compute")
    _force(assess)


def _fit(commands: Any) -> None:
    summary = "fit a model, and save it"
    fit = _command(commands, "fit", summary, _reading(), _learning(), _comparing())
    fit.add_argument("--landmarks", type=count, metavar="N", help="how many (default: up to 1000)")
    fit.add_argument(
        "--effort",
        choices=["quick", "default", "best"],
        default="default",
        help="without --measure: how much to try (default: default)",
    )
    fit.add_argument(
        "--class-weight",
        choices=["balanced", "none"],
        default="none",
        help="balanced: rare classes count as much as common ones (default: none)",
    )
    fit.add_argument(
        "--checkpoint", metavar="FOLDER", help="long files: where a stopped fit can be resumed"
    )
    fit.add_argument("--html", metavar="FILE", help="write a page about the model")
    fit.add_argument("-o", "--output", required=True, metavar="FILE", help="the saved model")
    _force(fit)


def _predict(commands: Any) -> None:
    predict = _command(commands, "predict", "predict with a saved model", _reading(model=True))
    predict.add_argument("--proba", action="store_true", help="add the probability of each class")
    predict.add_argument(
        "--coverage",
        type=share,
        metavar="SHARE",
        help="add intervals, or sets of classes, that hold this share of true values, e.g. 0.9",
    )
    _calibration(predict, "let the coverage hold in each group; needs --calibration")
    predict.add_argument(
        "--novelty", action="store_true", help="add how unlike all landmarks each object is"
    )
    predict.add_argument("--name", default="prediction", help="what to call the new column")
    _delivery(predict)


def _evaluate(commands: Any) -> None:
    summary = "say how good a saved model is on rows whose targets are known"
    evaluate = _command(commands, "evaluate", summary, _reading(model=True))
    evaluate.add_argument(
        "--target",
        action=Several,
        const="targets",
        help="the column of the true values (default: that of fit)",
    )
    evaluate.add_argument("--separator", type=mark, help="what separates several labels in a cell")
    evaluate.add_argument("--query", help="the column of queries, for ranking")
    _drop_missing(evaluate)
    evaluate.add_argument(
        "--coverage",
        type=share,
        metavar="SHARE",
        default=0.9,
        help="of the intervals, or sets of classes, that are checked (default: 0.9)",
    )
    _calibration(evaluate, "say how often it holds in each group; see predict --groups")
    evaluate.add_argument("--html", metavar="FILE", help="write a page")
    _force(evaluate)


def _calibration(command: argparse.ArgumentParser, groups: str) -> None:
    command.add_argument(
        "--by-class",
        action="store_true",
        help="sets of classes: let the coverage hold in each class, rare ones too",
    )
    command.add_argument("--groups", metavar="COLUMN", help=groups)
    command.add_argument(
        "--calibration",
        metavar="FILE",
        help="rows with targets that fit has not seen, by which coverage is calibrated",
    )


def _drop_missing(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--drop-missing-target",
        action="store_true",
        help="leave out rows whose target is missing, and say how many",
    )


def _explain(commands: Any) -> None:
    summary = "say why a saved model predicts what it does"
    explain = _command(commands, "explain", summary, _reading(model=True))
    explain.add_argument("--rows", type=count, default=5, metavar="N", help="rows to explain")
    explain.add_argument(
        "--landmarks", type=count, default=5, metavar="N", help="how many per row (default: 5)"
    )
    explain.add_argument("--target", metavar="CLASS", help="explain this class, not the predicted")


def _describe(commands: Any) -> None:
    summary = "say what a saved model looks at, its prototypes and what it confuses"
    describe = _command(commands, "describe", summary)
    describe.add_argument(
        "model", help="a saved model; it names rows by their number in fit, from 0"
    )
    describe.add_argument(
        "--prototypes", type=count, default=3, metavar="N", help="how many per class (default: 3)"
    )


def _completion(commands: Any) -> None:
    summary = "print a script that lets a shell complete commands and options"
    completion = _command(commands, "completion", summary)
    completion.add_argument("shell", choices=["bash", "zsh", "fish"])


def _dedupe(commands: Any) -> None:
    summary = "find all pairs of rows within a distance, and their groups"
    dedupe = _command(commands, "dedupe", summary, _reading(), _comparing())
    _pairs(dedupe)
    dedupe.add_argument(
        "--groups", action="store_true", help="write all rows, with a new column 'group'"
    )


def _link(commands: Any) -> None:
    summary = "find all pairs of a row of one table and one of another within a distance"
    link = _command(commands, "link", summary, _reading(), _comparing())
    link.add_argument("other", help="the table to link with")
    link.add_argument("--other-column", metavar="NAME", help="its column, if the name differs")
    _pairs(link)


def _outliers(commands: Any) -> None:
    summary = "say how far every row is from its nearest others"
    outliers = _command(commands, "outliers", summary, _reading(), _comparing())
    outliers.add_argument(
        "--neighbours", type=count, default=5, metavar="K", help="how many count (default: 5)"
    )
    outliers.add_argument("--name", default="outlier", help="what to call the new column")
    _delivery(outliers)


def _pairs(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--within",
        type=limit,
        action="append",
        required=True,
        metavar="LIMIT",
        help="largest distance, or smallest similarity; of several columns NAME=LIMIT for each",
    )
    command.add_argument(
        "--max-pairs", type=count, default=10_000_000, metavar="N", help="stop if there are more"
    )
    _delivery(command)


def _delivery(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-o", "--output", default=STANDARD, metavar="FILE", help="CSV, TSV or JSON lines, or -"
    )
    command.add_argument(
        "--raw", action="store_true", help="write cells unchanged, even spreadsheet formulas"
    )
    _force(command)


def _measures(commands: Any) -> None:
    measures = _command(commands, "measures", "list the measures, or describe one")
    measures.add_argument("name", nargs="?", help="one measure, to see its parameters")


def _saying() -> argparse.ArgumentParser:
    group = argparse.ArgumentParser(add_help=False)
    group.add_argument("--json", action="store_true", help="print JSON, for other programs to read")
    group.add_argument("--quiet", action="store_true", help="no progress, notes or warnings")
    group.add_argument("--debug", action="store_true", help="show where an error came from")
    return group


def _reading(*, model: bool = False) -> argparse.ArgumentParser:
    group = argparse.ArgumentParser(add_help=False)
    if model:
        group.add_argument("model", help="a saved model")
    group.add_argument(
        "data",
        help="CSV, TSV, JSON lines or Parquet, or - for standard input; rows are named by their "
        "line in it: the header of CSV is line 1",
    )
    group.add_argument(
        "--column",
        action=Several,
        const="named",
        metavar="NAME[:MEASURE]",
        help="the column of strings; several: a table of columns of any kind",
    )
    group.add_argument(
        "--all-columns", action="store_true", help="compare all columns, each by what it holds"
    )
    group.add_argument(
        "--columns", type=names, metavar="A,B,…", help="numeric columns, for vectors"
    )
    group.add_argument("--id", help="long format: which series or set a row belongs to")
    group.add_argument("--time", help="long format: the column that orders the steps")
    group.add_argument("--value", type=names, metavar="A,B,…", help="long format: the values")
    group.add_argument(
        "--format", choices=["csv", "tsv", "jsonl", "parquet"], help="default: from the file name"
    )
    group.add_argument("--delimiter", help="what separates CSV fields: one character, or tab")
    group.add_argument("--encoding", default="utf-8", help="of the file's text (default: utf-8)")
    group.add_argument(
        "--device",
        choices=["cpu", "cuda"],
        default="cpu",
        help="cuda: one NVIDIA GPU, through CuPy (default: cpu)",
    )
    return group


def _learning() -> argparse.ArgumentParser:
    group = argparse.ArgumentParser(add_help=False)
    group.add_argument(
        "--target",
        action=Several,
        const="targets",
        required=True,
        help="the column to predict; several: one column for each label, or several numbers",
    )
    group.add_argument("--separator", type=mark, help="what separates several labels in a cell")
    group.add_argument(
        "--task",
        choices=["auto", "classify", "regress", "ordinal", "rank"],
        default="auto",
        help="what to learn (default: what the target looks like)",
    )
    _drop_missing(group)
    group.add_argument("--order", type=names, metavar="LOW,…,HIGH", help="order of the labels")
    group.add_argument("--query", help="the column of queries, for ranking")
    group.add_argument("--seed", type=seed, default=0, help="for random choices (default: 0)")
    return group


def _comparing() -> argparse.ArgumentParser:
    group = argparse.ArgumentParser(add_help=False)
    group.add_argument(
        "--measure",
        action="append",
        metavar="NAME",
        help="auto, or see `seamark measures`; assess takes several",
    )
    group.add_argument(
        "--measure-arg",
        action="append",
        type=pair,
        default=[],
        metavar="KEY=VALUE",
        help="a parameter of the measure",
    )
    group.add_argument("--jobs", type=int, metavar="N", help="threads or processes")
    return group


def _force(command: argparse.ArgumentParser) -> None:
    command.add_argument("--force", action="store_true", help="replace a file that exists")
