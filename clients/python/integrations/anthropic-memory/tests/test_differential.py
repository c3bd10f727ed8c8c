"""Random commands on the tool of the SDK that keeps files on a disk, and on ours."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
from commands import text_of_result
from differential import differ
from memorysidecar import Client
from real import RealServer

from memorysidecar_anthropic_memory import SidecarMemoryTool
from memorysidecar_anthropic_memory._paths import names_at, root_of

ROOT = root_of("claude-memory", None, None)
NAMES = ("a", "b", "a b.txt", ".h", "ü.md", "%41", "x\ny", "😀")
LINES = ("one", "one\r", "two", "", "über", " one", "o" * 700, "\u2028", "😀", "\ttab")
PATHS = ("/memories", "/memories/", "/memories/../x", "/other", "/memoriesa", "memories/a", "")
KINDS = (
    "view",
    "create",
    "create",
    "create",
    "edit",
    "edit",
    "insert",
    "insert",
    "delete",
    "rename",
)
MAX_STEPS = 300
"""Steps on one pair of tools."""


def draw_path(draw: random.Random) -> str:
    if draw.random() < 0.04:
        return draw.choice(PATHS)
    names = draw.choices(NAMES, weights=(9, 9, 3, 1, 1, 1, 1, 1), k=draw.choice((1, 1, 1, 2, 2, 3)))
    if draw.random() < 0.1:
        names.insert(draw.randrange(len(names) + 1), draw.choice((".", "", "b/..")))
    return "/memories/" + "/".join(names) + ("/" if draw.random() < 0.05 else "")


def draw_text(draw: random.Random) -> str:
    text = "\n".join(draw.choices(LINES, k=draw.choice((0, 1, 2, 3, 8))))
    return text + draw.choice(("", "", "\n", "\r\n"))


def draw_step(draw: random.Random) -> dict[str, Any]:
    path = draw.choice(("/memories/f", "/memories/a/f", draw_path(draw)))
    match draw.choice(KINDS):
        case "view":
            ranges = (None, None, [1, -1], [2, 3], [0, 1], [3, 2], [5, 9], [-2, -2], [1])
            return {"command": "view", "path": path, "view_range": draw.choice(ranges)}
        case "create":
            return {"command": "create", "path": path, "file_text": draw_text(draw)}
        case "edit":
            old, new = (
                draw.choice(("one", "o", "w", "\n", "e\nt", "")),
                draw.choice((*LINES, "e\r\nt")),
            )
            return {"command": "str_replace", "path": path, "old_str": old, "new_str": new}
        case "insert":
            line, text = draw.choice((-1, 0, 1, 2, 9)), draw_text(draw)
            return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}
        case "delete":
            return {"command": "delete", "path": path}
        case _:
            return {"command": "rename", "old_path": path, "new_path": draw_path(draw)}


def outcome(tool: Any, step: dict[str, Any]) -> str:
    """Gives what the model is told. The tool of the SDK lets some errors of the system through;
    ours has an error of the tool for each."""
    try:
        told = text_of_result(tool.call(step))
    except ToolError as error:
        return f"error: {error}"
    except (OSError, ValueError):
        return "error of the system"
    # The size of a directory is a matter of the file system.
    return re.sub(r"(?m)^\S+\t(?=.*/$)|(?<=:\n)[\d.]+[BKMG]\t", "", told)


def folders(root: Path) -> set[Path]:
    return {path for path in root.rglob("*") if path.is_dir()}


def play_pair(steps: Sequence[dict[str, Any]], address: str) -> str | None:
    with (
        tempfile.TemporaryDirectory() as base,
        Client(address, namespace=f"t-{uuid4().hex}") as client,
    ):
        theirs, ours = BetaLocalFilesystemMemoryTool(base), SidecarMemoryTool(client)
        root = Path(base) / "memories"
        for step in steps:
            before = folders(root)
            expected, found = outcome(theirs, step), outcome(ours, step)
            if expected.startswith("error"):
                # Theirs makes the folders above a file before it finds that it cannot make it.
                for path in sorted(folders(root) - before, reverse=True):
                    path.rmdir()
            is_same = found == expected or (
                expected == "error of the system" and found.startswith("error: ")
            )
            if not is_same:
                return f"{step}\n  gives {found!r}\n  not   {expected!r}"
        wanted = {path.relative_to(root): content(path) for path in root.rglob("*")}
        kept = {}
        for record in client.list_records(ROOT, recursive=True, include_values=True):
            names = names_at(ROOT, record.path, record.key)
            kept[Path(*names)] = record.value if record.media_type == "text/plain" else None
        return None if kept == wanted else f"the trees differ: {kept} is not {wanted}"


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


@pytest.mark.timeout(1800)
def test_random_commands_agree_with_the_tool_of_the_sdk(server: RealServer) -> None:
    def play(steps: Sequence[dict[str, Any]]) -> str | None:
        for start in range(0, len(steps), MAX_STEPS):
            difference = play_pair(steps[start : start + MAX_STEPS], server.address)
            if difference is not None:
                return difference
        return None

    differ("Anthropic SDK", "memory tool", draw_step, play)
