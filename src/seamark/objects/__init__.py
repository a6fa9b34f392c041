"""Objects: what is compared. `Ragged` collections, lists of windows, and their domains.

A domain turns raw user data into objects (`ingest`) and draws random ones (`draw`).
"""

from .arrays import Series, Sets
from .domain import Domain
from .equality import distinct, groups, with_copies
from .look import Look
from .numbers import is_missing, reject_non_numbers
from .ragged import Ragged
from .rows import Anything, Vectors
from .sparse_rows import require_sound
from .text import Strings
from .window_list import Window, WindowList
from .windows import Windows

vectors = Vectors()
strings = Strings()
series = Series()
sets = Sets()
anything = Anything()

__all__ = [
    "Anything",
    "Domain",
    "Look",
    "Ragged",
    "Series",
    "Sets",
    "Strings",
    "Vectors",
    "Window",
    "WindowList",
    "Windows",
    "anything",
    "series",
    "sets",
    "strings",
    "vectors",
]
