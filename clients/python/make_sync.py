"""Makes ``_sync``, the client without asyncio, from ``_async``::

    python make_sync.py FOLDER    # writes FOLDER/memorysidecar/_sync

A name with ``Async`` or ``async_`` stands for the one without it: ``AsyncWatch`` for ``Watch``,
``async_read`` of ``_waits.py`` for ``read``. Where the two clients differ, the source says so:
a line that ends with ``# async only`` is left out, with the block that it begins; ``# sync: CODE``
becomes code. ``npm run gen`` runs this and ``npm run verify`` compares.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
SOURCE: Final = HERE / "src/memorysidecar/_async"

CODE: Final = [
    (r"# sync: ", ""),
    (r"^import grpc\.aio\n", ""),
    (r"\bgrpc\.aio\.", "grpc."),
    (r"\basyncio\b(?=\.sleep|$)", "time"),
    # An answer of which only a part is taken.
    (r"\(await (.*)\)\.(\w+)$", r"\1.\2"),
    (r"\bawait ", ""),
    (r"\basync (?=def|for|with)", ""),
    (r"\b__a(?=(enter|exit|iter|next)__)", "__"),
    (r"\bAwaitable\[((?:[^][]|\[[^][]*\])*)\]", r"\1"),
    (r"\bStopAsync", "Stop"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\basync_(?=[a-z])", ""),
]

WORDS: Final = [
    ("the asyncio client", "the client"),
    (", for asyncio", ", for programs without asyncio"),
    (" for asyncio", ""),
    ("with a coroutine function", "with a function"),
    (
        "a server, for the event loop that makes it; close it",
        "a server. Safe to use from many threads; close it",
    ),
    (
        "It is on after ``open``, on entering ``async with``, or with the\n"
        "    first step of ``async for``; ends with ``close``.",
        "It is on when ``watch`` returns, and ends with ``close``,\n    which any thread may call.",
    ),
    (
        "Use it with\n        ``async with``.",
        "When it returns,\n        the watch is on.",
    ),
    ("A task that waits", "A thread that waits"),
    ("the poll under way.", "the poll under way. Any thread may call it."),
    ("\n    Cancel the task that runs a worker to stop it at once.", ""),
]


def without_async_only(text: str) -> str:
    """Leaves out the lines that are marked ``# async only``, each with the block that it begins."""
    kept: list[str] = []
    margin: int | None = None
    for line in text.splitlines(keepends=True):
        indent = len(line) - len(line.lstrip())
        if margin is not None and (line.isspace() or indent > margin):
            continue
        is_only = line.rstrip().endswith("# async only")
        margin = indent if is_only else None
        if not is_only:
            kept.append(line)
    return "".join(kept)


def sync_of(text: str) -> str:
    """Gives a module of ``_async`` as it is without asyncio, but for its format."""
    text = without_async_only(text)
    for ours, theirs in WORDS:
        text = text.replace(ours, theirs)
    for pattern, replacement in CODE:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def ruff(*args: str) -> None:
    command = [sys.executable, "-m", "ruff", *args, "--quiet", "--no-cache"]
    config = f"--config={HERE / 'pyproject.toml'}"
    subprocess.run([*command, config], cwd=HERE, check=True)  # noqa: S603


def main() -> None:
    target = Path(sys.argv[1]).absolute() / "memorysidecar/_sync"
    target.mkdir(parents=True, exist_ok=True)
    sources = {path: path.read_text() for path in sorted(SOURCE.glob("*.py"))}
    for words, _ in WORDS:
        if not any(words in without_async_only(text) for text in sources.values()):
            raise SystemExit(f"make_sync.py: no source says {words!r} any more")
    for path, text in sources.items():
        note = f"# Made from _async/{path.name} by make_sync.py; do not edit.\n"
        (target / path.name).write_text(note + sync_of(text))
    # Imports that nothing needs any more and their order; loops that only passed items on.
    ruff("check", "--fix", "--unsafe-fixes", "--select=C416,F401,I,UP028", str(target))
    ruff("format", str(target))


if __name__ == "__main__":
    main()
