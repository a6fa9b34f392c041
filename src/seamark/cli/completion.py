"""`seamark completion`: what a shell needs to complete commands and options."""

from __future__ import annotations

import argparse
from typing import Any

from .options import parser

BASH = """_seamark() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{commands}" -- "$word")); return
  fi
  case "$word" in
    -*) case "$command" in
{cases}
    esac ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _seamark seamark
"""


def run(options: argparse.Namespace) -> None:
    """Print a script for one shell."""
    found = _options()
    if options.shell == "fish":
        print(_fish(found))
        return
    cases = "\n".join(
        f'      {name}) COMPREPLY=($(compgen -W "{" ".join(flags)}" -- "$word")) ;;'
        for name, (_, flags) in found.items()
    )
    script = BASH.format(commands=" ".join(found), cases=cases)
    lead = "autoload -U +X bashcompinit && bashcompinit\n" if options.shell == "zsh" else ""
    print(lead + script, end="")


def _options() -> dict[str, tuple[str, list[str]]]:
    """Return the commands, what each does, and its long options."""
    actions: list[Any] = parser()._actions
    commands = next(one for one in actions if isinstance(one, argparse._SubParsersAction))
    helps = {one.dest: str(one.help) for one in commands._choices_actions}
    return {
        name: (helps.get(name, ""), sorted(o for o in made._option_string_actions if o[:2] == "--"))
        for name, made in commands.choices.items()
    }


def _fish(found: dict[str, tuple[str, list[str]]]) -> str:
    lines = []
    for name, (summary, flags) in found.items():
        lines.append(f"complete -c seamark -n __fish_use_subcommand -a {name} -d '{summary}'")
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c seamark {seen} -l {flag[2:]}" for flag in flags]
    return "\n".join(lines)
