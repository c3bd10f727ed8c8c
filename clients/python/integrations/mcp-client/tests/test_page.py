"""The Python code of docs/integrations/mcp.md, and the protocol as its official client sees it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters
from memorysidecar import Client as Sidecar
from real import RealServer

ROOT = Path(__file__).resolve().parents[5]
PAGE = ROOT / "docs" / "integrations" / "mcp.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
COMMAND = ["node", str(ROOT / "src" / "main.ts"), "mcp"]


def command_of(folder: Path, server: RealServer) -> dict[str, str]:
    """Puts a command `memory-sidecar` into a folder; gives variables with which it is found."""
    script = folder / "memory-sidecar"
    main = ROOT / "src" / "main.ts"
    script.write_text(f'#!/bin/sh\nexec node "{main}" "$@" --server {server.address}\n')
    script.chmod(0o755)
    path = f"{folder}{os.pathsep}{ROOT}/node_modules/.bin{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path}


def test_the_code_of_the_page_runs(server: RealServer, tmp_path: Path) -> None:
    env = command_of(tmp_path, server)
    code = BLOCKS[0].replace('command="memory-sidecar"', f'command="{tmp_path}/memory-sidecar"')
    code = code.replace('"ana"])', '"ana"], env=' + json.dumps({"PATH": env["PATH"]}) + ")")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(
        r'<data source="recall">\n- \[memory \w+\] Ana lives in Berlin\.\n</data>\n', done.stdout
    )


def test_the_client_accepts_every_schema_and_answer(server: RealServer, tmp_path: Path) -> None:
    env = command_of(tmp_path, server)
    memory = StdioServerParameters(
        command=str(tmp_path / "memory-sidecar"),
        args=["mcp", "--user", "eva"],
        env={"PATH": env["PATH"]},
    )
    with Sidecar(server.address) as client:
        client.create_session(session_id="talk", user_id="eva")
        client.append("talk", "I live in Rome.")

    async def use() -> None:
        async with Client(memory) as peer:
            tools = (await peer.list_tools()).tools
            assert len(tools) == 8
            assert all(tool.output_schema and tool.annotations for tool in tools)
            made = await peer.call_tool("remember", {"content": "Eva lives in Rome."})
            assert not made.is_error
            memory_id = (made.structured_content or {})["memory_id"]
            calls = {
                "recall": {"query": "Rome"},
                "list_memories": {},
                "correct_memory": {"memory_id": memory_id, "importance": 0.9},
                "get_context": {"query": "Rome", "session_id": "talk"},
                "list_sessions": {},
                "read_session": {"session_id": "talk"},
                "forget": {"memory_id": memory_id},
            }
            for name, arguments in calls.items():
                # The client checks each answer by the schema that the tool declares.
                answer = await peer.call_tool(name, arguments)
                assert not answer.is_error, (name, answer.content)
                assert answer.structured_content
            assert (await peer.call_tool("list_memories", {})).structured_content == {
                "memories": [],
                "more": False,
            }
            wrong = await peer.call_tool("recall", {})
            assert wrong.is_error

    asyncio.run(use())
