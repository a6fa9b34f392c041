"""Damage that knows what a file is made of: its tree, its arrays, and what refers to what."""

import json

import numpy as np

from seamark.saving import format as npy

NUMBERS = (0, 1, -1, 2, 3, 7, 64, 1000, 10**7, 2**31 - 1, 2**31, -(2**31), 10**12, 2**63, -(2**63))
OTHERS = (
    *(None, True, False, "", "x", "a" * 300, [], [0], [[]], {}, 0.5, -1.5, 1e308, 5e-324, 2**200),
    *({"$": "float", "value": "nan"}, {"$": "float", "value": "-inf"}, {"$": "tuple", "items": []}),
    *({"$": "array", "number": 0}, {"$": "dict", "items": []}, {"$": "bytes", "hex": "00ff"}),
    *("levenshtein", "dtw", "euclidean", "precomputed", "linear", "auto", "passthrough", "drop"),
)
REFERENCES = ("number", "data", "indices", "indptr", "values", "offsets")
"""Names under which a tree names arrays by their numbers."""
DTYPES = ("<f4", "<f8", ">f8", "<f2", "<i4", "<i8", "|u1", "<u4", "|b1", "<c16", "<U3", "|S3")


def places(node):
    """Every place of a tree: its parent, and its key there."""
    found, waiting = [], [node]
    while waiting:
        parent = waiting.pop()
        items = parent.items() if isinstance(parent, dict) else enumerate(parent)
        for key, part in items:
            found.append((parent, key))
            if isinstance(part, (dict, list)):
                waiting.append(part)
    return found


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


def change_value(rng, document, arrays, seeds):
    parent, key = pick(rng, places(document["model"]))
    old = parent[key]
    few = type(old) is int and rng.random() < 0.8
    # A copy, as later steps may change what is put here.
    parent[key] = json.loads(json.dumps(pick(rng, NUMBERS if few else NUMBERS + OTHERS)))
    return f"{key!r} from {str(old)[:40]} to {str(parent[key])[:40]}"


def drop(rng, document, arrays, seeds):
    parent, key = pick(rng, places(document["model"]))
    del parent[key]
    return f"{key!r} dropped"


def repeat(rng, document, arrays, seeds):
    lists = [p for p, _ in places(document["model"]) if isinstance(p, list) and p]
    if lists:
        one = pick(rng, lists)
        one.extend(one[: 1 + int(rng.integers(3))])
    return "a list repeated"


def swap(rng, document, arrays, seeds):
    (a, i), (b, j) = (pick(rng, places(document["model"])) for _ in range(2))
    a[i], b[j] = json.loads(json.dumps(b[j])), json.loads(json.dumps(a[i]))
    return f"{i!r} and {j!r} swapped"


def graft(rng, document, arrays, seeds):
    """A part of another model, with the arrays it names."""
    other = pick(rng, seeds)
    parent, key = pick(rng, places(other.document["model"]))
    part = json.loads(json.dumps(parent[key]))
    if isinstance(part, (dict, list)):
        for inner, name in places(part):
            if name in REFERENCES and type(inner[name]) is int and inner[name] >= 0:
                arrays.append(other.arrays[inner[name]])
                inner[name] = len(arrays) - 1
    same = [(p, k) for p, k in places(document["model"]) if k == key]
    parent, key = pick(rng, same or places(document["model"]))
    parent[key] = part
    return f"{key!r} grafted from {other.name}"


def other_class(rng, document, arrays, seeds):
    nodes = [p for p, k in places(document["model"]) if k == "class"]
    known = [p for p, k in places(pick(rng, seeds).document["model"]) if k == "class"]
    node, model = pick(rng, [*nodes, document["model"]]), pick(rng, known)
    node["class"] = model["class"]
    return f"a class became {node['class']}"


def other_array(rng, document, arrays, seeds):
    known = places(document["model"])
    nodes = [(p, k) for p, k in known if k in REFERENCES and type(p[k]) is int]
    if not nodes:
        return "no array"
    parent, key = pick(rng, nodes)
    parent[key] = int(rng.integers(-1, len(arrays) + 1))
    return f"{key!r} is array {parent[key]}"


def new_values(rng, array):
    array = array.copy()
    flat = array.reshape(-1)
    if not flat.size or array.dtype.kind not in "biufc":
        return array
    where = rng.integers(flat.size, size=1 + int(rng.integers(3)))
    with np.errstate(all="ignore"):
        if array.dtype.kind in "iu":
            flat[where] = np.array(pick(rng, NUMBERS[:-3])).astype(array.dtype)
        else:
            values = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, -1e30, 1e-300, 3.0)
            flat[where] = np.array(pick(rng, values)).astype(array.dtype)
    return array


SHAPES = (
    lambda rng, a: a.reshape(-1),
    lambda rng, a: a.T,
    lambda rng, a: a[:0],
    lambda rng, a: a[: len(a) // 2] if a.ndim else a[None],
    lambda rng, a: a[:-1] if a.ndim else a[None],
    lambda rng, a: np.concatenate([a, a]) if a.ndim else a[None],
    lambda rng, a: np.concatenate([a, a[:1]]) if a.ndim else a,
    lambda rng, a: a[..., :1],
    lambda rng, a: np.concatenate([a, a], axis=-1) if a.ndim else a,
    lambda rng, a: a[None],
    lambda rng, a: a[..., None],
    lambda rng, a: a[::-1],
    lambda rng, a: rng.permutation(a) if a.ndim else a,
    lambda rng, a: a.flat[0] if a.size else a,
    lambda rng, a: np.repeat(a, 50, axis=0) if a.ndim else np.repeat(a, 50),
)


def damage_array(rng, document, arrays, seeds):
    i = int(rng.integers(len(arrays)))
    kind = pick(rng, ("values", "values", "shape", "shape", "type"))
    old = arrays[i]
    if kind == "values":
        arrays[i] = new_values(rng, old)
    elif kind == "shape":
        arrays[i] = np.asarray(pick(rng, SHAPES)(rng, np.atleast_1d(old)))
    else:
        with np.errstate(all="ignore"):
            arrays[i] = old.astype(pick(rng, DTYPES))
    return f"{kind} of array {i}, {old.dtype} {old.shape}, now {arrays[i].dtype} {arrays[i].shape}"


STEPS = (change_value,) * 4 + (damage_array,) * 6 + (other_array,) * 2
STEPS += (drop, repeat, swap, graft, graft, other_class)


def damaged(number, seeds):
    """Return the seed of a case, the parts of its file, and what was done to it.

    A case is its number: the same one gives the same file, as long as this file stays as it is.
    """
    rng = np.random.default_rng([11, number])
    seed = seeds[number % len(seeds)]
    document, arrays = json.loads(json.dumps(seed.document)), list(seed.arrays)
    done = []
    for _ in range(1 + int(rng.integers(3))):
        try:
            done.append(pick(rng, STEPS)(rng, document, arrays, seeds))
        except (TypeError, ValueError, IndexError, KeyError) as error:  # damaged beyond this step
            done.append(f"nothing more: {error}"[:80])
    return seed, document, [as_bytes(rng, one) for one in arrays], done


def as_bytes(rng, array):
    data = npy.to_bytes(array)
    if rng.random() < 0.002:  # the header, or the last value
        place = int(rng.integers(len(data)))
        data = data[:place] + bytes([int(rng.integers(256))]) + data[place + 1 :]
    return data
