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
    actions: list[Any] = parser()._actions
    commands = next(one for one in actions if isinstance(one, argparse._SubParsersAction))
    helps = {one.dest: str(one.help) for one in commands._choices_actions}
    known = {
        name: sorted(option for option in made._option_string_actions if option[:2] == "--")
        for name, made in commands.choices.items()
    }
    if options.shell == "fish":
        for name, flags in known.items():
            summary = helps.get(name, "")
            print(f"complete -c seamark -n __fish_use_subcommand -a {name} -d '{summary}'")
            seen = f"-n '__fish_seen_subcommand_from {name}'"
            for flag in flags:
                print(f"complete -c seamark {seen} -l {flag[2:]}")
        return
    cases = "\n".join(
        f'      {name}) COMPREPLY=($(compgen -W "{" ".join(flags)}" -- "$word")) ;;'
        for name, flags in known.items()
    )
    lead = "autoload -U +X bashcompinit && bashcompinit\n" if options.shell == "zsh" else ""
    print(lead + BASH.format(commands=" ".join(known), cases=cases), end="")
