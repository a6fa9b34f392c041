"""Objects: what is compared. `Ragged` collections and the five domains.

A domain turns raw user data into objects (`ingest`) and draws random ones (`draw`).
"""

from .arrays import Series, Sets
from .domain import Domain
from .equality import distinct, groups, with_copies
from .look import Look
from .members import Members
from .numbers import is_missing, reject_non_numbers
from .ragged import Ragged
from .rows import Anything, Vectors
from .sparse_rows import require_sound
from .substrings import Substrings, framed, marks, with_ends
from .text import Strings

vectors = Vectors()
strings = Strings()
series = Series()
sets = Sets()
anything = Anything()

__all__ = [
    "Anything",
    "Domain",
    "Look",
    "Members",
    "Ragged",
    "Series",
    "Sets",
    "Strings",
    "Substrings",
    "Vectors",
    "anything",
    "series",
    "sets",
    "strings",
    "vectors",
]
