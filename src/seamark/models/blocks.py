"""The blocks of a model's map: what `measure=` means, and the features of each part of X."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import f as f_distribution
from scipy.stats import rankdata

from .. import engine
from ..data import Anything, Categories, Ragged, Vectors, amounts, missing_in, without_gaps
from ..data.tables import Bundle, naming_column, part_of
from ..features import InMemory
from ..landmarks import groups_in, groups_of_bundle
from ..maps import (
    CachedFeatures,
    Coordinates,
    GapFilling,
    LandmarkMap,
    Map,
    MapUnion,
    NumericColumns,
)
from ..maps.features import ComputedFeatures, UnitedFeatures
from ..maps.missing import GapFeatures, WithGaps, name_present_rows, require_some
from ..measures import as_measures
from ..targets import strata
from ..tuning import Choice, HeldOutPerClass, Task, Tuning


def nested(head: Any, weighing: Any) -> Any:
    """Return a head that chooses how many leading features it needs; stop if it cannot."""
    if weighing is not None:
        raise ValueError(
            f'n_landmarks="cv" and weighing={weighing!r} both choose landmarks; leave one out.'
        )
    if "n_features" not in head.get_params():
        raise ValueError(
            f'n_landmarks="cv" compares nested numbers of landmarks by the sums that ridge keeps, '
            f'and {type(head).__name__} keeps none; give a number, or head="ridge".'
        )
    return head.set_params(n_features="cv")


def require_divisible(blocks: list[Block], dropping: str | None) -> None:
    """Stop where landmarks cannot be dropped as asked; None: nothing asks."""
    if dropping is not None and not all(block.offered[0].is_divisible for block in blocks):
        raise ValueError(
            f"{dropping} drops landmarks, which needs features that belong to one landmark "
            "each: a pointwise transfer, no passthrough."
        )


def uninformative(one: Any) -> str:
    """What to say where all objects look alike."""
    source = (
        f"values of {as_measures(one.measure)[0]!r} against every landmark"
        if isinstance(one, LandmarkMap)
        else f"features of {one!r}"
    )
    return (
        f"all objects have the same {source}: it holds no information about them; take another "
        "measure or parameters."
    )


Rows = NDArray[np.intp]

COPIED = 0.75  # of groups of equal rows: if the targets of so many agree, rows are copies
BY_CHANCE = 0.05  # probability of targets so alike: below it, equal rows of numbers are copies
MANY_TIMES = 10  # each row comes on average, where numbers are settings that new rows will have too


@dataclass
class Block:
    """One block before it is united with others.

    Attributes
    ----------
    columns : None, str, int or list of these
        What it reads of X; None: all.
    what : Map, or what LandmarkMap takes as its measure
        As the user gave it.
    domain : Domain
        What its objects are.
    raw, objects : objects
        Its part of X, before and after ingesting.
    missing : ndarray of bool or None
        Which objects of a column are not there; None: gaps are not looked for, or the map's matter.
    is_plain : bool
        Whether it is all there is, a landmark map of all of X.
    offered : list of Map
        Fitted; several where something is left open that makes other landmarks.
    seen : list of Pilot, ndarray or None
        What was seen when these were fitted, until it is handed on to their features; where y
        decides features, those of the rows.
    """

    columns: Any
    what: Any
    domain: Any = None
    raw: Any = None
    objects: Any = None
    is_plain: bool = False
    missing: Any = None
    offered: list[Any] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)

    def read(self, X: Any, known: dict[Any, Any]) -> None:
        """Take its part of X; another object stands where one is missing.

        What blocks before it have read alike is in `known`, and is not read again.
        """
        self.raw = part_of(X, self.columns, self.domain)
        by_column = self.columns is not None
        dense = by_column and isinstance(self.what, Coordinates) and not sparse.issparse(self.raw)
        if dense and np.isnan(amounts.ingest(self.raw)).any():
            self.what, self.domain = NumericColumns(), amounts
        # Maps of numbers see to missing values themselves.
        of_objects = not isinstance(self.what, WithGaps) and not isinstance(self.domain, Vectors)
        may_lack_some = by_column and not isinstance(self.columns, list) and of_objects
        with naming_column(self.columns):
            if may_lack_some:
                self.missing = require_some(missing_in(self.raw))
                self.raw = without_gaps(self.raw, self.missing)
            key = repr(self.columns), self.domain, may_lack_some
            if key not in known:
                known[key] = self.domain.ingest(self.raw)
            self.objects = known[key]
        if isinstance(self.objects, Ragged):
            self.raw = self.objects  # no map need read it once more

    def fit(self, maps: list[Any], y: Any, progress: bool | engine.Progress) -> None:
        """Fit the maps that are offered."""
        self.offered, targets, y = maps, y, strata(y)
        for one in maps:
            if one.sees_targets:
                self.seen.append(self._fit_unseen(one, targets))
            elif isinstance(one, LandmarkMap):
                self.seen.append(one.fit_seeing(self.objects, y, progress))
                if self.missing is not None:
                    name_present_rows(one, self.missing)
            else:
                one.fit(self.raw, y)
                self.seen.append(None)
                if isinstance(one, GapFilling) and self.columns is not None:
                    columns = self.columns if isinstance(self.columns, list) else [self.columns]
                    one.column_names_ = list(map(str, columns))

    def _fit_unseen(self, one: Any, y: Any) -> NDArray[Any]:
        """Fit a map that looks at y to the rows that are there; the mean stands in for others."""
        if self.missing is None or not self.missing.any():
            return np.asarray(one.fit_unseen(self.raw, y))
        there = np.flatnonzero(~self.missing)
        found = one.fit_unseen(self.objects[there], np.asarray(y)[there])
        held = np.tile(found.mean(axis=0, dtype=np.float64), (len(self.missing), 1))
        held[there] = found
        return held.astype(np.float32)

    def tuned(
        self, task: Task, tuning: Tuning, rng: np.random.Generator, keeping: dict[str, Any]
    ) -> tuple[Any, Choice]:
        """Choose what is open on each map that is offered, and the map by what that came to."""
        if not isinstance(self.offered[0], LandmarkMap):  # nothing is open in random features
            one = self.offered[0]
            if one.sees_targets:
                return InMemory(self.seen.pop(0), map=one), Choice([], task.head)
            return ComputedFeatures(one, one.ingest(self.raw)), Choice([], task.head)
        task = replace(task, rivalled=len(self.offered) > 1)
        leading: CachedFeatures | None = None
        merits: list[float] = []
        for offered in self.offered:
            mapped = CachedFeatures(offered, self.objects, pilot=self.seen.pop(0), **keeping)
            # All maps are compared on the same rows, so each gets the same random numbers.
            choice = tuning.choose(mapped, offered.transfer, task, deepcopy(rng))
            loser: CachedFeatures | None = mapped
            if not merits or choice.merit > max(merits):
                loser, leading = leading, mapped
                best = mapped, choice
            if loser is not None:
                loser.drop()  # which makes room for the values of others
            merits.append(choice.merit)
        mapped, choice = best
        if task.rivalled:
            tried = [one.landmarks for one in self.offered]
            choice.results.update({"landmarks": tried, "merit": merits})
        mapped.map.transfers_ = choice.transfers
        return mapped.with_transfers(choice.transfers), choice


def blocks_of(measure: Any) -> list[Block]:
    """Return the blocks that a model's `measure=` means.

    One for a measure, or for several that share their landmarks; one for each entry of a list that
    holds maps, or measures whose landmarks cannot be shared; one for each entry of a dict, whose
    values may be such lists.

    Examples
    --------
    >>> len(blocks_of(["levenshtein", "jaro_winkler"]))
    1
    >>> [block.columns for block in blocks_of({"name": "levenshtein", "price": "passthrough"})]
    ['name', 'price']
    """
    if isinstance(measure, dict):
        if not measure:
            raise ValueError("measure is an empty dict; give at least one column and its measure.")
        return [
            _block(list(key) if isinstance(key, tuple) else key, _named(one))
            for key, value in measure.items()
            for one in _apart(value)
        ]
    if isinstance(measure, (list, tuple)) and not _share_landmarks(measure):
        return [_block(None, one) for one in measure]
    if isinstance(measure, Map):
        return [_block(None, measure)]
    return [Block(None, measure, as_measures(measure)[0].domain, is_plain=True)]


def _block(columns: Any, what: Any) -> Block:
    """Return a block of several, or of a map."""
    if not isinstance(what, Map):
        return Block(columns, what, as_measures(what)[0].domain)
    if what.domain is None:
        raise TypeError(f"{what!r} is a union itself; give its maps one by one.")
    return Block(columns, what, what.domain)


def _apart(value: Any) -> list[Any]:
    """Return what is to have landmarks of its own: all entries of a list, or what they share."""
    if not isinstance(value, (list, tuple)):
        return [value]
    named = [_named(one) for one in value]
    return [value] if named and _share_landmarks(named) else named


def _named(value: Any) -> Any:
    return Coordinates() if isinstance(value, str) and value == "passthrough" else value


def _share_landmarks(measures: Any) -> bool:
    """Whether several measures can have the same landmarks: none brings a map, all one domain."""
    if any(isinstance(one, Map) for one in measures):
        return False
    domains = [(one.domain, one.landmark_domain) for one in as_measures(measures)]
    told = [pair for pair in domains if not isinstance(pair[0], Anything)]
    if told and told[0] != domains[0]:
        return False  # objects are read as the first measure has them
    return all(pair == told[0] for pair in told)


def read_apart(blocks: list[Block], X: Any, model: Any, tuning: Tuning) -> None:
    """Have each of several blocks take its part of X; stop at options that want a single one."""
    for block in blocks:
        # Of rows that come in chunks, features that y decides would be other ones than of new rows.
        if hasattr(model, "_in_blocks") and getattr(block.what, "sees_targets", False):
            raise ValueError(
                f"{block.what!r} looks at y, so its rows must all be there at once; leave it out "
                "of measure= where rows come in chunks."
            )
    if model.passthrough:
        raise ValueError(
            "passthrough=True is for a single measure of vectors; among several blocks, give "
            'Coordinates(), or {column: "passthrough"}.'
        )
    if isinstance(tuning, HeldOutPerClass):
        raise ValueError(f"{tuning!r} takes one measure, and not several blocks.")
    known: dict[Any, Any] = {}
    for block in blocks:
        block.read(X, known)


def common_groups(blocks: list[Block], y: NDArray[Any]) -> Rows:
    """Return the number of each row's group: rows that are equal in every block share it.

    Only where all columns are categories may equal rows stand for themselves: what a category, or
    a combination of them, means cannot be learned from the others, and new rows will be equal to
    known ones too. Those of one column always do; those of several unless their targets agree, as
    those of copies do. So do numbers of few values, beside categories or not, where rows are equal
    by chance: their targets are no more alike than those of other rows, and a ridge that repeats
    what equal rows were like must be judged on such rows. Else rows that are equal are copies,
    whatever their targets.
    """
    if len(blocks) == 1:
        objects, domain = blocks[0].objects, blocks[0].domain
        if isinstance(domain, Categories):
            return np.arange(objects.shape[0])
        groups = groups_in(objects, domain)
    else:
        bundle = Bundle([block.objects for block in blocks])
        by_block: Any = [partial(groups_in, domain=block.domain) for block in blocks]
        groups = groups_of_bundle(bundle, by_block)
    few = len(np.unique(groups)) * MANY_TIMES <= len(groups)
    if all(isinstance(block.domain, Categories) for block in blocks):
        alone = not _are_copies(groups, y)
    elif all(isinstance(block.domain, (Categories, Vectors)) for block in blocks):
        alone = not (_are_copies if few else _are_alike)(groups, y)
    else:
        alone = False
    return np.arange(len(groups)) if alone else groups


def _are_alike(groups: Rows, y: NDArray[Any]) -> bool:
    """Tell whether targets of equal rows are more alike than by chance: F-tests of their ranks."""
    numbers = np.unique(groups, return_inverse=True)[1].ravel()
    counts = np.bincount(numbers)
    n, several = len(numbers), len(counts)
    if not 1 < several < n:
        return False
    for column in np.reshape(y, (n, -1)).T:
        ranks = rankdata(column)
        means = np.bincount(numbers, ranks) / counts
        between = counts @ (means - ranks.mean()) ** 2 / (several - 1)
        within = np.sum((ranks - means[numbers]) ** 2) / (n - several)
        if f_distribution.sf(between, several - 1, n - several, scale=within or 1e-9) < BY_CHANCE:
            return True
    return False


def _are_copies(groups: Rows, y: NDArray[Any]) -> bool:
    """Tell whether equal rows have equal targets, in nearly all groups of several."""
    numbers = np.unique(groups, return_inverse=True)[1].ravel()
    targets = np.unique(y, axis=0, return_inverse=True)[1].ravel()
    both = np.unique(np.stack([numbers, targets]), axis=1)[0]  # once for each target in a group
    several = np.bincount(numbers) > 1
    alike = np.bincount(both)[several] == 1
    return not len(alike) or bool(alike.mean() >= COPIED)


def tuned_together(
    blocks: list[Block],
    X: Any,
    task: Task,
    tuning: Tuning,
    rng: np.random.Generator,
    keeping: dict[str, Any],
) -> tuple[Any, Choice]:
    """Choose what is open in each block; return the features of all, and what came of it.

    Blocks are tuned one by one. Where parameters of the head are tuned too, those of the block
    that does best by itself are taken.
    """
    # Blocks are read together, so a run of rows has to fit into memory in all of them.
    together = sum(block.offered[0].bytes_per_row for block in blocks)
    chunks = engine.row_chunks(blocks[0].objects.shape[0], together)
    keeping = {**keeping, "chunks": chunks}
    found = [block.tuned(task, tuning, rng, keeping) for block in blocks]
    parts = [
        part if block.missing is None else GapFeatures(part, block.missing)
        for block, (part, _) in zip(blocks, found, strict=True)
    ]
    choices = [choice for _, choice in found]
    best = max(choices, key=lambda one: -np.inf if np.isnan(one.merit) else one.merit)
    results: dict[str, Any] = {"blocks": [choice.results for choice in choices]}
    union = MapUnion.of([part.map for part in parts], [block.columns for block in blocks], X)
    progress, groups = keeping["progress"], keeping["groups"]
    features = UnitedFeatures(union, parts, chunks, progress=progress, groups=groups)
    starts: Any = {i: one.start for i, one in enumerate(choices) if one.start is not None}
    return features, Choice([], best.head, best.merit, results, starts)


def first_chunk(features: Any) -> NDArray[Any]:
    """Features of a first chunk of rows; stop if none tells any two objects apart."""
    on = engine.backend()
    there = features.on_device() if on.device is not None else None
    if there is None or not there.values.keeps(0):
        block = features.chunk(features.row_slices[0])
    else:
        some = next(there.chunks())[1][: features.row_slices[0].stop]
        block = on.statistics.fetched(on.device, some)
    if len(block) > 1 and features.shape[0] == len(block) and not np.ptp(block, axis=0).any():
        raise ValueError(uninformative(features.map.blocks_[0]))
    return np.asarray(block)
