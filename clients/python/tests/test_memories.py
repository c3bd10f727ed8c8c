"""Memories as lines, as a block and as tools, against the real server."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Literal

import grpc
import pytest
from fake import FakeServer, fail
from real import ROOT, RealServer

import memorysidecar as ms
from memorysidecar import (
    AsyncClient,
    AsyncMemoryTools,
    Client,
    MemoryTools,
    async_export_memories,
    async_import_memories,
    async_memory_block,
    export_memories,
    import_memories,
    memory_block,
    v1,
)

TYPESCRIPT = ROOT / "clients/typescript/src/index.ts"
# Reads lines into one namespace and writes what is there.
CARRY = """
import { readFileSync } from "node:fs";
import { connect, exportMemories, importMemories } from CLIENT;
const [address, namespace, file] = process.argv.slice(2);
const client = connect(address, { namespace });
await importMemories(client, readFileSync(file, "utf8").split("\\n"));
for await (const line of exportMemories(client, { everyone: true })) console.log(line);
client.close();
"""
MARCH = datetime(2026, 3, 1, 12, 30, 0, 250_000, tzinfo=timezone.utc)
# Fields that the server sets.
OWN = (
    *("state", "mention_count", "version", "writer", "reason", "create_time"),
    *("update_time", "expire_time", "etag", "superseded_by_memory_id"),
)

SCHEMA_OF = {
    "openai": lambda tool: tool["function"]["parameters"],
    "anthropic": lambda tool: tool["input_schema"],
    "mcp": lambda tool: tool["inputSchema"],
}


EVERYONE = {"everyone": True}


def everything(client: Client) -> None:
    """Remembers one memory of each kind, with every field somewhere."""
    ana: dict[str, Any] = {"user_id": "ana"}
    client.remember(
        [
            {
                **ana,
                "agent_id": "cook",
                "session_id": "s",
                "text": 'Ana says "ñandú"\nand 🦤.',
                "key": "bird",
                "category": "animals",
                "topics": ["birds", "words"],
                "importance": 0.0,
                "confidence": 0.25,
                "trust": "low",
                "persistent": True,
                "labels": {"from": "test"},
                "metadata": {"deep": {"list": [1, "two", None, True, 0.5]}},
                "valid_from_time": MARCH,
                "valid_until_time": MARCH + timedelta(days=31),
                "ttl": timedelta(days=9, milliseconds=5),
                "source": {"session_id": "s", "message_ids": ["m1", "m2"]},
                "last_seen_time": MARCH,
            },
            {**ana, "kind": "preference", "text": "Ana likes tea."},
            {"kind": "knowledge", "text": "Tea is a leaf."},
            {
                **ana,
                "entity": {
                    "name": "Acme",
                    "type": "organization",
                    "aliases": ["Acme Inc."],
                    "attributes": {"size": "small"},
                },
            },
            {
                **ana,
                "relation": {"subject": "Ana", "predicate": "works_at", "object_value": "Acme"},
            },
            {**ana, "episode": {"user_text": "Hello?", "assistant_text": "Hi!"}},
            {**ana, "kind": "summary", "text": "Ana works and drinks tea."},
        ]
    )
    client.extract_memories(text="My name is Zoe.", user_id="zoe")


def content(client: Client) -> list[bytes]:
    """Memories of a namespace, without the fields that the server sets."""
    found: list[bytes] = []
    for memory in client.list_memories(filter=EVERYONE):
        for name in OWN:
            memory.ClearField(name)
        origin = memory.source
        for name in ("origin", "hook", "model"):
            origin.ClearField(name)
        if not origin.session_id:
            memory.ClearField("source")
        found.append(memory.SerializeToString(deterministic=True))
    return sorted(found)


def in_typescript(folder: Path, address: str, namespace: str, lines: list[str]) -> list[str]:
    program, file = folder / "carry.mts", folder / "lines.jsonl"
    program.write_text(CARRY.replace("CLIENT", json.dumps(str(TYPESCRIPT))))
    file.write_text("\n".join(lines) + "\n")
    path = f"{ROOT}/node_modules/.bin{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["node", str(program), address, namespace, str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def elsewhere(server: RealServer, client: Client) -> Iterator[Client]:
    """A client of another namespace."""
    with Client(server.address, namespace=f"{client.namespace}-2") as made:
        yield made


def test_lines_carry_every_field_and_make_nothing_twice(client: Client, elsewhere: Client) -> None:
    everything(client)
    lines = list(export_memories(client, EVERYONE))
    assert len({v1.MemoryKind.Name(one.kind) for one in client.list_memories(filter=EVERYONE)}) == 7
    assert all("\n" not in line for line in lines)
    for _ in range(2):
        assert import_memories(elsewhere, ["", *lines, "  "]) == len(lines)
        assert content(elsewhere) == content(client)
    zoe = list(export_memories(client, {"user_id": "zoe"}))
    assert 0 < len(zoe) < len(lines)


def test_typescript_reads_what_python_wrote_and_the_other_way_round(
    server: RealServer, client: Client, elsewhere: Client, tmp_path: Path
) -> None:
    everything(client)
    between = f"{client.namespace}-ts"
    written = in_typescript(
        tmp_path, server.address, between, list(export_memories(client, EVERYONE))
    )
    with Client(server.address, namespace=between) as middle:
        assert content(middle) == content(client)
    import_memories(elsewhere, written)
    assert content(elsewhere) == content(client)


def test_unknown_fields_are_passed_over(client: Client) -> None:
    line = {"kind": "MEMORY_KIND_FACT", "text": "known", "mood": "good", "source": {"new": 1}}
    assert import_memories(client, [json.dumps(line), '{"text": "of no kind"}']) == 2
    assert {one.text for one in client.list_memories(filter=EVERYONE)} == {"known", "of no kind"}


@pytest.mark.parametrize(
    "bad",
    [
        "5",
        "{",
        "[" * 100_000,
        '{"text": 5}',
        '{"kind": "MEMORY_KIND_DREAM", "text": "a"}',
        '{"text": "a", "valid_from_time": "then"}',
        '{"text": "a", "ttl": "long"}',
        '{"text": "a", "topics": "b"}',
        '{"text": "\\ud800"}',
    ],
)
def test_a_bad_line_is_named_and_those_before_it_are_remembered(client: Client, bad: str) -> None:
    with pytest.raises(ValueError, match=r"^line 3 is no memory: "):
        import_memories(client, ['{"text": "before"}', "", bad, '{"text": "behind"}'])
    assert [one.text for one in client.list_memories(filter=EVERYONE)] == ["before"]


@pytest.mark.parametrize("shape", ["openai", "anthropic", "mcp"])
def test_definitions_are_schemas_in_the_shape_of_the_provider(
    shape: Literal["openai", "anthropic", "mcp"],
) -> None:
    tools = MemoryTools.definitions(shape)
    keys = {
        "openai": {"type", "function"},
        "anthropic": {"name", "description", "input_schema"},
        "mcp": {"name", "description", "inputSchema"},
    }
    assert json.loads(json.dumps(tools)) == tools
    for tool, name in zip(tools, ("remember", "recall", "forget"), strict=True):
        assert set(tool) == keys[shape]
        assert (tool["function"] if shape == "openai" else tool)["name"] == name
        if shape == "openai":
            assert tool["type"] == "function"
            assert set(tool["function"]) == {"name", "description", "parameters"}
        schema = SCHEMA_OF[shape](tool)
        assert schema["type"] == "object" and schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])
        for one in schema["properties"].values():
            assert one["type"] in {"string", "integer", "boolean"} and one["description"]


def test_an_unknown_shape_is_refused() -> None:
    with pytest.raises(ValueError, match='openai, anthropic, mcp, not "gemini"'):
        MemoryTools.definitions("gemini")  # type: ignore[arg-type]


def test_a_model_remembers_recalls_and_forgets(client: Client) -> None:
    tools = MemoryTools(client, user_id="ana")
    old = tools.call("remember", '{"content": "Ana lives in Porto.", "key": "home_city"}')
    given = {"content": "Ana lives in Berlin.", "key": "home_city", "category": "place"}
    new = tools.call("remember", {**given, "persistent": "yes"})
    assert (
        client.get_memory(new).persistent and client.get_memory(old).superseded_by_memory_id == new
    )
    found = f"Found 1 memory:\n1. [place] Ana lives in Berlin. (id: {new})"
    assert tools.call("recall", '{"query": "where does Ana live", "limit": "3"}') == found
    silent = MemoryTools(client, user_id="ana", show_ids=False)
    assert silent.call("recall", {"query": "home", "limit": 1e400}).endswith("in Berlin.")
    assert tools.call("forget", {"memory_id": new}) == "Forgotten."
    assert tools.call("forget", {"memory_id": new}) == f"No memory has the id '{new}'."
    assert tools.call("recall", {"query": "Berlin"}) == "No memories found matching 'Berlin'."


def test_a_model_reaches_nobody_else(client: Client) -> None:
    ana = MemoryTools(client, user_id="ana", agent_id="cook")
    secret = ana.call("remember", {"content": "Ana hides the key under a stone.", "key": "stone"})
    shared = client.remember("The key fits every door.").results[0].memory_id
    others = [
        MemoryTools(client, user_id="bo", agent_id="cook"),
        MemoryTools(client, user_id="ana", agent_id="clerk"),
        MemoryTools(client, user_id="ana"),
        MemoryTools(client),
    ]
    for other in others:
        assert other.call("forget", {"memory_id": secret}).startswith("No memory has the id")
        said = other.call("recall", {"query": "Where is the key?", "limit": 100})
        assert "stone" not in said and "fits every door" in said
        # A key of one's own is no other's.
        other.call("remember", {"content": "Nothing.", "key": "stone"})
    assert client.get_memory(secret).state == v1.MEMORY_STATE_ACTIVE
    assert ana.call("forget", {"memory_id": shared}).startswith("No memory has the id")
    assert "under a stone" in ana.call("recall", {"query": "key"})


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("remember", "{", "the arguments are not a JSON object."),
        ("remember", "", "the arguments are not a JSON object."),
        ("remember", "[]", "the arguments are not a JSON object."),
        ("remember", "[" * 100_000, "the arguments are not a JSON object."),
        ("remember", None, "the arguments are not a JSON object."),
        ("remember", {}, "content must be a text."),
        ("remember", {"content": 5}, "content must be a text."),
        ("remember", {"content": " \n"}, "content must not be empty."),
        ("remember", {"content": "x" * 20_000}, "content is longer than 16384 bytes."),
        ("remember", {"content": "x", "key": "k" * 200}, "key is longer than 128 bytes."),
        ("remember", '{"content": "\\ud800"}', "a text holds half a character."),
        ("recall", {"limit": 3}, "query must be a text."),
        ("forget", {"memory_id": "x" * 300}, "memory_id is longer than 256 bytes."),
        ("forget", {"memory_id": ""}, "memory_id is required."),
        ("toString", {}, 'there is no tool "toString".'),
    ],
)
def test_bad_arguments_are_answered(client: Client, name: str, arguments: Any, said: str) -> None:
    assert MemoryTools(client, user_id="ana").call(name, arguments) == f"Error: {said}"
    assert not list(client.list_memories(filter=EVERYONE))


def test_a_failure_of_the_server_raises(fake: FakeServer, fake_client: Client) -> None:
    for code, kind in (
        (grpc.StatusCode.INTERNAL, ms.MemorySidecarError),
        (grpc.StatusCode.INVALID_ARGUMENT, ms.Invalid),
    ):
        fake.script["Recall"] = [fail(code, "INTERNAL")]
        with pytest.raises(kind):
            MemoryTools(fake_client).call("recall", {"query": "x"})


def test_the_block_says_how_sure_it_is(client: Client) -> None:
    assert memory_block(client, "ana") == ""
    client.remember(
        [
            {"text": "Ana plays the cello.", "user_id": "ana", "importance": 0.9},
            {"text": "Ana may like opera.", "user_id": "ana", "confidence": 0.2},
            {"text": "Bo plays chess.", "user_id": "bo", "importance": 1.0},
        ]
    )
    block = memory_block(client, "ana")
    assert block.splitlines()[0] == "## What I remember about you:"
    assert block.splitlines()[1] == "- Ana plays the cello. (confidence: high)"
    assert "opera" in block and "(confidence: low)" in block and "Bo" not in block
    best = memory_block(client, "ana", query="opera", top_k=1, heading="Known:")
    assert best.startswith("Known:\n- Ana may like opera.") and "cello" not in best


def test_tools_files_and_blocks_work_in_asyncio(client: Client) -> None:
    async def run() -> None:
        async with AsyncClient(client.address) as other:
            tools = AsyncMemoryTools(other, user_id="ana")
            memory_id = await tools.call("remember", {"content": "Ana sings."})
            said = await tools.call("recall", {"query": "what does Ana do"})
            assert said == f"Found 1 memory:\n1. Ana sings. (id: {memory_id})"
            assert "- Ana sings." in await async_memory_block(other, "ana")
            lines = [line async for line in async_export_memories(other, {"user_id": "ana"})]
            assert await async_import_memories(other, lines) == 1
            with pytest.raises(ValueError, match="line 2 is no memory"):
                await async_import_memories(other, [*lines, "{"])
            assert await tools.call("forget", {"memory_id": memory_id}) == "Forgotten."
            assert await tools.call("forget", "{}") == "Error: memory_id must be a text."
            with pytest.raises(ValueError, match="no user"):
                [line async for line in async_export_memories(other, {})]

    asyncio.run(run())


def test_recall_finds_what_a_user_may_see(client: Client) -> None:
    for user in ("ana", "bob"):
        client.create_session(session_id=f"s-{user}", user_id=user)
        client.append(
            f"s-{user}", {"role": "user", "message_id": f"said-{user}", "text": "My vault."}
        )
        client.remember({"memory_id": f"memory-{user}", "text": "A vault code."}, user_id=user)
        client.upsert_documents(
            {"document_id": f"document-{user}", "text": "Vault codes."}, user_id=user
        )
    client.remember({"memory_id": "memory-all", "text": "The vault has a code."})

    def found(**arguments: Any) -> set[str]:
        hits = client.recall("vault code", page_size=50, **arguments).hits
        ids = ((one.memory.memory_id, one.document.document_id, one.message) for one in hits)
        return {memory or document or said.message.message_id for memory, document, said in ids}

    ana = {"said-ana", "memory-ana", "document-ana"}
    bob = {"said-bob", "memory-bob", "document-bob"}
    assert found() == {"memory-all"}
    assert found(user_id="ana") == ana | {"memory-all"}
    assert found(user_id="ana", filter={"kinds": ["message"]}) == {"said-ana"}
    only_messages = v1.RecallFilter(kinds=[v1.RECALL_KIND_MESSAGE])
    assert found(user_id="bob", filter=only_messages) == {"said-bob"}
    assert not only_messages.HasField("scope")
    assert found(user_id="nobody") == found(agent_id="clerk") == {"memory-all"}
    assert found(filter={"everyone": True}) == ana | bob | {"memory-all"}
    for own in ({"user_id": "bob"}, {"everyone": True}):
        with pytest.raises(ValueError, match="in the filter or beside it"):
            found(user_id="ana", filter=own)


def test_a_session_of_the_reader_is_no_filter(client: Client) -> None:
    for session, said in (("s1", "I sail to Funchal."), ("s2", "I sail to Porto.")):
        client.append(session, said, create_session=True, session={"user_id": "ana"})
    client.remember("Ana sails at noon.", user_id="ana", session_id="s1")

    def found(**reader: Any) -> list[str]:
        hits = client.recall("Where does Ana sail?", user_id="ana", **reader).hits
        return sorted(hit.message.message.text or hit.memory.text for hit in hits)

    assert found() == ["I sail to Funchal.", "I sail to Porto."]
    assert found(session_id="s1") == ["Ana sails at noon.", *found()]
    assert found(filter={"session_ids": ["s1"]}) == ["I sail to Funchal."]
