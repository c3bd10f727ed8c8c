"""The checkpointer beside what the conformance suite asks: large values, erasure, kills, races."""

from __future__ import annotations

import operator
import threading
from concurrent.futures import Future
from functools import partial
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import pytest
from integration import erase
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from memorysidecar import AsyncClient, Client
from memorysidecar.adapters import connect
from real import PATIENT, RealServer, meanwhile

from memorysidecar_langgraph import SidecarSaver, SidecarStore
from memorysidecar_langgraph import _values as values


class State(TypedDict):
    steps: Annotated[list[int], operator.add]


def config_of(thread: str, **more: Any) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", **more}}


def put(saver: SidecarSaver, thread: str, value: Any, **more: Any) -> dict[str, Any]:
    """Puts a checkpoint with one channel behind the newest one of the thread."""
    before = saver.get_tuple(config_of(thread))
    parent = {"checkpoint_id": before.checkpoint["id"]} if before else {}
    last = before.checkpoint["channel_versions"].get("channel") if before else None
    version = saver.get_next_version(last, None)
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"channel": value}
    checkpoint["channel_versions"] = {"channel": version}
    config = config_of(thread, **parent, **more)
    return saver.put(config, checkpoint, {"source": "loop", "step": 1}, {"channel": version})


def records_of(client: Client, thread: str, kind: str) -> list[Any]:
    return list(client.list_records(["langgraph", kind, f"_{thread}"], recursive=True))


SIZES = (0, values.PART_BYTES, values.PART_BYTES + 1, 3 * values.PART_BYTES + 17)


@pytest.mark.parametrize("size", SIZES)
def test_values_of_any_size_come_back(client: Client, size: int) -> None:
    saver = SidecarSaver(client)
    value = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    put(saver, "large", value)
    saver.put_writes(saver.get_tuple(config_of("large")).config, [("c", value)], "task")
    saver.copy_thread("large", "copy")
    for thread in ("large", "copy"):
        found = saver.get_tuple(config_of(thread))
        assert found.checkpoint["channel_values"] == {"channel": value}
        assert found.pending_writes == [("task", "c", value)]
    saver.delete_thread("large")
    assert records_of(client, "large", "parts") == []
    assert saver.get_tuple(config_of("copy")).checkpoint["channel_values"] == {"channel": value}


@pytest.mark.parametrize("thread", ["a/b", "%00\n", "ü" * 300, " ", "x" * 255])
def test_threads_may_have_any_name(client: Client, thread: str) -> None:
    saver = SidecarSaver(client)
    put(saver, thread, 1)
    assert saver.get_tuple(config_of(thread)).checkpoint["channel_values"] == {"channel": 1}
    assert [one.config["configurable"]["thread_id"] for one in saver.list(None)] == [thread]
    saver.delete_thread(thread)
    assert saver.get_tuple(config_of(thread)) is None


def test_pruning_deletes_the_values_that_nothing_refers_to(client: Client) -> None:
    saver = SidecarSaver(client)
    for value in (b"1" * (values.PART_BYTES + 1), b"2", b"3"):
        put(saver, "long", value)
    assert len(records_of(client, "long", "blobs")) == 3
    saver.prune(["long"])
    assert len(records_of(client, "long", "blobs")) == 1
    assert records_of(client, "long", "parts") == []
    assert [one.checkpoint["channel_values"] for one in saver.list(config_of("long"))] == [
        {"channel": b"3"}
    ]
    with pytest.raises(ValueError, match="keep_latest"):
        saver.prune(["long"], strategy="all")


def test_a_user_is_erased_with_the_checkpoints(client: Client) -> None:
    saver = SidecarSaver(client)
    config = put(saver, "hers", "secret", user_id="ana")
    saver.put_writes(
        {"configurable": {**config["configurable"], "user_id": "ana"}}, [("c", "secret")], "task"
    )
    put(saver, "theirs", "public")
    erase(client, "ana")
    assert saver.get_tuple(config_of("hers")) is None
    for kind in ("checkpoints", "blobs", "writes", "parts"):
        assert records_of(client, "hers", kind) == []
    assert saver.get_tuple(config_of("theirs")) is not None


def test_a_connection_by_url_is_closed(
    server: RealServer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server of the tests has a socket, which no URL names.
    made = partial(Client, server.address, namespace=client.namespace)
    monkeypatch.setattr(connect, "connect", lambda url: made())
    url = "memorysidecar://host:1/notes"
    config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    with SidecarSaver.from_url(url) as saver, SidecarStore.from_url(url) as store:
        assert saver.get_tuple(config) is None
        store.put(("a",), "k", {"n": 1})
    with pytest.raises(ValueError, match="closed"):
        saver.get_tuple(config)
    with pytest.raises(ValueError, match="closed"):
        store.get(("a",), "k")


def test_a_list_stops_when_its_reader_stops(client: Client) -> None:
    saver = SidecarSaver(client)
    for value in range(45):
        put(saver, "many", value)
    newest = [one.checkpoint["channel_values"]["channel"] for one in saver.list(config_of("many"))]
    assert newest == list(range(44, -1, -1))
    assert len(list(saver.list(config_of("many"), limit=21))) == 21
    assert list(saver.list(config_of("many"), limit=0)) == []
    assert next(saver.list(None)).checkpoint["channel_values"] == {"channel": 44}


def test_two_writers_of_a_task_leave_its_first_writes(server: RealServer, client: Client) -> None:
    saver = SidecarSaver(client)
    config = put(saver, "raced", 0)
    start = threading.Barrier(4)

    def write(number: int) -> None:
        with Client(server.address, namespace=client.namespace) as own:
            start.wait()
            SidecarSaver(own).put_writes(config, [("a", number), ("b", number)], "task")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [value for _, _, value in saver.get_tuple(config).pending_writes]
    assert len(found) == 2
    assert found[0] == found[1]


async def test_an_async_client_serves_synchronous_calls_of_other_threads_only(
    async_client: AsyncClient,
) -> None:
    import asyncio

    saver = SidecarSaver(async_client)
    assert await asyncio.to_thread(saver.get_tuple, config_of("none")) is None
    with pytest.raises(asyncio.InvalidStateError, match="aget"):
        saver.get_tuple(config_of("none"))


def graph_on(saver: SidecarSaver) -> Any:
    """A graph of 30 steps that asks a person in the middle."""

    def step(state: State) -> dict[str, list[int]]:
        count = len(state["steps"])
        if count == 15:
            count = interrupt("go on?")
        return {"steps": [count]}

    def next_node(state: State) -> str:
        return END if len(state["steps"]) >= 30 else "step"

    builder = StateGraph(State)
    builder.add_node("step", step)
    builder.add_edge(START, "step")
    builder.add_conditional_edges("step", next_node)
    return builder.compile(checkpointer=saver)


def test_a_graph_goes_on_after_the_server_was_killed(own_server: RealServer) -> None:
    config = {"configurable": {"thread_id": uuid4().hex}, "recursion_limit": 100}

    def restart() -> None:
        own_server.kill()
        own_server.start()

    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        graph = graph_on(SidecarSaver(client))
        answer: Any = {"steps": []}
        with meanwhile(restart, after=0.3) as restarted:
            for _ in range(100):
                try:
                    graph.invoke(answer, config)
                    break
                except Exception:
                    # The graph goes on from its last acknowledged checkpoint.
                    answer = None if graph_has_state(graph, config, restarted) else {"steps": []}
        own_server.kill()
        own_server.start()
        assert graph.get_state(config).next == ("step",)
        graph.invoke(Command(resume=15), config)
        assert graph.get_state(config).values == {"steps": list(range(30))}


def graph_has_state(graph: Any, config: Any, restarted: Future[None]) -> bool:
    restarted.result()
    return bool(graph.get_state(config).created_at)
