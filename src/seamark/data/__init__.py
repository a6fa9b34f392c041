"""Objects: what is compared. `Ragged` collections, the domains, and parts of their objects.

A domain turns raw user data into objects (`ingest`) and draws random ones (`draw`).
"""

from .arrays import Series, Sets
from .arrow import from_arrow
from .cells import Amounts, Categories, Dates, missing_in, second, without_gaps
from .domain import Domain
from .frame import Frame, Tables, as_table, collected
from .graphs import Graph, Graphs, are_sound
from .graphs import counts as graph_counts
from .hashing import distinct, groups, hashes, seed_from, with_copies, with_seed
from .kinds import domain_of, looks_like_time
from .look import Look
from .members import Members
from .numbers import is_missing, reject_non_numbers, unmasked
from .ragged import Ragged
from .rows import Anything, Vectors
from .sparse_rows import require_sound
from .substrings import Substrings, framed, marks, with_ends
from .text import Strings
from .window_list import Window, WindowList
from .windows import Windows

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
    "Look",
    "Members",
    "Ragged",
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
    "series",
    "sets",
    "strings",
    "tables",
    "vectors",
]
