"""The examples of the documentation run against the real server."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from real import RealServer, provide_command

from memorysidecar import Client, ErrorReason

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = "127.0.0.1:50151"


def test_the_blocks_of_the_readme_run_in_their_order(
    own_server: RealServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    provide_command(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 8
    names: dict[str, Any] = {"__name__": "readme"}
    for number, block in enumerate(blocks, 1):
        source = block.replace(ADDRESS, own_server.address)
        exec(compile(source, f"README.md block {number}", "exec"), names)
    names["client"].close()


def arguments_of(method: Any) -> tuple[set[str], set[str]]:
    """The arguments that a method names, and the fields that it takes beside them."""
    named, others = set(), set()
    for one in list(inspect.signature(method).parameters.values())[1:]:
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            # The annotation is a text: Unpack[...] of a TypedDict.
            [fields] = get_args(eval(one.annotation, method.__globals__))
            others |= set(fields.__annotations__)
        else:
            named.add(one.name)
    return named, others


def test_the_table_of_methods_names_all_their_arguments() -> None:
    """A row with dots names some of them. Those of every call, such as a timeout, are elsewhere."""
    text = (ROOT / "README.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)\((.*?)\)` \|", text, re.MULTILINE))
    methods = {
        name: method
        for name, method in inspect.getmembers(Client, inspect.isfunction)
        if not name.startswith("_") and name != "close"
    }
    assert rows.keys() == methods.keys()
    for name, method in methods.items():
        said = set(re.findall(r"\w+", rows[name]))
        named, others = arguments_of(method)
        assert said <= named | others, name
        assert "..." in rows[name] or named <= said, name


def run(name: str, address: str) -> str:
    """Runs an example and gives what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / name), address],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def test_quickstart(server: RealServer) -> None:
    source = (ROOT / "examples" / "quickstart.py").read_text()
    assert len(source.splitlines()) <= 20
    out = run("quickstart.py", server.address)
    assert "3 ROLE_ASSISTANT: What the model sees." in out
    assert "0 messages left out" in out


def test_walkthrough_meets_every_error_that_a_caller_can_cause(server: RealServer) -> None:
    out = run("walkthrough.py", server.address)
    # These need a server that is configured, full, busy, stopping or broken, or luck.
    elsewhere = {
        "RESUME_TOKEN_EXPIRED",
        "CONSUMER_LIMIT_REACHED",
        "TOKEN_MISSING",
        "TOKEN_INVALID",
        "OVERLOADED",
        "STREAM_LIMIT_REACHED",
        "STORE_FULL",
        "SHUTTING_DOWN",
        "DEADLINE_EXCEEDED",
        "RECORD_CORRUPT",
        "INTERNAL",
        "SESSION_CHANGED",
        # tasks.py meets these; POLL_LIMIT_REACHED needs a busy server.
        "TASK_NOT_FOUND",
        "LEASE_LOST",
        "TASK_SUPERSEDED",
        "TASK_RESULT_INVALID",
        "HOOK_NOT_CONFIGURED",
        "SUMMARY_NOT_FOUND",
        "POLL_LIMIT_REACHED",
        # recall.py meets these; the others need many collections or another embedder.
        "DOCUMENT_NOT_FOUND",
        "EMBEDDING_MISMATCH",
        "COLLECTION_LIMIT_REACHED",
        "EMBEDDER_UNAVAILABLE",
        "EMBEDDER_OFF",
        # memory.py meets these; the others need many memories, or a hook that fails.
        "MEMORY_NOT_FOUND",
        "MEMORY_VERSION_NOT_FOUND",
        "MEMORY_LIMIT_REACHED",
        "MEMORY_VERSION_LIMIT_REACHED",
        "HOOK_FAILED",
        # records.py meets these.
        "RECORD_NOT_FOUND",
        "RECORD_ALREADY_EXISTS",
        "RECORD_VERSION_MISMATCH",
        "RECORD_VALUE_TOO_LARGE",
        "DOCUMENT_OF_RECORD",
        # upload_value sends the parts in order, and the put their checksum.
        "UPLOAD_OFFSET_MISMATCH",
        "RECORD_CHECKSUM_MISMATCH",
        # Need a directory of back-ups, or many erasures; tests of the server meet these.
        "BACK_UP_RUNNING",
        "BACK_UP_FAILED",
        "COMPACTION_RUNNING",
        "COMPACTION_FAILED",
        "REPLY_TOO_LARGE",
        "CONTEXT_BUDGET_TOO_SMALL",
        "ERASURE_LIMIT_REACHED",
        "ANSWER_ERASED",
    }
    for reason in {name for name in vars(ErrorReason) if name.isupper()} - elsewhere:
        assert f" {reason}: " in out, reason
    for preset in ("sliding_window", "tool_results_first", "pin_summarize_recent"):
        assert f"\n{preset}: " in out


def test_recall_finds_the_year(server: RealServer) -> None:
    out = run("recall.py", server.address)
    for reason in ("REQUEST_INVALID", "EMBEDDING_MISMATCH", "DOCUMENT_NOT_FOUND"):
        assert f" {reason}: " in out, reason
    assert "deleted 3 chunks of the guide" in out
    assert "stored at length 1: [0.6, 0.8]" in out
    assert out.endswith("\nDone.\n")


def test_memory_follows_a_fact_over_time(server: RealServer) -> None:
    out = run("memory.py", server.address)
    for reason in (
        "ETAG_MISMATCH",
        "MEMORY_NOT_FOUND",
        "MEMORY_VERSION_NOT_FOUND",
        "TASK_NOT_FOUND",
        "SESSION_NOT_FOUND",
    ):
        assert f" {reason}: " in out, reason
    assert "now: Ana lives in Berlin. in March: Ana lives in Porto." in out
    assert out.endswith("\nDone.\n")


def test_records_keep_checkpoints(server: RealServer) -> None:
    out = run("records.py", server.address)
    for reason in ("ALREADY_EXISTS", "VERSION_MISMATCH", "NOT_FOUND"):
        assert f" RECORD_{reason}: " in out, reason
    assert "the newest: 0003, by version 2 of latest" in out
    assert "deleted 4 checkpoints, more: False" in out
    assert out.endswith("\nDone.\n")


def test_walkthrough_calls_every_method() -> None:
    from test_client import CALLS, STREAMS

    names = ("walkthrough.py", "tasks.py", "recall.py", "memory.py", "records.py")
    files = [ROOT / "examples" / name for name in names]
    source = "".join(file.read_text() for file in files)
    for name in (*CALLS, *STREAMS):
        assert re.search(rf"\.{name}\b", source), name


def test_the_readme_names_every_method() -> None:
    from test_client import CALLS, STREAMS

    text = (ROOT / "README.md").read_text()
    for name in (*CALLS, *STREAMS):
        assert re.search(rf"^\| `{name}\(", text, re.MULTILINE), name
