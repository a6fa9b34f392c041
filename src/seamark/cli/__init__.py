"""The command line: ``seamark demo | assess | fit | predict | dedupe | link | measures``."""

from .main import main

__all__ = ["main"]
