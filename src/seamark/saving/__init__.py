"""Saved models: one file of plain arrays and JSON, safe to open, without pickle."""

from ..files import atomic_file
from .files import Contents, contents, load, save
from .format import ModelFileError

__all__ = ["Contents", "ModelFileError", "contents", "load", "save"]
