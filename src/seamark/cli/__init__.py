"""The command line: ``seamark fit | predict | dedupe | …``; `seamark --help` lists all commands."""

from .main import main

__all__ = ["main"]
