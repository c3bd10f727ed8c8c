"""Calls every rpc of Memory Sidecar and meets every error that a caller can cause.

    python walkthrough.py ADDRESS

Works in a namespace of its own and deletes what it made.
"""

from __future__ import annotations

import secrets
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import grpc

from memorysidecar import (
    Client,
    DeadlineExceeded,
    ErrorReason,
    Invalid,
    MemorySidecarError,
    Unavailable,
    any_of,
    policy,
    rendered_in,
    v1,
    where,
    where_label,
)
from memorysidecar.errors import decode_error

# A policy made by hand: old tool results are cut down in what is read, whole turns leave
# when the window holds too many messages, and a failed booking ends in a window of one turn.
BY_HAND = policy.make_policy(
    policy.shorten("results", 64, keep_newest=2),
    policy.drop_oldest("cut", max_messages=6),
    policy.keep_last("start-over", 1, on="turn_end", any_of={"tool_error": ["book"]}),
    name="by-hand",
    protections=policy.protections(pin_first=0, min_messages=2),
    tool_result_fill=policy.tool_result_fill("moved_on"),
)
met: list[str] = []


def title(text: str) -> None:
    """Begins a chapter."""
    print(f"\n== {text}")


def expect(reason: str, call: Callable[..., Any], *args: Any, **kwargs: Any) -> MemorySidecarError:
    """Makes a call that must fail, and shows how."""
    try:
        call(*args, **kwargs)
    except MemorySidecarError as error:
        if error.reason != reason:
            raise
        facts = ", ".join(f"{key}={value[:40]}" for key, value in sorted(error.metadata.items()))
        print(f"   {error.code.name} {reason}: {error.message} [{facts}]")
        for violation in error.violations:
            print(f"      {violation.field}: {violation.description}")
        met.append(reason)
        return error
    raise AssertionError(f"the call did not fail with {reason}")


def sessions(client: Client) -> None:
    """Create, get, list, update."""
    title("Sessions")
    session = client.create_session(
        session_id="trip",
        user_id="ada",
        agent_id="planner",
        labels={"topic": "travel"},
        metadata={"budget": 900, "with": ["bo"]},
        policy=BY_HAND,
        ttl=timedelta(days=30),
    )
    print(f"created {session.session_id}, it expires at {session.expire_time.ToJsonString()}")
    print(f"without an id the server makes one: {client.create_session().session_id}")
    expect(ErrorReason.SESSION_ALREADY_EXISTS, client.create_session, session_id="trip")
    client.ensure_session("trip")
    expect(ErrorReason.SESSION_NOT_FOUND, client.get_session, "nowhere")
    expect(
        ErrorReason.REQUEST_INVALID, client.create_session, labels={"": "no key"}, user_id="u" * 600
    )

    found = [one.session_id for one in client.list_sessions(filter={"labels": {"topic": "travel"}})]
    print(f"sessions about travel: {found}")
    recent = client.list_sessions(
        filter={"session_id_prefix": "tr", "metadata": [where("none", exists=False)]},
        order="newest_update_first",
    )
    print(f"changed last: {[one.session_id for one in recent]}")
    print(f"sessions of trips: {client.count_sessions(filter={'session_id_prefix': 'tr'}).count}")
    names = [one.namespace for one in client.list_namespaces()]
    print(f"the namespace is listed: {client.namespace in names}")
    sessions = client.sessions
    bad = v1.ListSessionsRequest(namespace=client.namespace, page_token="not a token")
    expect(ErrorReason.PAGE_TOKEN_INVALID, raw, sessions.ListSessions, bad)

    client.update_session("trip", agent_id=None)
    changed = client.set_summary("trip", "Ada wants to travel.")
    print(f"summary set, version {changed.session.summary.version}; the agent is cleared")
    expect(ErrorReason.ETAG_MISMATCH, client.update_session, "trip", user_id="x", etag=session.etag)


def raw(rpc: Callable[..., Any], request: Any) -> Any:
    """Calls a generated stub and reads its error as the client does."""
    try:
        return rpc(request)
    except grpc.RpcError as error:
        raise decode_error(error) from error


def messages(client: Client) -> None:
    """Append, get, list, update, delete."""
    title("Messages")
    call = {"tool_call_id": "c1", "name": "find_trains", "arguments": '{"to": "Porto"}'}
    done = client.append(
        "trip",
        [
            {"role": "system", "text": "You plan trips."},
            "Find me a train to Porto.",
            {"role": "assistant", "tool_calls": [call]},
        ],
        expected_last_seq=0,
    )
    waiting = list(client.window("trip").open_tool_call_ids)
    print(f"appended {done.last_seq} messages; tool calls that wait: {waiting}")
    expect(ErrorReason.LAST_SEQ_MISMATCH, client.append, "trip", "late", expected_last_seq=0)
    client.append(
        "trip",
        [
            {
                "role": "tool",
                "tool_call_id": "c1",
                "parts": [{"text": "One train."}, {"data": {"departs": "09:10"}}],
            },
            {
                "message_id": "answer",
                "role": "assistant",
                "text": "There is one at 09:10.",
                "provider_payload": {"provider": "example", "data": b"\x00\x01"},
            },
        ],
    )
    expect(
        ErrorReason.MESSAGE_ALREADY_EXISTS,
        client.append,
        "trip",
        {
            "message_id": "answer",
            "role": "assistant",
            "text": "again",
        },
    )

    turn = client.append(
        "turn",
        "Which way to Lisbon?",
        create_session=True,
        session={"user_id": "ada", "metadata": {"step": 1}},
        window=True,
        context={"max_tokens": 300, "exclude_conversation": True},
    )
    print(f"one call for a turn: {[one.text for one in turn.window.messages]}")
    turn = client.append(
        "turn",
        {"role": "assistant", "text": "By train."},
        turn_end=True,
        session={"metadata": {"step": 2}, "etag": turn.session_etag},
        session_update_mask=["metadata"],
        window={"newest": 1},
    )
    print(f"and its end changes the session, now {turn.session_etag}")
    changed = {"session": {"agent_id": "x", "etag": "old"}, "session_update_mask": []}
    expect(ErrorReason.ETAG_MISMATCH, client.append, "turn", "late", **changed)

    once = client.append("trip", "And back?", request_id="once")
    again = client.append("trip", "And back?", request_id="once")
    print(f"the same request twice: seq {once.last_seq} and {again.last_seq}")
    expect(ErrorReason.REQUEST_ID_REUSED, client.append, "trip", "Other", request_id="once")

    got = client.get_message("trip", "answer")
    print(f"'answer' has seq {got.message.seq}; in the window: {got.in_window}")
    expect(ErrorReason.MESSAGE_NOT_FOUND, client.get_message, "trip", "none")
    in_l = where("city", starts_with="L")
    with_metadata = [any_of(in_l, where_label("city", equals="London"))]
    found_total = client.count_messages("trip", filter={"metadata": with_metadata})
    print(f"messages about a city with L: {found_total.count}")
    users = client.list_messages("trip", filter={"roles": [v1.ROLE_USER]})
    print(f"the user said: {[one.text for one in users]}")
    updated = client.update_message("trip", "answer", text="At 09:10.", etag=got.message.etag)
    print(f"changed 'answer'; it now costs {updated.message.token_count} tokens")
    expect(
        ErrorReason.ETAG_MISMATCH,
        client.delete_message,
        "trip",
        "answer",
        etag=got.message.etag,
    )
    deleted = client.delete_message("trip", "answer", etag=updated.message.etag)
    print(f"deleted 'answer' with revision {deleted.revision}")

    sent = [
        {"role": "user", "message_id": "note-1", "text": "By train."},
        {"role": "user", "message_id": "note-2", "text": "Two."},
    ]
    client.append("jotted", sent[:1], create_session=True)
    for one in client.append("jotted", sent, on_existing="skip").messages:
        print(f"{one.message_id}: {v1.AppendOutcome.Name(one.outcome)}")
    client.append("jotted", {**sent[0], "text": "By bus."}, on_existing="update")
    both = client.batch_get_messages("jotted", ["note-1"], seq_ranges=[(2, 9)])
    print(f"in one call: {[one.text for one in both]}")
    several = client.list_session_messages(["jotted", "trip"], filter={"roles": ["ROLE_USER"]})
    print(f"messages of users in two sessions: {len(list(several))}")
    total = client.count_session_messages(sessions={"session_id_prefix": "jot"})
    print(f"messages in sessions named jot...: {total.count}")
    found = next(iter(client.find_messages(["note-2"])))
    print(f"'note-2' is in {found.session_id!r}, seq {found.message.seq}")
    whole = [{"role": "user", "text": "By bus."}, {"role": "user", "text": "Three."}]
    replaced = client.replace_messages("jotted", whole, from_seq=1, keep_common_prefix=True)
    print(f"replaced {replaced.deleted_totals.message_count} of the notes")
    print(f"popped {[one.text for one in client.pop_messages('jotted').messages]}")
    wiped = client.delete_found_messages(["note-2"], filter={"session_id_prefix": "jot"})
    print(f"deleted where it was found: {[one.session_id for one in wiped.messages]}")
    gone = client.batch_delete_messages("jotted", ["note-1", "note-2"], allow_missing=True)
    print(f"deleted {gone.deleted_count} more")

    malformed = client.channel.unary_unary("/memorysidecar.v1.SessionService/AppendMessages")
    expect(ErrorReason.REQUEST_MALFORMED, raw, malformed, b"\xff\xff\xff")


def windows(client: Client) -> None:
    """Messages for the model."""
    title("The window")
    for number in range(4):
        done = client.append("trip", [f"Question {number}", {"role": "assistant", "text": "Yes."}])
        for trim in done.trims:
            print(f"left: {trim.removed_totals.message_count} messages by stage '{trim.stage}'")
    window = client.window("trip")
    print(f"{[one.seq for one in window.messages]} and the summary '{window.summary.text}'")
    small = policy.make_policy(policy.keep_last("last", 1))
    view = client.window("trip", policy=small)
    print(f"through another policy: {[one.seq for one in view.messages]}")
    print(f"after seq 3 it was {[one.seq for one in client.window('trip', as_of_seq=3).messages]}")
    expect(ErrorReason.SEQ_OUT_OF_RANGE, client.window, "trip", as_of_seq=999)
    big = [{"role": "system", "text": "x" * 1_000_000}] * 4
    for message in big[:3]:
        client.append("large", message, create_session=True)
    expect(ErrorReason.WINDOW_FULL, client.append, "large", big[3])


def forms(client: Client) -> None:
    """Messages as the APIs of models take them."""
    title("Message forms")
    question = [
        {"role": "system", "content": "You plan trips."},
        {"role": "user", "content": "Where is it warm?"},
    ]
    client.append("forms", question, form="openai_chat", create_session=True)
    window = client.window("forms", form="openai_chat")
    print(f"OpenAI: as it came is {window.messages == question}")
    claude = client.window("forms", form="anthropic")
    print(f"Anthropic: {claude.messages} behind {claude.system}")
    print(f"Gemini: {list(client.list_messages('forms', form='gemini'))}")
    orphan = {"role": "tool", "tool_call_id": "nobody", "content": ""}
    expect(ErrorReason.REQUEST_INVALID, client.append, "forms", orphan, form="openai_chat")

    # One call before each call of the model: it appends, and gives the whole prompt.
    client.remember("Ada likes the sea.", user_id="ada")
    turn = client.append(
        "prompt",
        question,
        form="openai_chat",
        create_session=True,
        session={"user_id": "ada"},
        context={"form": "openai_chat", "max_tokens": 500},
    )
    print(f"the prompt: {[one['role'] for one in rendered_in(turn).messages]}")
    prompt = client.assemble_context("prompt", form="anthropic")
    print(f"for Anthropic: {prompt.messages}, {prompt.response.token_count} tokens")
    expect(
        ErrorReason.CONTEXT_BUDGET_TOO_SMALL,
        client.assemble_context,
        "prompt",
        form="openai_chat",
        max_tokens=2,
    )


def policies(client: Client) -> None:
    """Presets, previews, trims by hand, and turns."""
    title("Policies")
    presets = client.list_policy_presets()
    print(f"presets: {', '.join(one.name for one in presets)}")
    compared = [
        policy.sliding_window(max_messages=4),
        policy.tool_results_first(max_tokens=60),
        policy.pin_summarize_recent(max_messages=5, pin=1, recent=2),
    ]
    for one in client.preview_policy("trip", compared, source="log").previews:
        verdicts = Counter(v1.Verdict.Name(message.verdict) for message in one.messages)
        print(f"{one.policy.name}: {dict(verdicts)}")
    promoting = policy.make_policy(policy.keep_last("facts", 5, removed_to="promote"))
    expect(ErrorReason.PROMOTION_POLICY_MISSING, client.update_session, "trip", policy=promoting)
    brief = policy.keep_last("brief", 5, summarize=policy.summarize(hook="nobody"))
    asking = policy.make_policy(brief)
    expect(ErrorReason.HOOK_NOT_CONFIGURED, client.update_session, "trip", policy=asking)

    trimmed = client.trim_session("trip", keep_recent=2)
    ids = [one for trim in trimmed.trims for one in trim.message_ids]
    restored = client.restore_messages("trip", ids)
    print(f"trimmed {len(ids)}, restored {len(restored.message_ids)}")
    client.trim_session("trip", max_tokens=20, unit="turn")
    client.restore_messages("trip", seq_ranges=[(5, 8)])

    failed = [{"tool": "book", "error": True}]
    done = client.append("trip", turn_end=True, model_input_tokens=900, tool_outcomes=failed)
    for run in done.stage_runs:
        why = [f"{v1.TriggerKind.Name(hit.kind)} {hit.tool}".strip() for hit in run.triggers]
        print(f"stage '{run.stage}' acted: {', '.join(why) or 'it always does'}")


def summaries(client: Client) -> None:
    """Texts that take the place of messages, calls without a result, and search."""
    title("Summaries, tool_result_fill, search")
    made = policy.pin_summarize_recent(max_messages=4, pin=1, recent=2, hook="manual")
    client.create_session(session_id="notes", policy=made)
    done = client.append("notes", [f"Note {number} about Porto" for number in range(6)])
    for run in done.stage_runs:
        print(
            f"stage '{run.stage}' waits for a summary of {len(run.awaiting_message_ids)} messages"
        )
    inputs = client.list_summary_inputs("notes", stage="middle")
    replaced = [one.message_id for one in inputs]
    client.set_summary("notes", "Notes 1 to 3.", replaced_message_ids=replaced, in_place=True)
    print(f"the window: {[one.text for one in client.window('notes').messages]}")
    rest = client.list_summary_inputs("notes", keep_recent=1)
    client.set_summary("notes", "All of it.", expected_version=0)
    print(f"{len(rest)} more could be summarized")
    expect(
        ErrorReason.SUMMARY_VERSION_MISMATCH,
        client.set_summary,
        "notes",
        "Too late.",
        expected_version=0,
    )

    call = {"tool_call_id": "c9", "name": "book", "arguments": "{}"}
    client.append("notes", [{"role": "assistant", "tool_calls": [call]}, "Never mind."])
    filled = client.fill_tool_results("notes", text="The call was given up.")
    print(f"filled: {[one.tool_call_id for one in filled.messages]}")
    everyone = {"everyone": True}
    found = client.recall("porto train", scoring="occurrences", group_by_session=1, filter=everyone)
    for session, hit in zip(found.sessions, found.hits, strict=True):
        print(f"{session.session_id} holds the words {session.score:g} times: {hit.passage}")


def snapshots(client: Client) -> None:
    """Out of the server and back."""
    title("Snapshots")
    copy = client.import_session(client.export_session("trip"), session_id="trip-copy")
    print(
        f"{copy.session_id} has {copy.log_totals.message_count} messages, last seq {copy.last_seq}"
    )
    document = client.export_document("notes", format="selectools")
    print(f"as selectools writes it: {len(document)} bytes")
    client.import_session(document, format="selectools", session_id="notes-copy")
    taken = client.export_session("trip")
    expect(ErrorReason.SESSION_ALREADY_EXISTS, client.import_session, taken)
    expect(ErrorReason.SNAPSHOT_INVALID, client.import_session, "{", format="lauren")

    # The next steps are those of import_session for large snapshots.
    def piece(text: bytes) -> v1.SnapshotChunk:
        return v1.SnapshotChunk(document=text)

    half = v1.ImportSessionRequest(
        namespace=client.namespace, format="lauren", more=True, chunk=piece(b"[")
    )
    lost = v1.ImportSessionRequest(upload_id="lost", chunk_index=1, chunk=piece(b"]"))
    expect(ErrorReason.UPLOAD_NOT_FOUND, raw, client.sessions.ImportSession, lost)
    uploads: list[str] = []
    expect(ErrorReason.UPLOAD_LIMIT_REACHED, fill_up, client, half, uploads)
    for upload_id in uploads:
        wrong = v1.ImportSessionRequest(upload_id=upload_id, chunk_index=1, chunk=piece(b"]]"))
        with suppress(Invalid):  # which ends the upload
            raw(client.sessions.ImportSession, wrong)


def fill_up(client: Client, half: v1.ImportSessionRequest, uploads: list[str]) -> None:
    """Begins uploads until the server has enough of them."""
    while True:
        uploads.append(raw(client.sessions.ImportSession, half).upload_id)


def copies(client: Client) -> None:
    """Fork, reset, delete."""
    title("Fork, reset, delete")
    fork = client.fork_session("trip", session_id="trip-2", at_seq=3)
    print(
        f"{fork.session_id} comes from seq {fork.forked_from.seq} of {fork.forked_from.session_id}"
    )
    reset = client.reset_session("trip-2", keep_system_messages=True)
    kept = reset.session.log_totals.message_count
    print(f"reset: {reset.deleted_totals.message_count} deleted, {kept} kept")
    print(f"deleted with revision {client.delete_session('trip-2').revision}")
    print(f"and again: {client.delete_session('trip-2', allow_missing=True).revision}")


def events(client: Client, other: Client) -> None:
    """List, watch, consumers."""
    title("Events")
    pages = list(client.list_events(page_size=5).pages())
    print(f"{sum(len(page.events) for page in pages)} events on {len(pages)} pages")
    token = pages[-1].resume_token
    with client.watch(resume_token=token, filter={"session_id": "trip"}) as watch:
        revision = client.append("trip", "Thanks!").revision
        for event in watch:
            print(f"revision {event.revision}: {v1.EventType.Name(event.type)}")
            if event.revision == revision:
                break
    expect(ErrorReason.RESUME_TOKEN_INVALID, client.watch, resume_token="not a token")
    expect(ErrorReason.RESUME_TOKEN_FOREIGN, other.watch, resume_token=token)
    expect(ErrorReason.REVISION_NOT_REACHED, client.watch, after_revision=revision + 1)

    client.create_consumer("indexer", position="oldest")
    expect(ErrorReason.CONSUMER_ALREADY_EXISTS, client.create_consumer, "indexer")
    client.ensure_consumer("indexer")
    with client.watch(consumer_id="indexer") as watch:
        first = next(watch)
        consumer = client.ack_events("indexer", watch.resume_token)
    print(f"acknowledged revision {first.revision}; the consumer lies {consumer.lag} behind")
    print(f"it is at revision {client.get_consumer('indexer').revision}")
    print(f"consumers: {[one.consumer_id for one in client.list_consumers()]}")
    client.delete_consumer("indexer")
    expect(ErrorReason.CONSUMER_NOT_FOUND, client.get_consumer, "indexer")


def administration(client: Client) -> None:
    """Back-ups, erasure of a person, and compaction."""
    title("Back-ups, erasure and compaction")
    expect(ErrorReason.BACK_UP_NOT_CONFIGURED, lambda: list(client.back_up()))
    client.append("visit", "I was here.", create_session=True)
    dry = client.erase_subject(session_id="visit", dry_run=True)
    print(f"an erasure would take {[(one.kind, one.count) for one in dry.erased]}")
    receipt = client.erase_subject(session_id="visit")
    print(f"the receipt has the id {client.get_erasure(receipt.erasure_id).erasure_id}")
    expect(ErrorReason.ERASURE_NOT_FOUND, client.get_erasure, "none")
    for part in client.compact_store():
        if part.HasField("compaction"):
            print(f"the file has {part.compaction.size_bytes_after} bytes")


def deadlines(client: Client) -> None:
    """A call without time."""
    title("Deadlines")
    try:
        client.append("trip", "In no time", timeout=0.000001, request_id="no-time")
    except (DeadlineExceeded, Unavailable) as error:
        print(f"   {error.code.name}: repeat it with request id '{error.request_id}'")
    done = client.append("trip", "In no time", request_id="no-time")
    print(f"repeated: seq {done.last_seq}, whether the first one was stored or not")


def main(address: str) -> None:
    """Goes through all of it."""
    name = f"walkthrough-{secrets.token_hex(4)}"
    with Client(address, namespace=name) as client, Client(address) as other:
        info = client.server_info()
        print(f"server {info.version}, store {info.store_id}")
        print(f"it can: {', '.join(info.capabilities)}; limits it names: {len(info.limits)}")
        sessions(client)
        messages(client)
        windows(client)
        forms(client)
        policies(client)
        summaries(client)
        snapshots(client)
        copies(client)
        events(client, other)
        administration(client)
        deadlines(client)
        title("The end")
        for session in list(client.list_sessions()):
            client.delete_session(session.session_id)
        print(f"everything deleted; met {len(set(met))} kinds of errors")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python walkthrough.py ADDRESS")
    main(sys.argv[1])
