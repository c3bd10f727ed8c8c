"""The short names of the parts of a policy, and how they become those of the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, Literal, cast

from typing_extensions import TypedDict

from . import v1

UnitName = Literal["message", "assistant_turn", "turn"]
OnName = Literal["append", "read", "turn_end", "request"]
EffectName = Literal["store", "view"]
RemovedToName = Literal["log", "discard", "summarize", "promote"]
KeepName = Literal["in_place", "append", "replace", "hierarchical"]
FlowName = Literal["single", "density"]
LeaveName = Literal["with_summary", "at_once"]
FailureName = Literal["keep", "drop", "placeholder"]
TranscriptName = Literal["roles", "capitals", "paragraphs"]
ShapeName = Literal["system", "exchange"]
ShowName = Literal["after_system", "system_first", "system_suffix", "none"]
BoundaryName = Literal["pop_tool_head", "pop_orphan_head", "grow_recent", "absorb_and_grow"]
ScopeName = Literal["unit", "message"]
SystemName = Literal["none", "all", "leading", "excluded"]
ToolPairingName = Literal["whole", "grouped", "loose", "adjacent"]
FillRuleName = Literal["moved_on", "always"]
RoundingName = Literal["up", "down"]
TokenRuleName = Literal[
    "bytes_div_4",
    "chars_div_4",
    "o200k",
    "cl100k",
    "given",
    "model",
    "words",
    "custom",
    "preset",
]


class Over(TypedDict, total=False):
    """Sizes of the window, each of which makes a stage act when it is passed."""

    messages: int
    tokens: int
    turns: int
    turn_tokens: int
    model_input_tokens: int
    age: timedelta


class AnyOf(TypedDict, total=False):
    """The triggers of a stage by their names in the contract: any one of them suffices."""

    message_count_over: int
    token_count_over: int
    context_share_at_least: float
    model_input_tokens_over: int
    turn_count_over: int
    turn_tokens_over: int
    new_messages_at_least: int
    new_tokens_at_least: int
    tool_success: Sequence[str]
    tool_error: Sequence[str]
    age_over: timedelta
    always: Literal[True]


class PlainStageOptions(TypedDict, total=False):
    """Options of every stage except its boundary."""

    on: OnName
    """Occasion on which the stage runs. Default: on append."""
    unit: UnitName
    """Unit that is kept or removed as a whole. Default: turns."""
    over: Over
    """Triggers of the stage, together with ``any_of``: any one suffices. Default: always."""
    any_of: AnyOf
    """Triggers of the stage, by the names of the contract."""
    count_if: str | Sequence[str]
    """Conditions in CEL: triggers count only units for which all hold for every message."""
    boundary_always: bool
    """Also applies the boundary rule when the stage removed nothing."""
    effect: EffectName
    """Whether the stored window changes. Default: view on read and to shorten, else store."""
    removed_to: RemovedToName
    """Destination of messages that leave the stored window. Default: they stay in the log, or are
    summarized when ``summarize`` is given."""
    summarize: v1.Summarize
    """Settings of the summary, made by ``policy.summarize``."""


class StageOptions(PlainStageOptions, total=False):
    """Options of every stage."""

    boundary: BoundaryName
    """Rule that keeps the edge of the cut valid. Default: none."""


_OVER: Final = {
    "messages": "message_count_over",
    "tokens": "token_count_over",
    "turns": "turn_count_over",
    "turn_tokens": "turn_tokens_over",
    "model_input_tokens": "model_input_tokens_over",
    "age": "age_over",
}
_TOOL_KINDS: Final = ("tool_success", "tool_error")


def _number(enum: Any, prefix: str, name: str | None) -> Any:
    """Gives the value of an enum by its short name, the unset one for None."""
    full = f"{prefix}_{'UNSPECIFIED' if name is None else name.upper()}"
    if full not in enum.keys():
        known = ", ".join(key.removeprefix(f"{prefix}_").lower() for key in enum.keys()[1:])
        raise ValueError(f'"{name}" is none of {known}')
    return enum.Value(full)


def unit_of(name: UnitName | v1.WindowUnit | None) -> v1.WindowUnit:
    """Gives a unit, which may be given as that of the contract."""
    if isinstance(name, int):
        return name
    return cast(v1.WindowUnit, _number(v1.WindowUnit, "WINDOW_UNIT", name))


def on_of(name: OnName | v1.StageOn | None) -> v1.StageOn:
    """Gives the occasion on which a stage runs."""
    if isinstance(name, int):
        return name
    return cast(v1.StageOn, _number(v1.StageOn, "STAGE_ON", name))


def token_rule_of(name: TokenRuleName | None) -> v1.TokenRule:
    """Gives a token rule, whose name may be that of the contract."""
    short = None if name is None else name.removeprefix("TOKEN_RULE_")
    return cast(v1.TokenRule, _number(v1.TokenRule, "TOKEN_RULE", short))


def tool_pairing_of(name: ToolPairingName | None) -> v1.ToolPairing:
    """Converts the name of a tool pairing."""
    return cast(v1.ToolPairing, _number(v1.ToolPairing, "TOOL_PAIRING", name))


def scope_of(name: ScopeName | None) -> v1.FilterScope:
    """Converts the name of the scope of a filter."""
    return cast(v1.FilterScope, _number(v1.FilterScope, "FILTER_SCOPE", name))


def system_of(name: SystemName | None) -> v1.SystemProtection:
    """Converts the name of a protection of system messages."""
    return cast(v1.SystemProtection, _number(v1.SystemProtection, "SYSTEM_PROTECTION", name))


def fill_rule_of(name: FillRuleName) -> v1.ToolResultFillRule:
    """Converts the name of a rule that fills tool results."""
    return cast(
        v1.ToolResultFillRule, _number(v1.ToolResultFillRule, "TOOL_RESULT_FILL_RULE", name)
    )


def rounding_of(name: RoundingName | None) -> v1.TokenRounding:
    """Converts the name of a rounding of tokens."""
    return cast(v1.TokenRounding, _number(v1.TokenRounding, "TOKEN_ROUNDING", name))


def summarize_of(
    *,
    keep: KeepName | None,
    flow: FlowName | None,
    leave: LeaveName | None,
    on_failure: FailureName | None,
    transcript: TranscriptName | None,
    shape: ShapeName | None,
    **fields: Any,
) -> v1.Summarize:
    """Makes the settings of a summary."""
    return v1.Summarize(
        keep=_number(v1.SummaryKeep, "SUMMARY_KEEP", keep),
        flow=_number(v1.SummaryFlow, "SUMMARY_FLOW", flow),
        leave=_number(v1.SummaryLeave, "SUMMARY_LEAVE", leave),
        on_failure=_number(v1.SummaryFailure, "SUMMARY_FAILURE", on_failure),
        transcript=_number(v1.TranscriptStyle, "TRANSCRIPT_STYLE", transcript),
        shape=_number(v1.SummaryShape, "SUMMARY_SHAPE", shape),
        **fields,
    )


def show_of(name: ShowName | None) -> v1.SummaryShow:
    """Converts the name of a position of the session's summary."""
    return cast(v1.SummaryShow, _number(v1.SummaryShow, "SUMMARY_SHOW", name))


def _condition(kind: str, value: Any) -> Any:
    if kind in _TOOL_KINDS:
        return {"names": value}
    return v1.Always() if kind == "always" else value


def _triggers(over: Over, any_of: AnyOf) -> list[v1.Trigger]:
    wanted: dict[str, Any] = {}
    for key, value in over.items():
        if key not in _OVER:
            raise ValueError(f'"{key}" is none of {", ".join(_OVER)}')
        wanted[_OVER[key]] = value
    triggers = []
    for kind, value in [*wanted.items(), *any_of.items()]:
        fields: Any = {kind: _condition(kind, value)}
        triggers.append(v1.Trigger(**fields))
    return triggers


def stage_of(name: str, options: StageOptions, **select: Any) -> v1.PolicyStage:
    """Makes a stage of its options and its one selection."""
    for key in cast(Mapping[str, Any], options):
        if key not in StageOptions.__optional_keys__:
            raise TypeError(f'"{key}" is no option of a stage')
    count_if = options.get("count_if", ())
    rule = options.get("boundary")
    always = options.get("boundary_always", False)
    boundary = None
    if rule is not None:
        number = _number(v1.BoundaryRule, "BOUNDARY_RULE", rule)
        boundary = v1.Boundary(rule=number, always=always)
    elif always:
        raise ValueError("boundary_always needs a boundary")
    summarize = options.get("summarize")
    removed_to = options.get("removed_to", None if summarize is None else "summarize")
    return v1.PolicyStage(
        name=name,
        on=on_of(options.get("on")),
        any_of=_triggers(options.get("over", {}), options.get("any_of", {})),
        unit=unit_of(options.get("unit")),
        count_if=[count_if] if isinstance(count_if, str) else count_if,
        boundary=boundary,
        effect=_number(v1.StageEffect, "STAGE_EFFECT", options.get("effect")),
        removed_to=_number(v1.RemovedTo, "REMOVED_TO", removed_to),
        summarize=summarize,
        **select,
    )
