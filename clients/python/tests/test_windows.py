"""Windows, policies and summaries: what is sent, and what the real server makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fake import FakeServer, answer

import memorysidecar as ms
from memorysidecar import Client, ErrorReason, policy, v1

CALL = {"tool_call_id": "c1", "name": "look", "arguments": "{}"}


def sent(fake: FakeServer, rpc: str) -> Any:
    """The newest request of an rpc."""
    return fake.requests(rpc)[-1]


def texts(window: v1.GetWindowResponse) -> list[str]:
    """Texts of the messages of a window."""
    return [one.text for one in window.messages]


def test_appends_say_how_the_turn_went(fake: FakeServer, fake_client: Client) -> None:
    fake_client.append(
        "s",
        turn_end=True,
        model_input_tokens=0,
        tool_outcomes=[{"tool": "a"}, v1.ToolOutcome(tool="b", error=True)],
    )
    request = sent(fake, "AppendMessages")
    assert request.turn_end and not request.messages
    assert request.HasField("model_input_tokens") and request.model_input_tokens == 0
    assert [(one.tool, one.error) for one in request.tool_outcomes] == [("a", False), ("b", True)]
    fake_client.append("s", "hello")
    assert not sent(fake, "AppendMessages").HasField("model_input_tokens")


def test_resets_and_windows_take_their_options(fake: FakeServer, fake_client: Client) -> None:
    fake_client.reset_session("s", keep_first_system_message=True, keep_summary=True)
    request = sent(fake, "ResetSession")
    assert request.keep_first_system_message and request.keep_summary
    assert not request.keep_system_messages
    fake_client.window("s", newest=2)
    assert sent(fake, "GetWindow").newest == 2
    fake_client.window("s")
    assert not sent(fake, "GetWindow").HasField("newest")


def test_previews_take_one_policy_or_many(fake: FakeServer, fake_client: Client) -> None:
    fake_client.preview_policy(
        "s",
        policy.sliding_window(),
        occasions=["turn_end", v1.STAGE_ON_READ],
        source="log",
        model_input_tokens=0,
        tool_outcomes=[{"tool": "a", "error": True}],
    )
    request = sent(fake, "PreviewPolicy")
    assert [one.preset.name for one in request.policies] == ["sliding_window"]
    assert request.occasions == [v1.STAGE_ON_TURN_END, v1.STAGE_ON_READ]
    assert request.source == v1.PREVIEW_SOURCE_LOG
    assert request.HasField("model_input_tokens") and request.tool_outcomes[0].error
    fake_client.preview_policy("s", [policy.managed(), {"name": "mine"}])
    assert len(sent(fake, "PreviewPolicy").policies) == 2
    fake_client.preview_policy("s", {"name": "mine"}, source=v1.PREVIEW_SOURCE_WINDOW)
    assert [one.policy.name for one in sent(fake, "PreviewPolicy").policies] == ["mine"]
    fake_client.preview_policy("s")
    assert not sent(fake, "PreviewPolicy").policies


def test_trims_have_one_target(fake: FakeServer, fake_client: Client) -> None:
    fake_client.trim_session("s", max_tokens=0, unit="turn", discard=True, etag="e")
    request = sent(fake, "TrimSession")
    assert (request.WhichOneof("target"), request.unit) == ("max_tokens", v1.WINDOW_UNIT_TURN)
    assert request.discard and request.etag == "e"
    targets: list[tuple[str, Any]] = [("max_messages", 0), ("keep_recent", 1), ("run_policy", True)]
    for name, value in targets:
        fake_client.trim_session("s", **{name: value})
        assert sent(fake, "TrimSession").WhichOneof("target") == name
        assert sent(fake, "TrimSession").unit == v1.WINDOW_UNIT_UNSPECIFIED


@pytest.mark.parametrize(
    "wrong",
    [
        lambda client: client.trim_session("s"),
        lambda client: client.trim_session("s", max_tokens=1, keep_recent=1),
        lambda client: client.list_summary_inputs("s"),
        lambda client: client.list_summary_inputs("s", keep_recent=1, stage="a"),
        lambda client: client.restore_messages("s", "abc"),
        lambda client: client.set_summary("s", "t", replaced_message_ids="abc"),
        lambda client: client.preview_policy("s", source="nowhere"),
        lambda client: client.preview_policy("s", occasions=["never"]),
    ],
)
def test_calls_that_make_no_sense_are_refused(
    fake: FakeServer, fake_client: Client, wrong: Callable[[Client], Any]
) -> None:
    with pytest.raises((TypeError, ValueError)):
        wrong(fake_client)
    assert fake.calls == []


def test_summaries_and_restores(fake: FakeServer, fake_client: Client) -> None:
    fake_client.set_summary(
        "s", "text", replaced_message_ids=iter("ab"), in_place=True, expected_version=0
    )
    request = sent(fake, "SetSummary")
    assert request.replaced_message_ids == ["a", "b"]
    assert request.placement == v1.SUMMARY_PLACEMENT_IN_PLACE
    assert request.HasField("expected_version")
    fake_client.set_summary("s", "text")
    assert not sent(fake, "SetSummary").HasField("expected_version")
    fake_client.restore_messages("s", ["a"], seq_ranges=[(1, 3), v1.SeqRange(first_seq=9)])
    ranges = sent(fake, "RestoreMessages").seq_ranges
    assert [(one.first_seq, one.last_seq) for one in ranges] == [(1, 3), (9, 0)]


def test_the_presets_are_a_list(fake: FakeServer, fake_client: Client) -> None:
    presets = [v1.PolicyPreset(name="one")]
    fake.script["ListPolicyPresets"] = [answer(v1.ListPolicyPresetsResponse(presets=presets))]
    assert fake_client.list_policy_presets() == presets


def test_a_window_is_trimmed_and_restored(client: Client) -> None:
    client.append("s", [f"text {number}" for number in range(6)], create_session=True)
    preview = client.preview_policy("s", [policy.sliding_window(max_messages=2), {"stages": []}])
    verdicts = [one.verdict for one in preview.previews[0].messages]
    assert verdicts == [v1.VERDICT_REMOVED] * 4 + [v1.VERDICT_KEPT] * 2
    assert preview.previews[1].after_totals.message_count == 6
    trimmed = client.trim_session("s", keep_recent=2)
    assert trimmed.trims[0].stage == "trim_session"
    assert texts(client.window("s")) == ["text 4", "text 5"]
    assert texts(client.window("s", newest=1)) == ["text 5"]
    ids = trimmed.trims[0].message_ids
    assert client.restore_messages("s", ids[-1:]).window_totals.message_count == 3
    assert client.restore_messages("s", seq_ranges=[(1, 2)]).message_ids == ids[:2]
    assert texts(client.window("s")) == ["text 0", "text 1", "text 3", "text 4", "text 5"]
    with pytest.raises(ms.Aborted):
        client.trim_session("s", max_tokens=1, etag="old")


def test_a_summary_takes_the_place_of_messages(client: Client) -> None:
    made = policy.pin_summarize_recent(max_messages=4, pin=1, recent=1, hook="manual")
    client.create_session(session_id="s", policy=made)
    done = client.append("s", [f"text {number}" for number in range(5)])
    waiting = list(done.stage_runs[0].awaiting_message_ids)
    inputs = client.list_summary_inputs("s", stage="middle")
    assert [one.message_id for one in inputs] == waiting and len(waiting) == 3
    placed = client.set_summary("s", "so far", replaced_message_ids=waiting, in_place=True)
    assert placed.placed.text == "so far"
    assert texts(client.window("s")) == ["text 0", "so far", "text 4"]
    assert len(client.list_summary_inputs("s", keep_recent=1)) == 1
    client.set_summary("s", "all", expected_version=0)
    with pytest.raises(ms.Aborted) as caught:
        client.set_summary("s", "other", expected_version=0)
    assert caught.value.reason == ErrorReason.SUMMARY_VERSION_MISMATCH


def test_calls_are_healed_and_words_are_found(client: Client) -> None:
    result = {"tool_result": {"tool_call_id": "c1", "parts": [{"text": "tulips"}]}}
    client.append(
        "s",
        [
            "Which bulbs?",
            {"role": "assistant", "tool_calls": [CALL, {**CALL, "tool_call_id": "c2"}]},
            {"role": "user", "parts": [result]},
        ],
        create_session=True,
    )
    answered = client.window("s")
    assert answered.messages[2].parts[0].tool_result.parts[0].text == "tulips"
    assert list(answered.open_tool_call_ids) == ["c2"]
    filled = client.fill_tool_results("s", text="never came")
    assert [one.tool_call_id for one in filled.messages] == ["c2"]
    assert not client.window("s").open_tool_call_ids
    assert not client.fill_tool_results("s").messages
    found = client.recall("BULBS nothing", scoring="occurrences", group_by_session=True)
    assert [(one.session_id, one.score) for one in found.sessions] == [("s", 1)]


def test_a_turn_end_runs_its_stages(client: Client) -> None:
    stage = policy.keep_last(
        "forget", 1, unit="message", on="turn_end", any_of={"tool_error": ["load"]}
    )
    client.create_session(session_id="s", policy=policy.make_policy(stage))
    client.append("s", ["a", "b"], turn_end=True)
    assert texts(client.window("s")) == ["a", "b"]
    done = client.append("s", turn_end=True, tool_outcomes=[{"tool": "load", "error": True}])
    assert done.stage_runs[0].triggers[0].tool == "load"
    assert texts(client.window("s")) == ["b"]


def test_promotion_needs_a_memory_policy(client: Client) -> None:
    made = policy.make_policy(policy.keep_last("s", 1, removed_to="promote"))
    with pytest.raises(ms.MemorySidecarError) as caught:
        client.create_session(policy=made)
    assert caught.value.reason == ErrorReason.PROMOTION_POLICY_MISSING
