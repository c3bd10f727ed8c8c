"""The presets of the server, typed: policies by name, with options. See ``memorysidecar.policy``.

Options that are left out, or None, have the default that ``list_policy_presets`` tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict, Unpack

from . import v1


def _plain(value: Any) -> Any:
    """Gives a value as JSON has it."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return value


OnFailure = Literal["keep", "drop", "placeholder"]
# Token rule of a preset. Default: that of its model, or bytes divided by 4.
PresetTokenRule = Literal[
    "bytes_div_4", "chars_div_4", "o200k", "cl100k", "words", "given", "model"
]


def preset(name: str, options: Mapping[str, Any] | None = None) -> v1.Preset:
    """Chooses any preset of the server, with unchecked options. The presets that
    this version of the client knows have functions of their own."""
    given = {key: _plain(value) for key, value in (options or {}).items() if value is not None}
    return v1.Preset(name=name, options=given)


def sliding_window(
    *,
    max_messages: int | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """Keeps the newest messages (50). The oldest go one by one, tool calls with their results."""
    return preset(
        "sliding_window",
        {"max_messages": max_messages, "token_rule": token_rule, "model": model},
    )


def token_budget(
    *,
    max_tokens: int | None = None,
    headroom: float | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """Keeps the window within a token budget (8,000). Whole turns go, the oldest first."""
    return preset(
        "token_budget",
        {"max_tokens": max_tokens, "headroom": headroom, "token_rule": token_rule, "model": model},
    )


def managed(
    *,
    trigger_tokens: int | None = None,
    target_tokens: int | None = None,
    headroom: float | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """Lets the window grow up to a trigger (12,000), then packs it down to a target (8,000)."""
    options = {"trigger_tokens": trigger_tokens, "target_tokens": target_tokens}
    return preset(
        "managed",
        {**options, "headroom": headroom, "token_rule": token_rule, "model": model},
    )


def turns(
    *,
    max_turns: int | None = None,
    max_tokens: int | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """Keeps the newest turns (20): user messages, each with all up to the next one."""
    options = {"max_turns": max_turns, "max_tokens": max_tokens}
    return preset(
        "turns",
        {**options, "token_rule": token_rule, "model": model},
    )


def forget_old(
    *,
    max_age_seconds: int,
    erase: bool | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """Lets turns leave the window when they are too old; with ``erase`` the log as well."""
    return preset(
        "forget_old",
        {
            "max_age_seconds": max_age_seconds,
            "erase": erase,
            "token_rule": token_rule,
            "model": model,
        },
    )


def tool_results_first(
    *,
    max_tokens: int | None = None,
    tool_result_tokens: int | None = None,
    keep_newest: int | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """Keeps the window within a token budget (8,000). Old tool results are shortened first."""
    options = {"max_tokens": max_tokens, "tool_result_tokens": tool_result_tokens}
    return preset(
        "tool_results_first",
        {**options, "keep_newest": keep_newest, "token_rule": token_rule, "model": model},
    )


def semantic_pruning(
    *,
    max_tokens: int | None = None,
    similarity: float | None = None,
    lookahead: int | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """Leaves out of what is read the messages that a newer one says again, within a budget."""
    options = {"max_tokens": max_tokens, "similarity": similarity, "lookahead": lookahead}
    return preset(
        "semantic_pruning",
        {**options, "token_rule": token_rule, "model": model},
    )


def pin_summarize_recent(
    *,
    max_messages: int | None = None,
    pin: int | None = None,
    recent: int | None = None,
    hook: str | None = None,
    summary_max_tokens: int | None = None,
    instructions: str | None = None,
    on_failure: OnFailure | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """Keeps the first and the newest messages; a summary takes the place of those between."""
    options = {"max_messages": max_messages, "pin": pin, "recent": recent}
    return preset(
        "pin_summarize_recent",
        {
            **options,
            **_summary(hook, summary_max_tokens, instructions, on_failure),
            "token_rule": token_rule,
            "model": model,
        },
    )


def summarize_old(
    *,
    max_tokens: int | None = None,
    context_share: float | None = None,
    context_window: int | None = None,
    keep_recent: int | None = None,
    hook: str | None = None,
    summary_max_tokens: int | None = None,
    instructions: str | None = None,
    on_failure: OnFailure | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """Summarizes all but the newest messages when the window exceeds its budget."""
    share = {"context_share": context_share, "context_window": context_window}
    return preset(
        "summarize_old",
        {
            "max_tokens": max_tokens,
            **share,
            "keep_recent": keep_recent,
            **_summary(hook, summary_max_tokens, instructions, on_failure),
            "token_rule": token_rule,
            "model": model,
        },
    )


def rolling_summary(
    *,
    max_tokens: int | None = None,
    headroom: float | None = None,
    hook: str | None = None,
    summary_max_tokens: int | None = None,
    instructions: str | None = None,
    last_chars: int | None = None,
    on_failure: Literal["drop", "placeholder"] | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """Keeps the window within a token budget; what leaves is joined to a summary beside it."""
    options = {"max_tokens": max_tokens, "headroom": headroom, "last_chars": last_chars}
    return preset(
        "rolling_summary",
        {
            **options,
            **_summary(hook, summary_max_tokens, instructions, on_failure),
            "token_rule": token_rule,
            "model": model,
        },
    )


def hierarchical_summary(
    *,
    max_tokens: int | None = None,
    keep_recent: int | None = None,
    fan_in: int | None = None,
    hook: str | None = None,
    summary_max_tokens: int | None = None,
    instructions: str | None = None,
    on_failure: OnFailure | None = None,
    token_rule: PresetTokenRule | None = None,
    model: str | None = None,
) -> v1.Preset:
    """As ``summarize_old``; several summaries of one level become one of the next."""
    options = {"max_tokens": max_tokens, "keep_recent": keep_recent, "fan_in": fan_in}
    return preset(
        "hierarchical_summary",
        {
            **options,
            **_summary(hook, summary_max_tokens, instructions, on_failure),
            "token_rule": token_rule,
            "model": model,
        },
    )


def _summary(
    hook: str | None,
    summary_max_tokens: int | None,
    instructions: str | None,
    on_failure: str | None,
) -> dict[str, object]:
    return {
        "hook": hook,
        "summary_max_tokens": summary_max_tokens,
        "instructions": instructions,
        "on_failure": on_failure,
    }


class SelectoolsOptions(TypedDict, total=False):
    """The options of selectools."""

    max_messages: int
    max_tokens: int | None
    summarize_on_trim: bool
    summarize_max_tokens: int
    compress_context: bool
    compress_threshold: float
    compress_keep_recent: int
    unified: bool
    short_term_limit: int
    importance_threshold: float
    long_term_limit: int
    episodic_retention_days: int
    auto_promote: bool
    token_estimate: Literal["floor_4", "floor_4_min_1", "prompt"] | None
    context_window: int
    model: str
    hook: str


def selectools(**options: Unpack[SelectoolsOptions]) -> v1.Preset:
    """Trims as selectools does."""
    return preset("selectools", options)


class LaurenOptions(TypedDict, total=False):
    """The options of lauren-ai."""

    max_tokens: int
    memory_window_tokens: int
    summarize_at: float | None
    keep_recent: int
    era: Literal["A", "B", "C"]
    tool_turn_atomic: bool | None
    guard_last_user: bool | None
    heal: bool | None
    hook: str


def lauren(**options: Unpack[LaurenOptions]) -> v1.Preset:
    """Trims as lauren-ai does."""
    return preset("lauren", options)


class DefinableOptions(TypedDict, total=False):
    """The options of definable."""

    enabled: bool
    max_messages: int
    pin_count: int
    recent_count: int
    hook: str


def definable(**options: Unpack[DefinableOptions]) -> v1.Preset:
    """Trims as definable does."""
    return preset("definable", options)


MarsysInvalidation = Literal[
    "add", "update", "replace_memory", "remove_by_id", "delete_memory", "reset_memory"
]
MarsysProcessor = Literal["tool_truncation", "summarization", "backward_packing"]


class ManagedMemoryConfig(TypedDict, total=False):
    """The ManagedMemoryConfig of MARSYS."""

    max_total_tokens_trigger: int
    target_total_tokens: int
    image_token_estimate: int
    min_retrieval_gap_steps: int
    min_retrieval_gap_tokens: int
    trigger_events: Sequence[Literal["add", "get_messages"]]
    cache_invalidation_events: Sequence[MarsysInvalidation]
    enable_headroom_percent: float


class ToolTruncation(TypedDict, total=False):
    """Shortening of tool results in a later release of MARSYS."""

    enabled: bool
    max_tool_message_tokens: int
    grace_recent_messages: int
    append_marker: str


class Summarization(TypedDict, total=False):
    """Summarization in a later release of MARSYS."""

    enabled: bool
    grace_recent_messages: int
    output_max_tokens: int


class BackwardPacking(TypedDict, total=False):
    """Packing in a later release of MARSYS."""

    grace_recent_messages: int


class SlidingWindow(TypedDict, total=False):
    """Packing on every read in a later release of MARSYS."""

    headroom_percent: float


class ContextProcessing(TypedDict, total=False):
    """Reduction of a context in a later release of MARSYS."""

    enabled: bool
    processor_order: Sequence[MarsysProcessor]
    excluded_processors: Sequence[MarsysProcessor]
    min_reduction_ratio: float
    tool_truncation: ToolTruncation
    summarization: Summarization
    backward_packing: BackwardPacking
    sliding_window: SlidingWindow


class ActiveContext(ContextProcessing, total=False):
    """The ActiveContextPolicy of the later releases of MARSYS."""

    mode: Literal["compaction", "sliding_window"]


class MarsysOptions(ManagedMemoryConfig, ContextProcessing, total=False):
    """The options of MARSYS: those of its first releases, or those of its later ones."""

    memory_type: Literal["conversation_history", "managed_conversation"]
    memory_config: ManagedMemoryConfig
    mode: Literal["repack_always", "strict"] | None
    threshold_tokens: int
    compaction_target_tokens: int | None
    active_context: ActiveContext
    hook: str


def marsys(**options: Unpack[MarsysOptions]) -> v1.Preset:
    """Trims as MARSYS does."""
    return preset("marsys", options)


class ShortTermMemory(TypedDict, total=False):
    """A short-term strategy of Alquimia."""

    memory_strategy_id: Literal["max_tokens"]
    memory_max_tokens: int
    conditions: Sequence[str]
    condition_scope: Literal["interaction_all", "message"]


class KnowledgeBase(TypedDict):
    """The collection of documents that a summarizer of Alquimia writes to besides."""

    collection_id: str


class LongTermMemory(TypedDict, total=False):
    """A long-term strategy of Alquimia. The last three are the summarizer's."""

    long_term_memory_id: Literal["summarizer", "neuralyzer"]
    input_tokens_threshold: int
    interaction_keep: int
    interaction_conditions: Sequence[str]
    on_tools_success_threshold: Sequence[str]
    on_tools_error_threshold: Sequence[str]
    interaction_threshold_qty: int
    interaction_threshold_tokens: int
    cod_max_loops: int
    knowledge_base: KnowledgeBase | None
    instructions: str | None


class AlquimiaOptions(ShortTermMemory, LongTermMemory, total=False):
    """The options of Alquimia: one strategy of each kind, or lists of them."""

    short_term_memory: Sequence[ShortTermMemory]
    long_term_memory: Sequence[LongTermMemory]
    hook: str


def alquimia(**options: Unpack[AlquimiaOptions]) -> v1.Preset:
    """Reads and forgets as Alquimia does."""
    return preset("alquimia", options)
