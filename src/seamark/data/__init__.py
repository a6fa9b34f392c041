"""Objects: what is compared. `Ragged` collections, the domains, and parts of their objects.

A domain turns raw user data into objects (`ingest`) and draws random ones (`draw`).
"""

from .domain import Domain, Schema
from .frames import (
    as_frame,
    as_series,
    collected,
    is_collection,
    pandas_for,
    reject_non_numbers,
    unmasked,
)
from .graphs import Graph, Graphs, are_sound
from .graphs import counts as graph_counts
from .hashing import distinct, groups, hashes, seed_from, with_copies, with_seed
from .infer import domain_of, looks_like_time
from .missing import is_missing, missing_in, without_gaps
from .ragged import Ragged
from .series import Series, Window, WindowList, Windows
from .sets import Members, Sets
from .strings import Strings, Substrings, framed, marks, with_ends
from .tables import (
    Amounts,
    Categories,
    Dates,
    Frame,
    Mixed,
    Tables,
    as_table,
    names_in,
    second,
)
from .vectors import Anything, Vectors, require_sound

vectors = Vectors()
strings = Strings()
series = Series()
sets = Sets()
graphs = Graphs()
anything = Anything()
amounts = Amounts()
dates = Dates()
categories = Categories()
tables = Tables()

__all__ = [
    "Amounts",
    "Anything",
    "Categories",
    "Dates",
    "Domain",
    "Frame",
    "Graph",
    "Graphs",
    "Members",
    "Mixed",
    "Ragged",
    "Schema",
    "Series",
    "Sets",
    "Strings",
    "Substrings",
    "Tables",
    "Vectors",
    "Window",
    "WindowList",
    "Windows",
    "amounts",
    "anything",
    "as_table",
    "categories",
    "collected",
    "dates",
    "graphs",
    "names_in",
    "reject_non_numbers",
    "series",
    "sets",
    "strings",
    "tables",
    "unmasked",
    "vectors",
]
