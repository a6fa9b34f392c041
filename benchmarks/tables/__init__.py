"""The papers' tables, run again: printed figures, ours by the same protocol, and our defaults."""
