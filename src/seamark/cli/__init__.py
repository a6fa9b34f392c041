"""The command line: ``seamark demo | assess | fit | predict | measures``."""

from .main import main

__all__ = ["main"]
