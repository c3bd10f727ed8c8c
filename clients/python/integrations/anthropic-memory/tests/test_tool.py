"""The tools beside what the suite of the SDK asks: agents, races, kills, recall, sizes, erasure."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import ToolError
from commands import create, delete, insert, rename, replace, view
from integration import erase, left_of, record_uploads
from memorysidecar import AsyncClient, Client, MemorySidecarError, v1
from memorysidecar.adapters.plans import Runner
from real import PATIENT, RealServer

from memorysidecar_anthropic_memory import AsyncSidecarMemoryTool, SidecarMemoryTool
from memorysidecar_anthropic_memory._paths import place_of, root_of

PLACE = "/memories/trip/plan.md"
SHARED = ("claude-memory", "no-user", "no-agent")
"""Path of the files of a tool without a user and an agent."""
NAMES = Path(__file__).parents[4] / "typescript/integrations/anthropic-memory/test/names.json"


def told(tool: SidecarMemoryTool, command: dict[str, Any]) -> str:
    """Gives what the model is told of a command, errors as well."""
    try:
        return str(tool.call(command))
    except ToolError as error:
        return str(error)


def documents(client: Client) -> list[v1.Document]:
    """Gives what searches can find."""
    return list(client.list_documents(collection_id="claude-memory", filter={"everyone": True}))


class Script:
    """The API of Anthropic, with the answers of a model that were written before."""

    def __init__(self, *commands: dict[str, Any], before: Callable[[int], None]) -> None:
        self.commands = commands
        self.before = before
        self.requests: list[dict[str, Any]] = []

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        turn = len(self.requests)
        self.requests.append(json.loads(request.content))
        self.before(turn)
        block: dict[str, Any] = {"type": "text", "text": "Done."}
        if turn < len(self.commands):
            command = self.commands[turn]
            block = {"type": "tool_use", "id": f"t{turn}", "name": "memory", "input": command}
        return httpx2.Response(
            200,
            json={
                "id": f"msg_{turn}",
                "type": "message",
                "role": "assistant",
                "model": "scripted",
                "content": [block],
                "stop_reason": "end_turn" if block["type"] == "text" else "tool_use",
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            },
        )

    async def answer_async(self, request: httpx2.Request) -> httpx2.Response:
        return await asyncio.to_thread(self.answer, request)

    @property
    def results(self) -> list[str]:
        """Answers that the model was given, one for each command."""
        answers = [request["messages"][-1]["content"] for request in self.requests[1:]]
        return [answer[0]["content"] for answer in answers]


COMMANDS = (
    create(PLACE, "Lisbon on Friday.\n"),
    insert(PLACE, 1, "A window seat."),
    rename("/memories/trip", "/memories/trips/lisbon"),
    view("/memories/trips/lisbon/plan.md"),
)
ANSWERS = [
    f"File created successfully at: {PLACE}",
    f"The file {PLACE} has been edited.",
    "Successfully renamed /memories/trip to /memories/trips/lisbon",
    "Here's the content of /memories/trips/lisbon/plan.md with line numbers:\n"
    "     1\tLisbon on Friday.\n     2\tA window seat.\n     3\t",
]
ASK: Any = {
    "model": "scripted",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Remember my trip."}],
}


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_an_agent_goes_on_while_the_server_is_killed(
    own_server: RealServer, kind: str
) -> None:
    def restart(turn: int) -> None:
        if turn == 2:
            own_server.kill()
            own_server.start()

    script = Script(*COMMANDS, before=restart)
    if kind == "sync":
        transport = httpx2.Client(transport=httpx2.MockTransport(script.answer))
        api = Anthropic(api_key="-", http_client=transport)
        with Client(own_server.address, retry=PATIENT, timeout=60) as client:
            tool = SidecarMemoryTool(client, user_id="ana")
            runner = api.beta.messages.tool_runner(**ASK, tools=[tool])
            final: Any = await asyncio.to_thread(runner.until_done)
        api.close()
    else:
        async_transport = httpx2.AsyncClient(transport=httpx2.MockTransport(script.answer_async))
        async with (
            AsyncAnthropic(api_key="-", http_client=async_transport) as async_api,
            AsyncClient(own_server.address, retry=PATIENT, timeout=60) as async_client,
        ):
            async_tool = AsyncSidecarMemoryTool(async_client, user_id="ana")
            final = await async_api.beta.messages.tool_runner(
                **ASK, tools=[async_tool]
            ).until_done()
    assert final.content[0].text == "Done."
    assert script.results == ANSWERS
    assert script.requests[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]


def test_no_acknowledged_line_is_lost_or_doubled_by_kills(own_server: RealServer) -> None:
    draw = random.Random(7)
    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        tool = SidecarMemoryTool(client)
        tool.call(create(PLACE, ""))
        for number in range(8):
            written = threading.Thread(
                target=tool.call, args=(insert(PLACE, number, f"line {number}"),)
            )
            written.start()
            if number % 4 == 2:
                threading.Event().wait(draw.random() * 0.02)
                own_server.kill()
                own_server.start()
            written.join()
        lines = "".join(f"{number:>6}\tline {number - 1}\n" for number in range(1, 9))
        assert told(tool, view(PLACE)).split(":\n")[1] == f"{lines}     9\t"


def test_two_writers_lose_no_line(server: RealServer) -> None:
    namespace = f"t-{uuid4().hex}"

    def write(number: int) -> None:
        with Client(server.address, namespace=namespace) as client:
            tool = SidecarMemoryTool(client)
            told(tool, create(PLACE, ""))
            for index in range(15):
                tool.call(insert(PLACE, 0, f"{number}-{index}"))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, range(2)))
    with Client(server.address, namespace=namespace) as client:
        record = client.get_whole_record((*SHARED, "trip"), "plan.md")
    wanted = sorted(f"{number}-{index}" for number in range(2) for index in range(15))
    assert sorted(record.value.decode().split()) == wanted


def test_racing_writers_leave_a_whole_tree(server: RealServer) -> None:
    namespace = f"t-{uuid4().hex}"
    names = ("a", "b", "a/x", "b/x", "a/x/y", "b/y")

    def write(seed: int) -> int:
        draw = random.Random(seed)
        created = 0
        with Client(server.address, namespace=namespace) as client:
            tool = SidecarMemoryTool(client)
            for index in range(60):
                one, other = (f"/memories/{name}" for name in draw.choices(names, k=2))
                kind = draw.randrange(6)
                if kind < 3:
                    created += "success" in told(tool, create(f"{one}/{seed}-{index}", "text"))
                elif kind < 5:
                    told(tool, rename(one, other))
                else:
                    told(tool, delete(one))
        return created

    with ThreadPoolExecutor(3) as pool:
        created = list(pool.map(write, range(3)))
    assert min(created) > 0
    with Client(server.address, namespace=namespace) as client:
        kinds = {
            (*record.path, record.key): record.media_type
            for record in client.list_records("claude-memory", recursive=True)
        }
        for name in kinds:
            for size in range(len(SHARED) + 1, len(name)):
                assert kinds[name[:size]] == "inode/directory", name
        found = {(*one.record.path, one.record.key) for one in documents(client)}
    assert found == {name for name, kind in kinds.items() if kind == "text/plain"}


def test_a_large_file_that_changes_while_it_moves_arrives_with_its_change(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = SidecarMemoryTool(client, search=False)
    text, changed = "a" * 3_500_000, "b" * 3_500_000
    tool.call(create(PLACE, text))
    upload = client.upload_value

    def upload_before_a_change(value: bytes) -> Any:
        monkeypatch.undo()
        sent = upload(value)
        tool.call(replace(PLACE, text, changed))
        return sent

    monkeypatch.setattr(client, "upload_value", upload_before_a_change)
    tool.call(rename(PLACE, "/memories/moved.md"))
    record = client.get_whole_record(SHARED, "moved.md")
    assert record.value == changed.encode()


def test_no_upload_stays_whatever_comes_between(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = SidecarMemoryTool(client, search=False)
    large = "a" * 3_500_000
    between: list[dict[str, Any]] = []
    uploads = record_uploads(client, monkeypatch, lambda _: between and tool.call(between.pop()))
    # Another program creates the same file, makes the directory, edits the file, takes the place.
    between.append(create(PLACE, "short"))
    assert told(tool, create(PLACE, large)) == f"File {PLACE} already exists"
    between.append(create("/memories/new/other.md", ""))
    tool.call(create("/memories/new/large.md", large))
    between.append(insert(PLACE, 1, "more"))
    tool.call(replace(PLACE, "short", large))
    between.append(create("/memories/taken.md", ""))
    assert "already exists" in told(tool, rename(PLACE, "/memories/taken.md"))
    assert len(uploads) == 6
    assert Runner(client).run(left_of(uploads)) == []


def test_no_upload_stays_when_a_later_one_fails(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = SidecarMemoryTool(client, user_id="ana", search=False)
    for name in "ab":
        tool.call(create(f"/memories/d/{name}", name * 3_500_000))

    def fail(count: int) -> None:
        if count == 2:
            client.get_record("none", "none")

    # The second fails as one fails that the namespace has no place for.
    uploads = record_uploads(client, monkeypatch, fail)
    with pytest.raises(MemorySidecarError, match="none"):
        tool.call(rename("/memories/d", "/memories/e"))
    assert len(uploads) == 2
    assert Runner(client).run(left_of(uploads[:1])) == []
    kept = {record.key for record in client.list_records("claude-memory", recursive=True)}
    assert kept == {"a", "b", "d"}


def test_only_one_of_two_creates_a_file(server: RealServer) -> None:
    namespace = f"t-{uuid4().hex}"

    def write(number: int) -> list[str]:
        with Client(server.address, namespace=namespace) as client:
            tool = SidecarMemoryTool(client)
            return [told(tool, create(f"/memories/d/{n}", f"{number}")) for n in range(15)]

    with ThreadPoolExecutor(2) as pool:
        pairs = list(zip(*pool.map(write, range(2)), strict=True))
    for pair in pairs:
        assert sorted("already" in one for one in pair) == [False, True]


def test_recall_finds_files_by_their_texts(client: Client) -> None:
    tool = SidecarMemoryTool(client, user_id="ana")
    other = SidecarMemoryTool(client, user_id="bob")
    tool.call(create(PLACE, "# Trip\n\nAna flies to Lisbon on Friday.\n"))
    tool.call(create("/memories/food.md", "Ana likes dark bread.\n"))
    other.call(create("/memories/trip.md", "Bob drives to Porto.\n"))
    tool.call(rename("/memories/trip", "/memories/old"))
    found = client.recall("Where does she fly?", user_id="ana", include_records=True)
    best = found.hits[0]
    assert best.document.metadata["path"] == "/memories/old/plan.md"
    assert best.found_record.record.value == b"# Trip\n\nAna flies to Lisbon on Friday.\n"
    assert all("Bob" not in hit.document.text for hit in found.hits)
    assert "does not exist" in told(tool, view("/memories/trip.md"))
    tool.call(replace("/memories/food.md", "dark bread", "green tea"))
    tool.call(delete("/memories/old"))
    texts = [one.text for one in documents(client)]
    assert sorted(texts) == ["Ana likes green tea.\n", "Bob drives to Porto.\n"]


def test_a_tool_without_search_leaves_nothing_to_recall(client: Client) -> None:
    tool = SidecarMemoryTool(client, root="quiet", agent_id="helper", search=False)
    tool.call(create("/memories/a", "storks"))
    [record] = client.list_records(("quiet", "no-user", "agent=helper"))
    assert (record.key, record.search.document_count) == ("a", 0)


@pytest.mark.parametrize("size", [0, 2_000, 700_000, 5_000_000])
def test_files_of_any_size_come_back_and_move(client: Client, size: int) -> None:
    tool = SidecarMemoryTool(client)
    text = "".join(f"{n:08}é\n" for n in range(size // 10))
    tool.call(create(PLACE, text))
    tool.call(insert(PLACE, 0, "first"))
    tool.call(rename("/memories/trip", "/memories/a"))
    record = client.get_whole_record((*SHARED, "a"), "plan.md")
    assert record.value.decode() == "first\n" + text
    assert record.search.document_count == min(256, -(-(size // 10 * 11 + 6) // 2_000) or 1)


def test_a_large_directory_moves_whole_or_not_at_all(client: Client) -> None:
    tool = SidecarMemoryTool(client, search=False)
    for index in range(125):
        tool.call(create(f"/memories/a/{index}", "x" * (700_000 if index < 6 else 10_000)))
    assert told(tool, rename("/memories/a", "/memories/b/c")).startswith("Successfully")
    for index in range(5):
        tool.call(create(f"/memories/b/{index}", ""))
    before = list(client.list_records("claude-memory", recursive=True))
    assert "too large to rename at once" in told(tool, rename("/memories/b", "/memories/z"))
    assert list(client.list_records("claude-memory", recursive=True)) == before
    for index in range(130):
        tool.call(create(f"/memories/b/{index + 5}", ""))
    assert told(tool, delete("/memories/b")) == "Successfully deleted /memories/b"
    assert list(client.list_records("claude-memory", recursive=True)) == []
    tool.call(create("/memories/a/b", ""))
    assert tool.clear_all_memory() == "All memory cleared"
    assert list(client.list_records("claude-memory", recursive=True)) == []


def test_paths_and_texts_that_no_record_takes_are_errors_of_the_tool(client: Client) -> None:
    tool = SidecarMemoryTool(client, user_id="ana")
    deep, wide = "/memories" + "/d" * 40, "/memories/" + "/".join(["n" * 200] * 6)
    assert "too long or too deep" in told(tool, create(deep, ""))
    assert "too long or too deep" in told(tool, view(wide))
    assert "at most 255 bytes" in told(tool, create(f"/memories/{'n' * 256}", ""))
    assert "NUL" in told(tool, create("/memories/a\0", ""))
    assert "valid Unicode" in told(tool, create("/memories/\ud800", ""))
    assert "valid Unicode" in told(tool, create("/memories/a", "\ud800"))
    assert "would escape" in told(tool, view("/memories/../memories/a"))
    client.put_record(("claude-memory", "user=ana", "no-agent"), "raw", b"\xff")
    assert "not text" in told(tool, view("/memories/raw"))


def test_records_are_named_as_the_integration_for_typescript_does() -> None:
    for case in json.loads(NAMES.read_text()):
        root = root_of(case.get("root", "claude-memory"), case.get("userId"), case.get("agentId"))
        path, key = place_of(root, tuple(case["names"]))
        assert [*path, key] == case["record"]


def test_no_tool_reaches_the_files_of_another_user_or_agent(client: Client) -> None:
    owners = ((None, None), ("ana", None), (None, "helper"), ("ana", "helper"))
    tools = [SidecarMemoryTool(client, user_id=user, agent_id=agent) for user, agent in owners]
    for index, tool in enumerate(tools):
        tool.call(create(PLACE, f"{index}"))
    kept = list(client.list_records("claude-memory", recursive=True))
    guesses = ("user=ana", "agent=helper", "user=ana/agent=helper", "no-user", "no-agent")
    for index, tool in enumerate(tools):
        seen = [line.split("\t")[1] for line in told(tool, view("/memories")).split("\n")[1:]]
        assert seen == ["/memories", "/memories/trip/", "/memories/trip/plan.md"]
        for guess in guesses:
            assert "does not exist" in told(tool, view(f"/memories/{guess}"))
            assert "does not exist" in told(tool, delete(f"/memories/{guess}"))
        tool.call(create(f"/memories/user=ana/agent=helper/{index}", ""))
        tool.call(delete("/memories/user=ana"))
    assert list(client.list_records("claude-memory", recursive=True)) == kept
    for index, tool in enumerate(tools):
        tool.clear_all_memory()
        for other, one in enumerate(tools):
            wanted = "does not exist" if other <= index else f"1\t{other}"
            assert wanted in told(one, view(PLACE))


def test_a_user_is_erased_with_the_files(server: RealServer, client: Client) -> None:
    SidecarMemoryTool(client, user_id="ana").call(create(PLACE, "storks"))
    SidecarMemoryTool(client, user_id="bob").call(create(PLACE, "herons"))
    erase(client, "ana")
    left = client.list_records("claude-memory", recursive=True)
    assert {record.path[1] for record in left} == {"user=bob"}
    assert [one.text for one in documents(client)] == ["herons"]


def test_errors_of_the_server_are_not_swallowed(client: Client) -> None:
    tool = SidecarMemoryTool(client, user_id="x" * 600)
    with pytest.raises(MemorySidecarError, match="path"):
        tool.call(create("/memories/a", ""))
