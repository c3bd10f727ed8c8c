"""The typed helpers for policies, alone and with the real server."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pytest

import memorysidecar as ms
from memorysidecar import Client, policy, v1
from memorysidecar import _policy_fields as fields
from memorysidecar import _presets as presets

ROOT = Path(__file__).parents[1]

# Every helper for a stage with what it must make beside the name.
STAGES: list[tuple[v1.PolicyStage, dict[str, Any]]] = [
    (
        policy.drop_oldest(
            "s",
            max_messages=0,
            max_tokens=5,
            max_age=timedelta(hours=1),
            stop_at_protected=True,
            stop_at_zero_tokens=True,
        ),
        {
            "drop_oldest": {
                "max_messages": 0,
                "max_tokens": 5,
                "max_age": timedelta(hours=1),
                "stop_at_protected": True,
                "stop_at_zero_tokens": True,
            }
        },
    ),
    (policy.keep_last("s", 3), {"keep_last": {"unit_count": 3}}),
    (
        policy.pack_newest("s", 900, headroom=0.25, skip_unfit=True),
        {"pack_newest": {"max_tokens": 900, "headroom": 0.25, "skip_unfit": True}},
    ),
    (
        policy.pin_middle_recent("s", pin_first=2, keep_recent=4, min_removed=3),
        {"pin_middle_recent": {"pin_first": 2, "keep_recent": 4, "min_removed": 3}},
    ),
    (
        policy.filter("s", "message.role != 'tool'", scope="message"),
        {
            "filter": {
                "conditions": ["message.role != 'tool'"],
                "scope": v1.FILTER_SCOPE_MESSAGE,
            }
        },
    ),
    (
        policy.shorten("s", 400, all_roles=True, keep_newest=0),
        {"shorten": {"max_tokens": 400, "all_roles": True, "keep_newest": 0}},
    ),
    (
        policy.drop_duplicates("s", similarity=0.8, lookahead=20),
        {"drop_duplicates": {"similarity": 0.8, "lookahead": 20}},
    ),
    (
        policy.boundary_only("s", "pop_orphan_head", boundary_always=True),
        {
            "boundary_only": {},
            "boundary": {"rule": v1.BOUNDARY_RULE_POP_ORPHAN_HEAD, "always": True},
        },
    ),
]


@pytest.mark.parametrize(("made", "expected"), STAGES)
def test_stages(made: v1.PolicyStage, expected: dict[str, Any]) -> None:
    assert made == v1.PolicyStage(name="s", **expected)


def test_there_is_a_helper_for_every_selection() -> None:
    selections = v1.PolicyStage.DESCRIPTOR.oneofs_by_name["select"].fields
    assert {made.WhichOneof("select") for made, _ in STAGES} == {one.name for one in selections}


def test_what_every_stage_takes() -> None:
    made = policy.keep_last(
        "s",
        1,
        on="turn_end",
        unit="assistant_turn",
        over={
            "messages": 10,
            "tokens": 20,
            "turns": 3,
            "turn_tokens": 30,
            "model_input_tokens": 40,
            "age": timedelta(days=1),
        },
        any_of={
            "context_share_at_least": 0.5,
            "new_messages_at_least": 2,
            "new_tokens_at_least": 200,
            "tool_success": ["save"],
            "tool_error": ("load",),
            "always": True,
        },
        count_if="message.role != 'system'",
        boundary="grow_recent",
        effect="store",
        removed_to="summarize",
    )
    assert (made.on, made.unit) == (v1.STAGE_ON_TURN_END, v1.WINDOW_UNIT_ASSISTANT_TURN)
    kinds = [str(one.WhichOneof("condition")) for one in made.any_of]
    assert sorted(kinds) == sorted(
        one.name for one in v1.Trigger.DESCRIPTOR.oneofs_by_name["condition"].fields
    )
    assert made.any_of[kinds.index("tool_error")].tool_error.names == ["load"]
    assert made.any_of[kinds.index("age_over")].age_over.seconds == 86_400
    assert made.count_if == ["message.role != 'system'"]
    assert made.boundary == v1.Boundary(rule=v1.BOUNDARY_RULE_GROW_RECENT)
    assert (made.effect, made.removed_to) == (v1.STAGE_EFFECT_STORE, v1.REMOVED_TO_SUMMARIZE)


@pytest.mark.parametrize(
    ("names", "enum", "prefix"),
    [
        (fields.UnitName, v1.WindowUnit, "WINDOW_UNIT"),
        (fields.OnName, v1.StageOn, "STAGE_ON"),
        (fields.EffectName, v1.StageEffect, "STAGE_EFFECT"),
        (fields.RemovedToName, v1.RemovedTo, "REMOVED_TO"),
        (fields.BoundaryName, v1.BoundaryRule, "BOUNDARY_RULE"),
        (fields.ScopeName, v1.FilterScope, "FILTER_SCOPE"),
        (fields.SystemName, v1.SystemProtection, "SYSTEM_PROTECTION"),
        (fields.ToolPairingName, v1.ToolPairing, "TOOL_PAIRING"),
        (fields.FillRuleName, v1.ToolResultFillRule, "TOOL_RESULT_FILL_RULE"),
        (fields.RoundingName, v1.TokenRounding, "TOKEN_ROUNDING"),
        (fields.TokenRuleName, v1.TokenRule, "TOKEN_RULE"),
    ],
)
def test_names_are_those_of_the_contract(names: Any, enum: Any, prefix: str) -> None:
    theirs = {key.removeprefix(f"{prefix}_").lower() for key in enum.keys()}
    assert set(get_args(names)) == theirs - {"unspecified"}


def test_triggers_are_those_of_the_contract() -> None:
    theirs = {one.name for one in v1.Trigger.DESCRIPTOR.oneofs_by_name["condition"].fields}
    assert set(policy.AnyOf.__optional_keys__) == theirs


def test_a_whole_policy(client: Client) -> None:
    made = policy.make_policy(
        policy.shorten("results", 64, unit="message"),
        policy.pack_newest("pack", 500, headroom=0.1, any_of={"context_share_at_least": 0.5}),
        name="mine",
        custom_token_rule=policy.custom_token_rule(
            4, rounding="down", per_message=3, per_call=5, min=1, content_only=True
        ),
        image_token_count=0,
        protections=policy.protections(
            system="leading",
            pin_first=1,
            min_messages=2,
            release_last_user=True,
            pin_message_ids=["a"],
        ),
        tool_pairing="grouped",
        tool_result_fill=policy.tool_result_fill("always", newest_only=True, text="gone"),
        model="gpt-4o",
        context_window=64_000,
    )
    stored = client.create_session(policy=made).effective_policy
    assert stored.token_rule == v1.TOKEN_RULE_CUSTOM
    assert stored.custom_token_rule == made.custom_token_rule
    assert (stored.protections, stored.tool_result_fill) == (
        made.protections,
        made.tool_result_fill,
    )
    assert stored.tool_pairing == v1.TOOL_PAIRING_GROUPED
    assert [one.name for one in stored.stages] == ["results", "pack"]
    assert stored.stages[1].pack_newest == made.stages[1].pack_newest


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: policy.keep_last("s", 1, unit="page"),  # type: ignore[arg-type]
        lambda: policy.keep_last("s", 1, units="message"),  # type: ignore[call-arg]
        lambda: policy.keep_last("s", 1, over={"pages": 1}),  # type: ignore[typeddict-unknown-key]
        lambda: policy.keep_last("s", 1, any_of={"pages_over": 1}),  # type: ignore[typeddict-unknown-key]
        lambda: policy.keep_last("s", 1, boundary_always=True),
        lambda: policy.sliding_window(messages=3),  # type: ignore[call-arg]
        lambda: policy.forget_old(),  # type: ignore[call-arg]
    ],
)
def test_wrong_options_are_refused(wrong: Callable[[], Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        wrong()


# Each preset with every one of its options.
PRESETS: dict[str, v1.Preset] = {
    "sliding_window": policy.sliding_window(max_messages=4),
    "token_budget": policy.token_budget(max_tokens=900, headroom=0.2, token_rule="o200k"),
    "managed": policy.managed(trigger_tokens=900, target_tokens=700, headroom=0.1),
    "turns": policy.turns(max_turns=3, max_tokens=900),
    "forget_old": policy.forget_old(max_age_seconds=60, erase=True),
    "tool_results_first": policy.tool_results_first(
        max_tokens=900, tool_result_tokens=50, keep_newest=2
    ),
    "semantic_pruning": policy.semantic_pruning(max_tokens=900, similarity=0.8, lookahead=9),
    "pin_summarize_recent": policy.pin_summarize_recent(max_messages=9, pin=1, recent=3),
    "rolling_summary": policy.rolling_summary(
        max_tokens=900, hook="builtin", last_chars=500, on_failure="placeholder"
    ),
    "hierarchical_summary": policy.hierarchical_summary(fan_in=3, summary_max_tokens=200),
    "summarize_old": policy.summarize_old(
        max_tokens=900, context_share=0.5, context_window=9_000, model="m", keep_recent=3
    ),
    "selectools": policy.selectools(max_messages=3, max_tokens=None, summarize_on_trim=True),
    "lauren": policy.lauren(max_tokens=900, era="C", heal=None, summarize_at=0.75),
    "definable": policy.definable(max_messages=9, pin_count=1, recent_count=3),
    "marsys": policy.marsys(
        threshold_tokens=900,
        active_context={
            "mode": "compaction",
            "processor_order": ("tool_truncation", "backward_packing"),
            "tool_truncation": {"grace_recent_messages": 2},
        },
    ),
    "alquimia": policy.alquimia(
        memory_strategy_id="max_tokens",
        memory_max_tokens=900,
        conditions=["message.role != 'tool'"],
        long_term_memory=[{"long_term_memory_id": "neuralyzer", "interaction_threshold_qty": 4}],
    ),
}
TYPES: dict[str, Any] = {
    "selectools": presets.SelectoolsOptions,
    "lauren": presets.LaurenOptions,
    "definable": presets.DefinableOptions,
    "marsys": presets.MarsysOptions,
    "alquimia": presets.AlquimiaOptions,
}


def test_the_server_takes_every_preset(client: Client) -> None:
    known = {one.name: one for one in client.list_policy_presets()}
    assert set(PRESETS) == set(known)
    for name, made in PRESETS.items():
        stored = client.create_session(policy=made)
        assert stored.policy.preset == made
        assert stored.effective_policy.name == name
    chosen = client.create_session(policy={"preset": {"name": "sliding_window"}})
    assert len(chosen.effective_policy.stages) == 1


def test_the_options_are_those_of_the_server(client: Client) -> None:
    tree = ast.parse(Path(str(presets.__file__)).read_text())
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    for one in client.list_policy_presets():
        theirs = {option.name for option in one.options if "." not in option.name}
        if one.name in TYPES:
            ours = set(TYPES[one.name].__optional_keys__)
        else:
            ours = {argument.arg for argument in functions[one.name].args.kwonlyargs}
        assert ours == theirs, one.name


def nothing(kind: Any, **given: Any) -> dict[str, Any]:
    """Every option of a kind, left out by null but for those given."""
    return {**dict.fromkeys(kind.__optional_keys__), **given}


def test_the_options_inside_options_are_those_of_the_server(client: Client) -> None:
    marsys = next(one for one in client.list_policy_presets() if one.name == "marsys")
    inside: dict[str, set[str]] = {}
    for option in marsys.options:
        outer, *rest = option.name.split(".")
        if len(rest) == 1:
            inside.setdefault(outer, set()).add(rest[0])
    kinds: dict[str, Any] = {
        "memory_config": presets.ManagedMemoryConfig,
        "active_context": presets.ActiveContext,
        "tool_truncation": presets.ToolTruncation,
        "summarization": presets.Summarization,
        "backward_packing": presets.BackwardPacking,
        "sliding_window": presets.SlidingWindow,
    }
    assert inside == {name: set(kind.__optional_keys__) for name, kind in kinds.items()}


def test_options_inside_options_may_be_left_out_by_null(client: Client) -> None:
    context = nothing(
        presets.ActiveContext,
        tool_truncation=nothing(presets.ToolTruncation),
        summarization=nothing(presets.Summarization),
        backward_packing=nothing(presets.BackwardPacking),
        sliding_window=nothing(presets.SlidingWindow),
    )
    short = nothing(presets.ShortTermMemory, memory_strategy_id="max_tokens")
    long = nothing(presets.LongTermMemory, long_term_memory_id="summarizer")
    for made in (
        policy.preset("marsys", {"active_context": context}),
        policy.preset("marsys", {"memory_config": nothing(presets.ManagedMemoryConfig)}),
        policy.preset("alquimia", {"short_term_memory": [short], "long_term_memory": [long]}),
    ):
        assert client.create_session(policy=made).effective_policy.stages
    wrong = policy.preset("marsys", {"active_context": {"grace": None}})
    with pytest.raises(ms.Invalid):
        client.create_session(policy=wrong)


def test_mypy_finds_wrong_options(tmp_path: Path) -> None:
    wrong = [
        "policy.sliding_window(messages=3)",
        "policy.forget_old()",
        "policy.selectools(max_message=3)",
        'policy.marsys(memory_config={"target": 3})',
        'policy.lauren(era="D")',
        'policy.keep_last("s", 1, units="message")',
        'policy.keep_last("s", 1, unit="messages")',
        'policy.keep_last("s", 1, over={"message": 3})',
        'policy.drop_oldest("s", max_message=3)',
        'policy.boundary_only("s", "pop")',
    ]
    path = tmp_path / "wrong.py"
    path.write_text("\n".join(["from memorysidecar import policy", *wrong, ""]))
    config = str(ROOT / "pyproject.toml")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", config, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    lines = {int(one.split(":")[1]) for one in done.stdout.splitlines() if ": error:" in one}
    assert lines == set(range(2, len(wrong) + 2)), done.stdout
