"""The persistence of flows beside what the tests of CrewAI ask."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest
from crewai.flow.async_feedback.types import PendingFeedbackContext
from crewai.flow.flow import Flow, FlowState, listen, start
from crewai.flow.persistence import persist
from crewai.flow.persistence.base import _persistence_registry
from crewai.memory.unified_memory import Memory
from integration import between_ranges, erase, left_of, record_uploads
from memorysidecar import Client, ErrorReason, MemorySidecarError, NotFound
from memorysidecar.adapters.plans import Runner
from pydantic import BaseModel, Field
from real import PATIENT, RealServer

from memorysidecar_crewai import SidecarFlowPersistence, SidecarMemoryStorage


def context_of(flow_id: str) -> PendingFeedbackContext:
    return PendingFeedbackContext(
        requested_at=datetime(2026, 1, 2, 3, 4, 5, 6),
        flow_id=flow_id,
        flow_class="Flow",
        method_name="ask",
        method_output={"draft": "ü"},
        message="Is this right?",
    )


def test_a_flow_goes_on_after_its_server_is_killed(own_server: RealServer) -> None:
    class Steps(FlowState):
        done: list[str] = Field(default_factory=list)

    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        persistence = SidecarFlowPersistence(client)
        remembered = Memory(storage=SidecarMemoryStorage(client))
        left = [True]

        class Working(Flow[Steps]):
            @start()
            @persist(persistence)
            def first(self) -> None:
                self.state.done.append("first")
                own_server.kill()
                own_server.start()

            @listen(first)
            @persist(persistence)
            def second(self) -> None:
                if left.pop():
                    raise RuntimeError("the process dies here")
                self.state.done.append("second")

        flow = Working(persistence=persistence, memory=remembered)
        with pytest.raises(RuntimeError, match="dies here"):
            flow.kickoff()
        saved = persistence.load_state(flow.state.id)
        assert saved is not None and saved["done"] == ["first"]
        left.append(False)
        again = Working(persistence=SidecarFlowPersistence(client), memory=remembered)
        again.kickoff(inputs={"id": flow.state.id})
        assert again.state.done == ["first", "first", "second"]
    assert own_server.starts == 3


def test_states_and_feedback_come_back_as_they_were(client: Client) -> None:
    class Deep(BaseModel):
        text: str = "ü\0😀"

    persistence = SidecarFlowPersistence(client)
    for flow_id in ("a", "a/b", "ü %\n", "x" * 3_000):
        assert persistence.load_state(flow_id) is None
        assert persistence.load_pending_feedback(flow_id) is None
        state = {"id": flow_id, "n": 2**60 + 1, "f": 1.0, "set": {1}, "deep": Deep()}
        plain = {**state, "set": [1], "deep": {"text": "ü\0😀"}}
        persistence.save_state(flow_id, "first", state)
        assert persistence.load_state(flow_id) == plain
        persistence.save_pending_feedback(flow_id, context_of(flow_id), Deep())
        assert persistence.load_state(flow_id) == {"text": "ü\0😀"}
        pending = persistence.load_pending_feedback(flow_id)
        assert pending is not None
        assert pending[0] == {"text": "ü\0😀"}
        assert pending[1].to_dict() == context_of(flow_id).to_dict()
        persistence.save_state(flow_id, "second", {"later": True})
        assert persistence.load_pending_feedback(flow_id) == pending
        for _ in range(2):
            persistence.clear_pending_feedback(flow_id)
        assert persistence.load_pending_feedback(flow_id) is None
        assert persistence.load_state(flow_id) == {"later": True}
    with pytest.raises(ValueError, match="a dict or a model"):
        persistence.save_state("a", "first", [])  # type: ignore[arg-type]


def test_large_states_are_kept_whole_and_pauses_are_one_transaction(client: Client) -> None:
    persistence = SidecarFlowPersistence(client)
    for size in (2_500_000, 9_000_000):
        state = {"text": "x" * size}
        persistence.save_pending_feedback("1", context_of("1"), state)
        assert persistence.load_state("1") == state
        assert (persistence.load_pending_feedback("1") or [None])[0] == state


def test_a_state_that_changes_while_it_is_loaded_comes_whole(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    persistence = SidecarFlowPersistence(client)
    old, new = ({"text": letter * 5_000_000} for letter in "ab")
    persistence.save_pending_feedback("1", context_of("1"), old)
    between_ranges(client, monkeypatch, lambda: persistence.save_state("1", "ask", new))
    assert persistence.load_state("1") == new
    between_ranges(client, monkeypatch, lambda: persistence.clear_pending_feedback("1"))
    assert persistence.load_pending_feedback("1") is None


@pytest.mark.parametrize("user", ["ana", None])
def test_no_upload_stays_when_a_pause_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch, user: str | None
) -> None:
    persistence = SidecarFlowPersistence(client, user_id=user)

    def pause() -> str:
        state = {"text": "x" * 5_000_000}
        with pytest.raises(MemorySidecarError) as caught:
            persistence.save_pending_feedback("1", context_of("1"), state)
        assert persistence.load_state("1") is None
        assert persistence.load_pending_feedback("1") is None
        return caught.value.reason

    def take(count: int) -> None:
        if count == 2:
            client.put_record("taken", "first", uploads[0])

    with monkeypatch.context() as patched:
        # Without one of its values, the server refuses the transaction.
        uploads = record_uploads(client, patched, take)
        assert pause() == ErrorReason.UPLOAD_NOT_FOUND
    assert len(uploads) == 2
    assert Runner(client).run(left_of(uploads)) == []

    def fail(count: int) -> None:
        if count == 2:
            client.get_record("none", "none")

    with monkeypatch.context() as patched:
        # The second fails as one fails that the namespace has no place for.
        uploads = record_uploads(client, patched, fail)
        assert pause() == ErrorReason.RECORD_NOT_FOUND
    assert len(uploads) == 2
    assert Runner(client).run(left_of(uploads[:1])) == []


def test_each_user_has_flows_of_their_own_until_they_are_erased(client: Client) -> None:
    def of(user: str | None) -> SidecarFlowPersistence:
        return SidecarFlowPersistence(client, user_id=user)

    users = ("ana", "ana/", "-", "bob", None)
    for user in users:
        of(user).save_pending_feedback("1", context_of("1"), {"user": user})
    erase(client, "ana")
    for user in users:
        left = None if user == "ana" else {"user": user}
        assert of(user).load_state("1") == left
        assert (of(user).load_pending_feedback("1") or [None])[0] == left
    assert SidecarFlowPersistence(client, root="other").load_state("1") is None
    with pytest.raises(ValueError, match="user_id must not be empty"):
        of("")


def test_writers_that_race_leave_one_whole_state(client: Client) -> None:
    def write(writer: int) -> None:
        for number in range(5):
            state = {"writer": writer, "number": number}
            SidecarFlowPersistence(client).save_pending_feedback("1", context_of("1"), state)

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, range(3)))
    persistence = SidecarFlowPersistence(client)
    state = persistence.load_state("1")
    assert state is not None and state["number"] == 4
    assert (persistence.load_pending_feedback("1") or [None])[0] == state


def test_a_checkpoint_keeps_where_the_states_are_but_no_token(client: Client) -> None:
    persistence = SidecarFlowPersistence(client, user_id="ana", token="secret")
    persistence.save_state("1", "first", {"a": 1})
    kept = persistence.model_dump(mode="json")
    assert "secret" not in str(kept) + repr(persistence)
    made = _persistence_registry[kept["persistence_type"]].model_validate(kept)
    assert made.load_state("1") == {"a": 1}
    assert copy.deepcopy(persistence) is persistence
    with pytest.raises(NotFound):
        client.get_record(["crewai", "flows", "-", "-"], "_1")
