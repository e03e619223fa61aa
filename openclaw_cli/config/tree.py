"""The whole configuration as one kind: strict blocks inside an open surrounding.

What is not described here is left alone. The names of strict blocks are the exception:
where they stand in an open object that is described, ``homes`` says where they belong.
"""

from __future__ import annotations

from openclaw_cli.config.blocks_agents import AGENT_BLOCKS, CHANNEL_HEARTBEAT
from openclaw_cli.config.blocks_plugins import DREAMING, OWN
from openclaw_cli.config.blocks_sessions import ROOT_BLOCKS
from openclaw_cli.config.schema import (
    ANY,
    BOOL,
    LIST_OF_TEXT,
    POSITIVE,
    SECRET,
    SOME_OBJECT,
    TEXT,
    ZONE,
    Kind,
    either,
    list_of,
    map_of,
)

DREAMING_HOME = "plugins.entries.memory-core.config.dreaming"
OWN_HOME = "plugins.entries.openclaw-cli.config"

HOMES: dict[str, str] = {
    **{name: name for name in ROOT_BLOCKS},
    **{name: f"agents.defaults.{name}" for name in AGENT_BLOCKS},
    "maintenance": "session.maintenance",
    "dreaming": DREAMING_HOME,
}


def _described(**keys: Kind) -> Kind:
    """An open object of the core program: block names do not belong there."""
    return Kind("open", keys=keys, homes=HOMES)


def _foreign(**keys: Kind) -> Kind:
    """An open object of a channel or plugin, which may call its keys what it likes."""
    return Kind("open", keys=keys)


MODEL = either(TEXT, _foreign(primary=TEXT, fallbacks=LIST_OF_TEXT))

AGENT = _described(
    **AGENT_BLOCKS,
    id=TEXT,
    default=BOOL,
    name=TEXT,
    workspace=TEXT,
    agentDir=TEXT,
    model=MODEL,
    timeoutSeconds=POSITIVE,
)

AGENT_DEFAULTS = _described(
    **AGENT_BLOCKS,
    workspace=TEXT,
    model=MODEL,
    models=map_of(_foreign(alias=TEXT)),
    userTimezone=ZONE,
    timeoutSeconds=POSITIVE,
    contextTokens=POSITIVE,
)

PROVIDER = _foreign(baseUrl=TEXT, apiKey=SECRET, headers=map_of(SECRET), models=list_of(ANY))

# Channels of plugins may have accounts, or be, of any other shape.
ACCOUNTS = either(map_of(_foreign(enabled=BOOL, heartbeat=CHANNEL_HEARTBEAT)), ANY)
CHANNEL = either(_foreign(enabled=BOOL, heartbeat=CHANNEL_HEARTBEAT, accounts=ACCOUNTS), ANY)

ROOT = _described(
    **ROOT_BLOCKS,
    agents=_described(defaults=AGENT_DEFAULTS, list=list_of(AGENT)),
    channels=map_of(CHANNEL),
    plugins=_described(
        enabled=BOOL,
        entries=Kind(
            "open",
            keys={
                "memory-core": _described(
                    enabled=BOOL,
                    config=Kind("open", keys={"dreaming": DREAMING}, homes=HOMES),
                ),
                "openclaw-cli": Kind(
                    "open",
                    keys={"enabled": BOOL, "config": OWN},
                    homes={name: f"{OWN_HOME}.{name}" for name in OWN.keys},
                ),
            },
        ),
    ),
    models=_described(providers=map_of(PROVIDER)),
    gateway=_described(),
    messages=_described(),
    tools=_described(),
    memory=_described(),
    env=SOME_OBJECT,
    meta=SOME_OBJECT,
    cli=Kind("open", homes={name: f"{OWN_HOME}.{name}" for name in OWN.keys}),
)


def strict_blocks() -> dict[str, Kind]:
    """The strict blocks by the path where each one stands first."""
    return {
        **ROOT_BLOCKS,
        **{f"agents.defaults.{name}": kind for name, kind in AGENT_BLOCKS.items()},
        "channels.*.heartbeat": CHANNEL_HEARTBEAT,
        DREAMING_HOME: DREAMING,
        OWN_HOME: OWN,
    }
