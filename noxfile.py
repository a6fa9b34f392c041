#!/usr/bin/env -S uv run --script

# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""Sessions for `nox`: each calls what the Makefile calls, so that both say the same."""

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|venv"


def _install(session: nox.Session, *groups: str) -> None:
    session.install(*[f"--group={group}" for group in groups], "-e", ".")


@nox.session
def lint(session: nox.Session) -> None:
    """Style, types and the import contract."""
    _install(session, "test", "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports")


@nox.session(python=["3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """All tests but the slow ones; arguments go to pytest."""
    _install(session, "test")
    session.run("pytest", "-q", *session.posargs)


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """The site, in build/docs; warnings are errors."""
    _install(session, "test", "docs")
    session.run("sphinx-build", "-W", "--keep-going", "-q", "-b", "html", "docs", "build/docs")


if __name__ == "__main__":
    nox.main()
