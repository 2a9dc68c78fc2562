"""The page of the command line, from the parser itself."""

from __future__ import annotations

import argparse

import markdown_tables

from gops_lab.arguments import parser


def page() -> str:
    """Return a section for every command."""
    commands = _commands(parser())
    every = _shared(list(commands.values()))
    games = {name: command for name, command in commands.items() if _has(command, "--cards")}
    rules = _shared(list(games.values())) - every
    others = [f"`{name}`" for name in commands if name not in games]
    listed = _listed(next(iter(games.values())))
    but = f" but {' and '.join(others)}" if others else ""
    parts = [
        "## Options of every command\n",
        _options([option for option in listed if _key(option) in every]),
        "## The game\n",
        f"Of every command{but}.\n",
        _options([option for option in listed if _key(option) in rules]),
    ]
    for name, command in commands.items():
        known = every | rules if name in games else every
        own = [option for option in _listed(command) if _key(option) not in known]
        parts += [f"## `gops-lab {name}`\n", f"{command.description}\n", _options(own)]
    return "\n".join(parts)


def _has(command: argparse.ArgumentParser, name: str) -> bool:
    return any(name in option.option_strings for option in _listed(command))


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
    return markdown_tables.table(("option", "meaning"), [(_usage(o), _meaning(o)) for o in options])


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
    meaning = option.help or ""
    return f"{meaning} (required)" if option.required else meaning
