"""The repository: exactness, the window, redaction, sizes, a kill in the middle of a run, races,
erasure."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from integration import between_ranges, erase, left_of, record_uploads
from memorysidecar import (
    Client,
    ErrorReason,
    MemorySidecarError,
    NotFound,
    RetryPolicy,
    policy,
    v1,
)
from memorysidecar.adapters import records
from memorysidecar.adapters.plans import Runner
from memorysidecar.errors import make_error
from real import PATIENT, RealServer
from scripted import ANSWER, Scripted, use
from strands import Agent, tool
from strands.session import RepositorySessionManager
from strands.types.exceptions import SessionException
from strands.types.session import Session, SessionAgent, SessionMessage, SessionType

from memorysidecar_strands import SidecarSessionRepository
from memorysidecar_strands._messages import fields_of, payload_of

CONTENTS: list[tuple[str, list[dict[str, Any]]]] = [
    ("user", [{"text": "Where are the storks?"}, {"image": {"format": "png", "source": {
        "bytes": b"\xff\0"}}}]),
    ("assistant", [{"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}},
        {"text": "I look."}, use("look", "c1", at=1.0), use("look", "c2", big=9007199254740993)]),
    ("user", [{"toolResult": {"toolUseId": "c2", "status": "error", "content": [{"text": "No."}]}},
        {"toolResult": {"toolUseId": "c1", "status": "success", "content": [
            {"json": {"z": 1.0, "a": None}}, {"text": "On the roof."}]}}]),
    ("assistant", [{"text": "On the roof.\r\n😀"}]),
    ("user", []),
]  # fmt: skip


def message(index: int, text: str | None = None) -> SessionMessage:
    role, content = CONTENTS[index % len(CONTENTS)]
    if text is not None:
        role, content = ("user", "assistant")[index % 2], [{"text": text}]
    return SessionMessage.from_message({"role": role, "content": content}, index)


def fill(repository: SidecarSessionRepository, count: int, *, name: str = "trip") -> None:
    """Creates a session with an agent and messages."""
    repository.create_session(Session(session_id=name, session_type=SessionType.AGENT))
    repository.create_agent(name, SessionAgent("a", {"n": 1}, {"name": "Sliding"}))
    for index in range(count):
        repository.create_message(name, "a", message(index))


def test_messages_come_back_exactly(client: Client) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 5)
    again = repository.list_messages("trip", "a")
    assert [one.message for one in again] == [message(index).message for index in range(5)]
    assert repr(again[1].message["content"][2]) == repr(CONTENTS[1][1][2])
    assert repository.list_messages("trip", "a", limit=2, offset=1) == again[1:3]
    assert repository.list_messages("trip", "a", limit=0) == []
    assert repository.read_message("trip", "a", 3) == again[3]
    assert repository.read_message("trip", "a", 9) is None
    assert repository.list_messages("other", "a") == []
    log = list(client.list_messages(repository.log_of("trip", "a")))
    assert [call.tool_call_id for call in log[1].tool_calls] == ["c1", "c2"]
    assert [part.tool_result.error for part in log[2].parts] == [True, False]


def test_names_of_any_text_are_told_apart(client: Client) -> None:
    repository = SidecarSessionRepository(client)
    names = ["", "/", "a/b", "a%2Fb", "\n", "n" * 600, "n" * 601, "😀" * 200, "/" * 64, "-"]
    for number, name in enumerate(names):
        repository.create_session(Session(session_id=name, session_type=SessionType.AGENT))
        for agent_id in names:
            repository.create_agent(name, SessionAgent(agent_id, {}, {}))
            text = f"{number} {agent_id[:3]}"
            repository.create_message(name, agent_id, message(0, text))
    for number, name in enumerate(names):
        assert repository.read_session(name).session_id == name  # type: ignore[union-attr]
        for agent_id in names:
            [found] = repository.list_messages(name, agent_id)
            assert found.message["content"] == [{"text": f"{number} {agent_id[:3]}"}]


@pytest.mark.parametrize("size", [300_000, 500_000, 5_000_000])
def test_messages_and_states_of_any_size_come_back(client: Client, size: int) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 0)
    large = message(0, "x" * size)
    repository.create_message("trip", "a", large)
    assert repository.read_message("trip", "a", 0) == large
    large.redact_message = {"role": "user", "content": [{"text": "y" * size}]}
    repository.update_message("trip", "a", large)
    assert repository.list_messages("trip", "a")[0].to_message() == large.redact_message
    repository.update_agent("trip", SessionAgent("a", {"s": "x" * size}, {}))
    assert repository.read_agent("trip", "a").state == {"s": "x" * size}  # type: ignore[union-attr]
    repository.delete_session("trip")
    assert list(client.list_records("strands", recursive=True)) == []
    assert list(client.list_sessions()) == []


@pytest.mark.parametrize("window", [False, True])
def test_messages_of_other_programs_are_left_out(client: Client, window: bool) -> None:
    repository = SidecarSessionRepository(client, window=window)
    fill(repository, 1)
    foreign = {"provider": "other", "media_type": "text/plain", "data": b"no JSON"}
    others = [{"text": "by hand"}, {"message_id": "x", "provider_payload": foreign, "text": "y"}]
    log = repository.log_of("trip", "a")
    client.append(log, [{"role": "user", **one} for one in others])
    repository.create_message("trip", "a", message(1, "second"))
    assert [one.message_id for one in repository.list_messages("trip", "a")] == [0, 1]
    [found] = repository.list_messages("trip", "a", limit=1, offset=1)
    assert found.message_id == 1
    client.append(log, [{"role": "user", "message_id": "7", "text": "by hand"}])
    assert repository.read_message("trip", "a", 7) is None


def test_more_than_a_page_comes_back(client: Client) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 0)
    stored = [message(index) for index in range(1_100)]
    fields = [fields_of(one, payload_of(one)) for one in stored]
    named = [{"message_id": f"{index}", **one} for index, one in enumerate(fields)]
    for start in (0, 600):
        client.append(repository.log_of("trip", "a"), named[start : start + 600])
    again = repository.list_messages("trip", "a")
    assert [one.message_id for one in again] == list(range(1_100))
    some = repository.list_messages("trip", "a", limit=60, offset=1_010)
    assert [one.message_id for one in some] == list(range(1_010, 1_070))


def test_what_is_redacted_is_found_no_more(client: Client) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 0)
    secret = message(0, "The password is kumquat.")
    repository.create_message("trip", "a", secret)
    secret.redact_message = {"role": "user", "content": [{"text": "Blocked."}]}
    repository.update_message("trip", "a", secret)
    [found] = repository.list_messages("trip", "a")
    assert found.to_message()["content"] == [{"text": "Blocked."}]
    assert [one.text for one in client.list_messages(repository.log_of("trip", "a"))] == [
        "Blocked."
    ]
    assert all("kumquat" not in hit.passage for hit in client.recall("kumquat").hits)


def test_what_exists_or_is_missing_is_an_error(client: Client) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 1)
    calls: list[Any] = [
        lambda: repository.create_session(Session("trip", SessionType.AGENT)),
        lambda: repository.create_agent("trip", SessionAgent("a", {}, {})),
        lambda: repository.create_agent("other", SessionAgent("a", {}, {})),
        lambda: repository.update_agent("trip", SessionAgent("b", {}, {})),
        lambda: repository.create_message("trip", "a", message(0)),
        lambda: repository.create_message("trip", "b", message(0)),
        lambda: repository.create_message("other", "a", message(0)),
        lambda: repository.update_message("trip", "a", message(1)),
        lambda: repository.delete_session("other"),
    ]
    for call in calls:
        with pytest.raises(SessionException, match="exist"):
            call()
    with pytest.raises(MemorySidecarError, match="path"):
        SidecarSessionRepository(client, root="x" * 300).read_session("trip")


def test_the_window_keeps_its_limit_and_the_log_keeps_all(client: Client) -> None:
    limit = policy.token_budget(max_tokens=80)
    repository = SidecarSessionRepository(client, window=True, policy=limit)
    sizes = []
    for number in range(12):
        model = Scripted(use("look", f"c{number}", at="roof"), ANSWER)

        @tool
        def look(at: str) -> str:
            """Looks at a place."""
            return f"Storks at {at}."

        agent = Agent(
            model=model,
            tools=[look],
            agent_id="a",
            session_manager=RepositorySessionManager("long", repository),
            callback_handler=None,
        )
        agent(f"What does note {number} say about storks?")
        sizes.append(len(model.seen[0]))
        uses = [
            block["toolUse"]
            for one in model.seen[0]
            for block in one["content"]
            if "toolUse" in block
        ]
        results = [
            block["toolResult"]
            for one in model.seen[0]
            for block in one["content"]
            if "toolResult" in block
        ]
        assert [one["toolUseId"] for one in uses] == [one["toolUseId"] for one in results]
    assert 4 < max(sizes) < 20
    window = repository.get_window("long", "a")
    assert window is not None
    assert window.window_totals.token_count <= 80
    log = SidecarSessionRepository(client)
    assert len(log.list_messages("long", "a")) == 48
    found = client.recall("note 3", page_size=3)
    assert any("note 3" in hit.message.message.text for hit in found.hits)
    assert repository.get_window("long", "b") is None


def test_an_agent_goes_on_after_the_server_was_killed(own_server: RealServer) -> None:
    @tool
    def look(place: str) -> str:
        """Looks at a place."""
        own_server.kill()
        own_server.start()
        return f"Storks at {place}."

    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        repository = SidecarSessionRepository(client)
        for model in (Scripted(use("look", "c1", place="the roof"), ANSWER), Scripted(ANSWER)):
            sessions = RepositorySessionManager("trip", repository)
            agent = Agent(
                model=model, tools=[look], session_manager=sessions, callback_handler=None
            )
            agent("Where are they?")
            own_server.kill()
            own_server.start()
        stored = [one.to_message() for one in repository.list_messages("trip", agent.agent_id)]
        assert stored == agent.messages
        assert [one["role"] for one in stored] == ["user", "assistant"] * 3


def test_of_two_writers_of_a_message_one_is_told(client: Client) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 0)

    def write(writer: int) -> int:
        written = 0
        for index in range(20):
            try:
                repository.create_message("trip", "a", message(index, f"{writer}"))
                written += 1
            except SessionException:
                pass
        return written

    with ThreadPoolExecutor(2) as threads:
        written = list(threads.map(write, range(2)))
    assert sum(written) == 20
    stored = repository.list_messages("trip", "a")
    assert sorted(one.message_id for one in stored) == list(range(20))
    texts = [one.message["content"][0]["text"] for one in stored]
    assert [texts.count(str(writer)) for writer in range(2)] == written


def once_before(
    client: Client, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], act: Callable[[], Any]
) -> None:
    """Has something happen once: just before the first call of any of these methods."""
    left = [act]

    def patched(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if left:
                left.pop()()
            return method(*arguments, **options)

        return call

    for name in names:
        monkeypatch.setattr(client, name, patched(getattr(client, name)))


def swarm() -> Any:
    return SimpleNamespace(id="m", serialize_state=dict)


def test_an_agent_made_during_a_deletion_is_not_left_behind(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = SidecarSessionRepository(client)
    delete = partial(repository.delete_session, "trip")
    for create in (
        partial(repository.create_agent, "trip", SessionAgent("b", {}, {})),
        partial(repository.create_multi_agent, "trip", swarm()),
    ):
        fill(repository, 1)
        with monkeypatch.context() as patch:
            once_before(client, patch, ("delete_record",), create)
            delete()
        assert list(client.list_records("strands", recursive=True)) == []
        assert list(client.list_sessions()) == []
        fill(repository, 1)
        with monkeypatch.context() as patch:
            once_before(client, patch, ("ensure_session", "write_records"), delete)
            with pytest.raises(SessionException, match="session trip does not exist"):
                create()
        assert list(client.list_records("strands", recursive=True)) == []
        assert list(client.list_sessions()) == []


def test_a_session_is_deleted_by_two_at_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 1)
    list_records = client.list_records

    def listed(*arguments: Any, **options: Any) -> Any:
        found = list(list_records(*arguments, **options))
        monkeypatch.undo()
        repository.delete_session("trip")
        return found

    monkeypatch.setattr(client, "list_records", listed)
    repository.delete_session("trip")
    assert repository.read_session("trip") is None
    assert list(client.list_sessions()) == []


def test_no_large_message_outlives_its_replacement(client: Client) -> None:
    repository = SidecarSessionRepository(client, user_id="ana")
    fill(repository, 0)
    repository.create_message("trip", "a", message(0, "kumquat " * 100_000))
    repository.create_message("trip", "a", message(1, "x" * 500_000))
    repository.update_message("trip", "a", message(0, "Small."))
    found = [one.message["content"] for one in repository.list_messages("trip", "a")]
    assert found == [[{"text": "Small."}], [{"text": "x" * 500_000}]]
    path = ["strands", "messages", "_ana", "_trip", "_a"]
    [left] = client.list_records(path)
    log = repository.log_of("trip", "a")
    assert left.key == "1"
    assert left.owner == v1.MemoryScope(user_id="ana", agent_id="a", session_id=log)
    repository.update_message("trip", "a", message(1, "y" * 500_000))
    assert repository.read_message("trip", "a", 1) is not None
    erase(client, session_id=log)
    assert list(client.list_records(path)) == []


def test_what_is_refused_leaves_no_upload(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 1)
    uploads = record_uploads(client, monkeypatch)
    with pytest.raises(SessionException, match="already exists"):
        repository.create_message("trip", "a", message(0, "x" * 500_000))
    with pytest.raises(SessionException, match="does not exist"):
        repository.create_message("trip", "none", message(0, "x" * 500_000))
    agent = repository.read_agent("trip", "a")
    assert agent is not None
    agent.state = {"large": "x" * 5_000_000}
    with pytest.raises(SessionException, match="already exists"):
        repository.create_agent("trip", agent)
    assert len(uploads) == 3
    assert Runner(client).run(left_of(uploads)) == []


@pytest.mark.parametrize("reason", [ErrorReason.STORE_FULL, ErrorReason.RECORD_ALREADY_EXISTS])
def test_a_large_agent_that_cannot_be_written_leaves_no_upload(
    client: Client, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 0)
    uploads = record_uploads(client, monkeypatch)
    error = make_error(grpc.StatusCode.RESOURCE_EXHAUSTED, "no", reason=reason)

    def fail() -> None:
        raise error

    once_before(client, monkeypatch, ("write_records",), fail)
    with pytest.raises((MemorySidecarError, SessionException)) as caught:
        repository.create_agent("trip", SessionAgent("b", {"s": "x" * 5_000_000}, {}))
    assert error in (caught.value, caught.value.__cause__)
    assert len(uploads) == 1
    assert Runner(client).run(left_of(uploads)) == []


def test_a_state_that_changes_while_it_is_read_comes_whole(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 0)
    old, new = (SessionAgent("a", {"s": letter * 5_000_000}, {}) for letter in "ab")
    repository.update_agent("trip", old)
    between_ranges(client, monkeypatch, lambda: repository.update_agent("trip", new))
    found = repository.read_agent("trip", "a")
    assert found is not None
    assert found.state == new.state
    between_ranges(client, monkeypatch, lambda: repository.delete_session("trip"))
    assert repository.read_agent("trip", "a") is None


@pytest.mark.parametrize("window", [False, True])
def test_messages_that_change_while_they_are_read_come_whole(
    client: Client, monkeypatch: pytest.MonkeyPatch, window: bool
) -> None:
    repository = SidecarSessionRepository(client, window=window)
    update = partial(repository.update_message, "trip", "a")
    large, other = (message(1, letter * 5_000_000) for letter in "ab")
    small = message(1, "Small.")
    for new, before in ((other, False), (small, False), (small, True)):
        for read in (
            lambda: repository.read_message("trip", "a", 1),
            lambda: repository.list_messages("trip", "a")[1],
        ):
            fill(repository, 1)
            repository.create_message("trip", "a", large)
            with monkeypatch.context() as patch:
                between_ranges(client, patch, partial(update, new), before=before)
                found = read()
            assert found is not None
            assert found.message == new.message
            repository.delete_session("trip")


def test_messages_that_go_while_they_are_read_do_not_exist(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = SidecarSessionRepository(client)
    delete = partial(repository.delete_session, "trip")
    large = message(0, "x" * 5_000_000)

    def update() -> None:
        with pytest.raises(SessionException, match="message 0 does not exist"):
            repository.update_message("trip", "a", large)

    for before in (False, True):
        for read, nothing in (
            (lambda: repository.read_message("trip", "a", 0), None),
            (lambda: repository.list_messages("trip", "a"), []),
            (update, None),
        ):
            fill(repository, 0)
            repository.create_message("trip", "a", large)
            with monkeypatch.context() as patch:
                between_ranges(client, patch, delete, before=before)
                assert read() == nothing
    assert list(client.list_records("strands", recursive=True)) == []


def test_a_message_whose_record_is_gone_for_good_is_an_error(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 0)
    repository.create_message("trip", "a", message(0, "x" * 500_000))
    client.delete_records(["strands", "messages"], recursive=True)
    again = RetryPolicy(max_attempts=3, initial_delay=0.001, max_delay=0.001)
    monkeypatch.setattr(records, "AGAIN", again)
    for read in (
        lambda: repository.read_message("trip", "a", 0),
        lambda: repository.list_messages("trip", "a"),
    ):
        with pytest.raises(
            NotFound, match=r"3 reads in a row .* message '0' .* delete the message"
        ):
            read()


def test_a_large_update_of_a_deleted_session_is_not_left_behind(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = SidecarSessionRepository(client)
    fill(repository, 1)
    delete = partial(repository.delete_session, "trip")
    once_before(client, monkeypatch, ("append", "write_records", "update_message"), delete)
    with pytest.raises(SessionException, match="does not exist"):
        repository.update_message("trip", "a", message(0, "x" * 500_000))
    assert list(client.list_records("strands", recursive=True)) == []


def test_users_share_no_session_and_each_is_erased_whole(client: Client) -> None:
    users = ("ana", "bob", None)
    own = {user: SidecarSessionRepository(client, user_id=user) for user in users}
    for number, user in enumerate(users):
        fill(own[user], 0)
        own[user].create_message("trip", "a", message(0, f"{number}"))
        own[user].create_message("trip", "a", message(1, "x" * 500_000))
    for number, user in enumerate(users):
        first, _ = own[user].list_messages("trip", "a")
        assert first.message["content"] == [{"text": f"{number}"}]
    erase(client, "ana")
    assert own["ana"].read_session("trip") is None
    assert own["ana"].read_agent("trip", "a") is None
    assert own["ana"].list_messages("trip", "a") == []
    own["bob"].delete_session("trip")
    assert len(own[None].list_messages("trip", "a")) == 2
    own[None].delete_session("trip")
    assert list(client.list_records("strands", recursive=True)) == []
    assert list(client.list_sessions()) == []
    with pytest.raises(ValueError, match="user_id"):
        SidecarSessionRepository(client, user_id="")
