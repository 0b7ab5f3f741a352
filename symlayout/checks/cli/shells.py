"""Shell completion: a script for bash, zsh or fish, made from the command line's own parser."""

from __future__ import annotations

import argparse

from symlayout.errors import CODES
from symlayout.layouts.vocabulary import CLAIMS

SHELLS = ("bash", "zsh", "fish")

BASH = """\
_symlayout() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    elif [[ "$current" == -* ]]; then
        case "${{COMP_WORDS[1]}}" in
{options}
        esac
    else
        case "${{COMP_WORDS[1]}} $previous" in
{values}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    if [ -z "$words" ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _symlayout symlayout
"""


def commands(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands, by name."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def options(parser: argparse.ArgumentParser) -> list[str]:
    """The long options of a command."""
    return [s for a in parser._actions for s in a.option_strings if s.startswith("--")]


def values(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """The values of those options that have a fixed set."""
    return {
        s: [str(c) for c in a.choices]
        for a in parser._actions
        if a.choices is not None
        for s in a.option_strings
        if s.startswith("--")
    }


def script(shell: str, top: argparse.ArgumentParser) -> str:
    """The script that teaches a shell the command line of `top`."""
    if shell == "fish":
        return _fish(top)
    table = commands(top)
    claims = " ".join(sorted({f"--{o}" for c in CLAIMS.values() for o in c.options}))
    rows, cases = [], []
    for name, parser in table.items():
        words = " ".join(options(parser)) + (f" {claims}" if name in ("prove", "when") else "")
        rows.append(f'            {name}) words="{words}" ;;')
        for option, arguments in values(parser).items():
            cases.append(f'            "{name} {option}") words="{" ".join(arguments)}" ;;')
    for name in ("prove", "when"):
        cases.append(f'            "{name} {name}") words="{" ".join(CLAIMS)}" ;;')
    cases.append(f'            "explain explain") words="{" ".join(CODES)}" ;;')
    cases.append(f'            "completion completion") words="{" ".join(SHELLS)}" ;;')
    text = BASH.format(commands=" ".join(table), options="\n".join(rows), values="\n".join(cases))
    return text if shell == "bash" else f"autoload -U +X bashcompinit && bashcompinit\n{text}"


def _fish(top: argparse.ArgumentParser) -> str:
    lines = []
    for name, parser in commands(top).items():
        lines.append(f"complete -c symlayout -n __fish_use_subcommand -a {name}")
        condition = f"-n '__fish_seen_subcommand_from {name}'"
        names = values(parser)
        for option in options(parser):
            tail = f" -x -a '{' '.join(names[option])}'" if option in names else ""
            lines.append(f"complete -c symlayout {condition} -l {option[2:]}{tail}")
    lists = (("prove", CLAIMS), ("when", CLAIMS), ("explain", CODES), ("completion", SHELLS))
    for name, words in lists:
        condition = f"-n '__fish_seen_subcommand_from {name}'"
        lines.append(f"complete -c symlayout {condition} -f -a '{' '.join(words)}'")
    return "\n".join(lines) + "\n"
