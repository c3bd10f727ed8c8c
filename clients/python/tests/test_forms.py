"""Messages in the forms of model APIs, with the real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from fake import FakeServer
from real import RealServer

import memorysidecar as ms
from memorysidecar import AsyncClient, Client, ErrorReason, v1

CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    ],
}
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You plan trips."},
    {"role": "user", "content": "Wo ist es wärmer? 🌞"},
    CALL,
    {"role": "tool", "tool_call_id": "c1", "content": "Funchal"},
]


class Model:
    """Stands for an object of an SDK."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self, *, mode: str, by_alias: bool, exclude_none: bool) -> dict[str, Any]:
        """The plain data of the object."""
        assert (mode, by_alias, exclude_none) == ("json", True, True)
        return {key: value for key, value in self.fields.items() if value is not None}


def test_what_goes_in_comes_out(client: Client) -> None:
    done = client.append("s", CHAT, form="openai_chat", create_session=True)
    assert [one.seq for one in done.messages] == [1, 2, 3, 4]
    window = client.window("s", form="openai_chat")
    assert window.messages == CHAT and window.system is None and window.notes == []
    assert window.response.last_seq == 4 and not window.response.messages
    assert list(client.list_messages("s", form="openai_chat", page_size=3)) == CHAT
    assert next(one.text for one in client.list_messages("s")) == "You plan trips."


def test_other_forms_have_the_system_prompt_apart(client: Client) -> None:
    client.append("s", CHAT, form="openai_chat", create_session=True)
    claude = client.window("s", form="anthropic")
    assert claude.system == [{"type": "text", "text": "You plan trips."}]
    assert [one["role"] for one in claude.messages] == ["user", "assistant", "user"]
    gemini = client.window("s", form="gemini")
    assert gemini.system == {"parts": [{"text": "You plan trips."}]}
    assert gemini.messages[2]["parts"][0]["functionResponse"]["name"] == "look"
    items = client.window("s", form="openai_responses").messages
    assert [one.get("type", one.get("role")) for one in items][2:] == [
        "function_call",
        "function_call_output",
    ]


def test_notes_say_what_a_form_does_not_take(client: Client) -> None:
    said = {"role": "user", "content": [{"type": "text", "text": "a", "citations": [1]}]}
    client.append("s", said, form="anthropic", create_session=True)
    window = client.window("s", form="openai_chat")
    [note] = window.notes
    assert (note.kind, note.subject) == (v1.FORM_NOTE_KIND_ATTRIBUTE_DROPPED, "citations")
    assert window.total_note_count == 1


def test_objects_texts_and_bytes_are_taken(fake: FakeServer, fake_client: Client) -> None:
    model = Model(role="user", content="ä", name=None)
    plain = '[{"role":"user","content":"ä"}]'
    nested = {"role": "user", "content": [Model(type="text", text="a")]}
    for given, expected in [
        (model, plain),
        ([model], plain),
        (plain, plain),
        (plain.encode(), plain),
        (nested, '[{"role":"user","content":[{"type":"text","text":"a"}]}]'),
    ]:
        fake_client.append("s", given, form="openai_chat")
        request = fake.requests("AppendMessages")[-1]
        assert request.form_messages.decode() == expected and not request.messages
        assert request.form == v1.MESSAGE_FORM_OPENAI_CHAT
    with pytest.raises(TypeError, match="messages in a form are JSON"):
        fake_client.append("s", [{"role": object()}], form="openai_chat")


def test_an_unknown_form_is_refused(fake_client: Client) -> None:
    wrong: Any = "openai"
    with pytest.raises(ValueError, match="the form is one of openai_chat, openai_responses"):
        fake_client.append("s", CHAT, form=wrong)
    with pytest.raises(ValueError, match="the form is one of"):
        fake_client.window("s", form=wrong)


def test_a_fault_names_the_path_inside_the_json(client: Client) -> None:
    with pytest.raises(ms.Invalid) as caught:
        client.append("s", CHAT[3:], form="openai_chat", create_session=True)
    assert caught.value.reason == ErrorReason.REQUEST_INVALID
    assert caught.value.violations[0].field == "form_messages[0].tool_call_id"


def test_an_append_answers_with_a_window_in_a_form(client: Client) -> None:
    done = client.append(
        "s", CHAT, form="openai_chat", create_session=True, window={"form": "anthropic"}
    )
    window = ms.rendered_in(done.window)
    assert window.system == [{"type": "text", "text": "You plan trips."}]
    assert [one["role"] for one in window.messages] == ["user", "assistant", "user"]


def test_a_context_in_a_form_is_the_whole_prompt(client: Client) -> None:
    client.remember("Ana likes the sea.", user_id="ana")
    done = client.append(
        "prompt",
        CHAT,
        form="openai_chat",
        create_session=True,
        session={"user_id": "ana"},
        context={"form": "anthropic"},
    )
    prompt = client.assemble_context("prompt", form="anthropic")
    assert prompt.system == [{"type": "text", "text": "You plan trips."}]
    assert "Ana likes the sea." in json.dumps(prompt.messages[0])
    assert 0 < prompt.response.token_count <= 4000
    assert ms.rendered_in(done.context).messages == prompt.messages


HUGE = {"role": "user", "content": "word " * 4000}
SMALL_CONTEXT: Any = {"form": "openai_chat", "max_tokens": 100}


def test_the_answer_of_an_append_gives_its_reply_in_a_form(client: Client) -> None:
    options: dict[str, Any] = {"form": "openai_chat", "create_session": True}
    done = client.append("a", CHAT, **options, window={"form": "anthropic"})
    assert ms.rendered_in(done).messages == ms.rendered_in(done.window).messages
    assert ms.rendered_in(done).response == done.window
    done = client.append("b", CHAT, **options, context={"form": "anthropic"}, window=True)
    assert ms.rendered_in(done).messages == ms.rendered_in(done.context).messages
    both: Any = {"form": "anthropic"}
    done = client.append("c", CHAT, **options, context=both, window=both)
    with pytest.raises(ValueError, match="give one of the two"):
        ms.rendered_in(done)


def test_a_context_that_could_not_be_made_is_raised(client: Client) -> None:
    done = client.append("s", HUGE, form="openai_chat", create_session=True, context=SMALL_CONTEXT)
    with pytest.raises(ms.MemorySidecarError) as caught:
        ms.rendered_in(done)
    assert caught.value.code is grpc.StatusCode.FAILED_PRECONDITION
    assert caught.value.reason == ErrorReason.CONTEXT_BUDGET_TOO_SMALL
    assert caught.value.metadata["limit"] == "100"
    assert "append shorter messages" in str(caught.value)
    failed = v1.AppendMessagesResponse(
        window_error=v1.ReplyError(code=5, message="gone", reason="ERROR_REASON_SESSION_NOT_FOUND")
    )
    with pytest.raises(ms.NotFound, match="SESSION_NOT_FOUND: gone"):
        ms.rendered_in(failed)
    unknown = v1.ReplyError(code=99, message="new", reason="ERROR_REASON_UNSPECIFIED")
    with pytest.raises(ms.MemorySidecarError, match="UNKNOWN: new"):
        ms.rendered_in(v1.AppendMessagesResponse(context_error=unknown))


NOT_RENDERED: dict[str, Callable[[Client], Any]] = {
    "an append without replies": lambda client: client.append("s", "hi"),
    "a window without a form": lambda client: client.append("s", "hi", window=True),
    "a window by itself": lambda client: client.window("s"),
    "a context without a form": lambda client: client.append("s", "hi", context=True).context,
    "a context that was not requested": lambda client: client.append("s", "hi").context,
    "a context that failed": lambda client: (
        client.append("s", HUGE, form="openai_chat", context=SMALL_CONTEXT).context
    ),
}


@pytest.mark.parametrize("name", NOT_RENDERED)
def test_a_reply_without_a_form_is_no_prompt(client: Client, name: str) -> None:
    client.ensure_session("s")
    reply = NOT_RENDERED[name](client)
    with pytest.raises(ValueError, match="There are no rendered messages: the reply was not"):
        ms.rendered_in(reply)


def test_blocks_stand_in_their_places(client: Client) -> None:
    client.append("s", CHAT, form="openai_chat", create_session=True, session={"user_id": "ana"})
    client.remember("Ana likes the sea.", user_id="ana")
    fact: dict[str, Any] = {"name": "facts", "sections": "long_term", "fence": "facts"}
    prompt = client.assemble_context("s", form="anthropic", blocks=[{**fact, "place": "system"}])
    [told] = prompt.response.blocks
    assert told.text.startswith('<facts trust="medium">\n') and told.text.endswith("\n</facts>")
    assert prompt.system[1] == {"type": "text", "text": told.text} and told.token_count > 5
    result = {
        "place": "tool_result",
        "fence": ("<<<", ">>>"),
        "tool_name": "recall",
        "tool_arguments": {"query": "sea"},
        "max_tokens": 200,
    }
    done = client.append(
        "s", "And Ana?", context={"form": "openai_chat", "blocks": [{**fact, **result}]}
    )
    call, answer, question = ms.rendered_in(done.context).messages[-3:]
    assert json.loads(call["tool_calls"][0]["function"]["arguments"]) == {"query": "sea"}
    assert answer["tool_call_id"] == "facts" and answer["content"].startswith("<<<\n")
    assert question["content"] == "And Ana?"
    given = v1.ContextBlock(
        name="b", place=v1.CONTEXT_PLACE_SYSTEM, sections=["CONTEXT_SECTION_KIND_LONG_TERM"]
    )
    fenced = {"name": "c", "place": "system", "sections": [3], "fence": {"tag": "people"}}
    texts = client.assemble_context("s", blocks=[given, fenced]).blocks
    assert [one.name for one in texts] == ["b", "c"]
    with pytest.raises(ValueError, match="the place is one of system, user_message, tool_result"):
        client.assemble_context("s", blocks=[{**fact, "place": "nowhere"}])


def test_a_replacement_takes_a_form(client: Client) -> None:
    client.append("s", CHAT, form="openai_chat", create_session=True)
    done = client.replace_messages("s", CHAT[2:], form="openai_chat", from_seq=3)
    assert done.deleted_totals.message_count == 2
    assert client.window("s", form="openai_chat").messages == CHAT
    client.replace_messages("s", [], form="openai_chat", all=True)
    assert client.window("s", form="openai_chat").messages == []


def test_a_preview_gives_windows_in_a_form(client: Client) -> None:
    client.append("s", CHAT, form="openai_chat", create_session=True)
    preview = client.preview_policy("s", form="anthropic")
    [window] = ms.rendered_previews(preview)
    assert window.system == [{"type": "text", "text": "You plan trips."}]
    assert window.messages == client.window("s", form="anthropic").messages
    assert window.response.after_totals.message_count == 4


def test_asyncio_has_the_same(server: RealServer) -> None:
    async def main() -> None:
        async with AsyncClient(server.address, namespace="forms-async") as client:
            await client.append("s", json.dumps(CHAT), form="openai_chat", create_session=True)
            window = await client.window("s", form="openai_chat")
            assert window.messages == CHAT
            pages = client.list_messages("s", form="openai_chat")
            assert [one async for one in pages] == CHAT

    asyncio.run(main())
