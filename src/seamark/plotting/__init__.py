"""Pictures: matplotlib displays in scikit-learn's style, and one self-contained HTML page.

Displays draw arrays and objects. They know nothing of models and measures but the names of a few
attributes; matplotlib is imported when something is drawn.
"""

from . import page
from .assessment import AssessmentDisplay
from .curves import DrawnCurve, GoodnessDisplay, LandmarkCurveDisplay
from .distribution import DistributionDisplay
from .explanation import ExplanationDisplay
from .frame import DrawingScale
from .groups import GroupsDisplay
from .landmark_map import LandmarkMapDisplay
from .objects import draw_object
from .spectrum import SpectrumDisplay
from .weights import WeightsDisplay

__all__ = [
    "AssessmentDisplay",
    "DistributionDisplay",
    "DrawingScale",
    "DrawnCurve",
    "ExplanationDisplay",
    "GoodnessDisplay",
    "GroupsDisplay",
    "LandmarkCurveDisplay",
    "LandmarkMapDisplay",
    "SpectrumDisplay",
    "WeightsDisplay",
    "draw_object",
    "page",
]
