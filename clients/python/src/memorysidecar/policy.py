"""Policies in typed form: stages, triggers, protections, and the presets of the server.

Everything here makes messages of the contract, for the ``policy`` arguments of the client::

    from memorysidecar import policy

    client.create_session(policy=policy.sliding_window(max_messages=40))
    fit = policy.drop_oldest("fit", max_tokens=6_000, over={"tokens": 8_000})
    client.create_session(policy=policy.make_policy(fit, token_rule="o200k"))

``policy_stage.proto`` and ``policy.proto`` say what every value means, with defaults and limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from typing_extensions import Unpack

from . import _policy_fields as f
from . import v1
from ._policy_fields import (
    AnyOf,
    BoundaryName,
    EffectName,
    OnName,
    Over,
    RemovedToName,
    StageOptions,
    TokenRuleName,
    UnitName,
)
from ._presets import (
    ActiveContext,
    AlquimiaOptions,
    DefinableOptions,
    LaurenOptions,
    LongTermMemory,
    ManagedMemoryConfig,
    MarsysOptions,
    SelectoolsOptions,
    ShortTermMemory,
    alquimia,
    definable,
    forget_old,
    hierarchical_summary,
    lauren,
    managed,
    marsys,
    pin_summarize_recent,
    preset,
    rolling_summary,
    selectools,
    semantic_pruning,
    sliding_window,
    summarize_old,
    token_budget,
    tool_results_first,
    turns,
)

__all__ = [
    "ActiveContext",
    "AlquimiaOptions",
    "AnyOf",
    "BoundaryName",
    "DefinableOptions",
    "EffectName",
    "LaurenOptions",
    "LongTermMemory",
    "ManagedMemoryConfig",
    "MarsysOptions",
    "OnName",
    "Over",
    "RemovedToName",
    "SelectoolsOptions",
    "ShortTermMemory",
    "StageOptions",
    "TokenRuleName",
    "UnitName",
    "alquimia",
    "boundary_only",
    "custom_token_rule",
    "definable",
    "drop_duplicates",
    "drop_oldest",
    "filter",
    "forget_old",
    "hierarchical_summary",
    "keep_last",
    "lauren",
    "make_policy",
    "managed",
    "marsys",
    "pack_newest",
    "pin_middle_recent",
    "pin_summarize_recent",
    "preset",
    "protections",
    "rolling_summary",
    "selectools",
    "semantic_pruning",
    "shorten",
    "sliding_window",
    "summarize",
    "summarize_old",
    "summary_view",
    "token_budget",
    "tool_result_fill",
    "tool_results_first",
    "turns",
]


def make_policy(
    *stages: v1.PolicyStage,
    name: str = "",
    token_rule: TokenRuleName | None = None,
    custom_token_rule: v1.CustomTokenRule | None = None,
    token_preset: str = "",
    image_token_count: int | None = None,
    protections: v1.Protections | None = None,
    tool_pairing: f.ToolPairingName | None = None,
    tool_result_fill: v1.ToolResultFill | None = None,
    summary_view: v1.SummaryView | None = None,
    model: str = "",
    context_window: int = 0,
    count_stored_only: bool = False,
) -> v1.Policy:
    """Makes a policy of stages, in their order.

    :param token_rule: how new messages are counted. Default: bytes divided by 4, or ``"custom"``
        when a ``custom_token_rule`` is given, or ``"preset"`` when a ``token_preset`` is.
    :param token_preset: a token rule by its name, such as ``"structured"``.
    :param count_stored_only: limits do not count the summary of the session and filled results.
    """
    if token_rule is None and custom_token_rule is not None:
        token_rule = "custom"
    if token_rule is None and token_preset:
        token_rule = "preset"
    return v1.Policy(
        stages=stages,
        name=name,
        token_rule=f.token_rule_of(token_rule),
        custom_token_rule=custom_token_rule,
        token_preset=token_preset,
        image_token_count=image_token_count,
        protections=protections,
        tool_pairing=f.tool_pairing_of(tool_pairing),
        tool_result_fill=tool_result_fill,
        summary_view=summary_view,
        count_stored_only=count_stored_only,
        model=model,
        context_window=context_window,
    )


def drop_oldest(
    name: str,
    *,
    max_messages: int | None = None,
    max_tokens: int | None = None,
    max_age: timedelta | None = None,
    stop_at_protected: bool = False,
    stop_at_zero_tokens: bool = False,
    **options: Unpack[StageOptions],
) -> v1.PolicyStage:
    """Makes a stage that removes the oldest units until every limit that is given holds."""
    select = v1.DropOldest(
        max_messages=max_messages,
        max_tokens=max_tokens,
        max_age=max_age,
        stop_at_protected=stop_at_protected,
        stop_at_zero_tokens=stop_at_zero_tokens,
    )
    return f.stage_of(name, options, drop_oldest=select)


def keep_last(name: str, unit_count: int, **options: Unpack[StageOptions]) -> v1.PolicyStage:
    """Makes a stage that keeps the newest units and removes the rest."""
    return f.stage_of(name, options, keep_last=v1.KeepLast(unit_count=unit_count))


def pack_newest(
    name: str,
    max_tokens: int,
    *,
    headroom: float = 0.0,
    skip_unfit: bool = False,
    **options: Unpack[StageOptions],
) -> v1.PolicyStage:
    """Makes a stage that takes units from the newest backwards while they fit a budget."""
    select = v1.PackNewest(max_tokens=max_tokens, headroom=headroom, skip_unfit=skip_unfit)
    return f.stage_of(name, options, pack_newest=select)


def pin_middle_recent(
    name: str,
    *,
    pin_first: int,
    keep_recent: int,
    min_removed: int | None = None,
    **options: Unpack[StageOptions],
) -> v1.PolicyStage:
    """Makes a stage that keeps the first and the newest messages and removes the middle."""
    select = v1.PinMiddleRecent(
        pin_first=pin_first, keep_recent=keep_recent, min_removed=min_removed
    )
    return f.stage_of(name, options, pin_middle_recent=select)


def filter(
    name: str,
    conditions: str | Iterable[str],
    *,
    scope: f.ScopeName | None = None,
    **options: Unpack[StageOptions],
) -> v1.PolicyStage:
    """Makes a stage that keeps only what meets all conditions, which are written in CEL.

    :param scope: whether a whole unit must meet them (``"unit"``, the default) or each message.
    """
    found = [conditions] if isinstance(conditions, str) else conditions
    select = v1.Filter(conditions=found, scope=f.scope_of(scope))
    return f.stage_of(name, options, filter=select)


def shorten(
    name: str,
    max_tokens: int,
    *,
    all_roles: bool = False,
    keep_newest: int | None = None,
    **options: Unpack[StageOptions],
) -> v1.PolicyStage:
    """Makes a stage that cuts long tool results down; with ``all_roles`` every long content."""
    select = v1.Shorten(max_tokens=max_tokens, all_roles=all_roles, keep_newest=keep_newest)
    return f.stage_of(name, options, shorten=select)


def drop_duplicates(
    name: str,
    *,
    similarity: float | None = None,
    lookahead: int | None = None,
    **options: Unpack[StageOptions],
) -> v1.PolicyStage:
    """Makes a stage that removes messages that say nearly the same as a newer one."""
    select = v1.DropDuplicates(similarity=similarity, lookahead=lookahead)
    return f.stage_of(name, options, drop_duplicates=select)


def boundary_only(
    name: str, boundary: BoundaryName, **options: Unpack[f.PlainStageOptions]
) -> v1.PolicyStage:
    """Makes a stage that does nothing but what its boundary rule says."""
    full: StageOptions = {**options, "boundary": boundary}
    return f.stage_of(name, full, boundary_only=v1.BoundaryOnly())


def protections(
    *,
    system: f.SystemName | None = None,
    pin_first: int = 0,
    min_messages: int | None = None,
    release_last_user: bool = False,
    pin_message_ids: Sequence[str] = (),
) -> v1.Protections:
    """Makes the protections: messages that no stage may remove. With ``release_last_user``, stages
    may remove the newest user message."""
    return v1.Protections(
        system=f.system_of(system),
        pin_first=pin_first,
        min_messages=min_messages,
        release_last_user=release_last_user,
        pin_message_ids=pin_message_ids,
    )


def tool_result_fill(
    rule: f.FillRuleName, *, newest_only: bool = False, text: str = ""
) -> v1.ToolResultFill:
    """Makes the rule by which a read answers tool calls that have no result."""
    return v1.ToolResultFill(rule=f.fill_rule_of(rule), newest_only=newest_only, text=text)


def summarize(
    hook: str = "",
    *,
    max_tokens: int | None = None,
    instructions: str = "",
    keep: f.KeepName | None = None,
    flow: f.FlowName | None = None,
    max_loops: int | None = None,
    leave: f.LeaveName | None = None,
    on_failure: f.FailureName | None = None,
    placeholder: str = "",
    separator: str | None = None,
    last_chars: int | None = None,
    last_chars_exact: bool = False,
    prefix: str = "",
    transcript: f.TranscriptName | None = None,
    fan_in: int | None = None,
    shape: f.ShapeName | None = None,
) -> v1.Summarize:
    """Makes the settings of a summary, for the option ``summarize`` of a stage.

    :param hook: name of the hook in the server's configuration. Default: the server's default;
        ``"manual"`` leaves the messages to ``set_summary``.
    :param keep: handling of the text. Default: it replaces the messages in the window.
    """
    return f.summarize_of(
        hook=hook,
        max_tokens=max_tokens,
        instructions=instructions,
        keep=keep,
        flow=flow,
        max_loops=max_loops,
        leave=leave,
        on_failure=on_failure,
        placeholder=placeholder,
        separator=separator,
        last_chars=last_chars,
        last_chars_exact=last_chars_exact,
        prefix=prefix,
        transcript=transcript,
        fan_in=fan_in,
        shape=shape,
    )


def summary_view(
    show: f.ShowName | None = None, *, prefix: str | None = None, max_tokens: int | None = None
) -> v1.SummaryView:
    """Makes the presentation of the summary of the session: its position, prefix and maximum cost.
    Default: after the system prompt, within a quarter of the token limit of the policy."""
    return v1.SummaryView(show=f.show_of(show), prefix=prefix, max_tokens=max_tokens)


def custom_token_rule(
    chars_per_token: float,
    *,
    rounding: f.RoundingName | None = None,
    per_message: int = 0,
    per_call: int = 0,
    min: int = 0,
    content_only: bool = False,
) -> v1.CustomTokenRule:
    """Puts a token rule together."""
    return v1.CustomTokenRule(
        chars_per_token=chars_per_token,
        rounding=f.rounding_of(rounding),
        per_message=per_message,
        per_call=per_call,
        min=min,
        content_only=content_only,
    )
