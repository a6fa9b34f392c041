"""Pictures: matplotlib displays in scikit-learn's style, and one self-contained HTML page.

Displays draw arrays and objects. They know nothing of models and measures but the names of a few
attributes; matplotlib is imported when something is drawn.
"""

from . import page
from .curves import (
    AssessmentDisplay,
    DistributionDisplay,
    SpectrumDisplay,
    WeightsDisplay,
)
from .explanation import ExplanationDisplay, draw_object
from .maps import GroupsDisplay, LandmarkMapDisplay
from .objects import DrawingScale
from .text import brief, visible

__all__ = [
    "AssessmentDisplay",
    "DistributionDisplay",
    "DrawingScale",
    "ExplanationDisplay",
    "GroupsDisplay",
    "LandmarkMapDisplay",
    "SpectrumDisplay",
    "WeightsDisplay",
    "brief",
    "draw_object",
    "page",
    "visible",
]
