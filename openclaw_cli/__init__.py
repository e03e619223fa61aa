"""openclaw: stateless commands over the state tree of a personal AI agent."""

__version__ = "0.1.0"
