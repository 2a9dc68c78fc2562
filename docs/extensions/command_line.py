"""The page of the command line, from the parser itself."""

from __future__ import annotations

import argparse

import markdown
from gops_lab.arguments import parser


def page() -> str:
    """Return a section for every command."""
    commands = _commands(parser())
    shared = _shared(list(commands.values()))
    parts = [
        "## Options of every command\n",
        _options([option for option in _listed(next(iter(commands.values()))) if _key(option) in shared]),
    ]
    for name, command in commands.items():
        own = [option for option in _listed(command) if _key(option) not in shared]
        parts += [f"## `gops-lab {name}`\n", f"{command.description}\n", _options(own)]
    return "\n".join(parts)


def _commands(whole: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in whole._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise LookupError("the parser has no commands")


def _listed(command: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in command._actions if action.help != argparse.SUPPRESS]


def _shared(commands: list[argparse.ArgumentParser]) -> set[tuple[str, ...]]:
    keys = [{_key(option) for option in _listed(command)} for command in commands]
    return set.intersection(*keys)


def _key(option: argparse.Action) -> tuple[str, ...]:
    return (*option.option_strings, option.dest, option.help or "")


def _options(options: list[argparse.Action]) -> str:
    if not options:
        return "No options of its own.\n"
    return markdown.table(("option", "meaning"), [(_usage(o), _meaning(o)) for o in options])


def _usage(option: argparse.Action) -> str:
    names = ", ".join(option.option_strings) or option.dest
    if option.nargs == 0:
        return f"`{names}`"
    if option.choices:
        taken = " ".join(map(str, option.choices))
        taken = "{" + taken.replace(" ", ",") + "}"
    else:
        taken = str(option.metavar or option.dest.upper())
    return f"`{names} {taken}`" if option.option_strings else f"`{taken}`"


def _meaning(option: argparse.Action) -> str:
    meaning = (option.help or "").replace("--", "\\-\\-")
    return f"{meaning} (required)" if option.required else meaning
