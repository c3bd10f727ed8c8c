// When each field of a policy, of a memory policy, of a recall and of a context has an effect. A
// text says when. Where another choice takes the effect away, `idle` is what is refused for the
// field, in the form of JSON, and `used` is what is taken. A refusal names `field`, if given.

export type FieldEffect =
  | string
  | {
      readonly when: string;
      readonly idle: object;
      readonly used: object;
      readonly field?: string;
    };

const stage = (fields: object, more: object = {}): object => ({
  ...more,
  stages: [{ name: "a", keepLast: { unitCount: 3 }, ...fields }],
});
const summarize = (fields: object): object =>
  stage({ removedTo: "REMOVED_TO_SUMMARIZE", summarize: { hook: "model", ...fields } });
const SHARE = { anyOf: [{ contextShareAtLeast: 0.5 }] };
const OVER = { anyOf: [{ tokenCountOver: "9" }] };
const BUILTIN = { hook: "builtin" };
const NONE = { show: "SUMMARY_SHOW_NONE" };
const SHORTEN = { name: "s", shorten: { maxTokens: 16 } };
const keep = (kind: string) => ({ keep: `SUMMARY_KEEP_${kind}` });
const always = (...names: readonly string[]): Readonly<Record<string, FieldEffect>> =>
  Object.fromEntries(names.map((name) => [name, "always"]));

const OF_POLICY: Readonly<Record<string, FieldEffect>> = {
  ...always("Policy.token_rule", "Policy.protections", "Policy.stages", "Policy.name"),
  ...always("Policy.tool_pairing", "Policy.tool_result_fill", "Policy.summary_view"),
  "Policy.image_token_count": {
    when: "messages with images are counted, shortened or cut for a hook",
    idle: { tokenRule: "TOKEN_RULE_GIVEN", imageTokenCount: 5 },
    used: { tokenRule: "TOKEN_RULE_GIVEN", imageTokenCount: 5, stages: [SHORTEN] },
  },
  "Policy.model": {
    when: "with TOKEN_RULE_MODEL or context_share_at_least",
    idle: { model: "gpt-4o" },
    used: { model: "gpt-4o", tokenRule: "TOKEN_RULE_MODEL" },
  },
  "Policy.context_window": {
    when: "with context_share_at_least",
    idle: { contextWindow: "100" },
    used: stage(SHARE, { contextWindow: "100" }),
  },
  "Policy.custom_token_rule": {
    when: "with TOKEN_RULE_CUSTOM",
    idle: { customTokenRule: { charsPerToken: 4 } },
    used: { tokenRule: "TOKEN_RULE_CUSTOM", customTokenRule: { charsPerToken: 4 } },
  },
  "Policy.token_preset": {
    when: "with TOKEN_RULE_PRESET",
    idle: { tokenPreset: "structured" },
    used: { tokenRule: "TOKEN_RULE_PRESET", tokenPreset: "structured" },
  },
  "Policy.count_stored_only": {
    when: "reads add a summary or filled results",
    idle: { countStoredOnly: true, summaryView: NONE },
    used: { countStoredOnly: true },
  },
  ...always("Protections.system", "Protections.pin_first", "Protections.min_messages"),
  ...always("Protections.release_last_user", "Protections.pin_message_ids"),
  ...always("ToolResultFill.rule", "ToolResultFill.newest_only", "ToolResultFill.text"),
  ...always("CustomTokenRule.chars_per_token", "CustomTokenRule.rounding", "CustomTokenRule.min"),
  ...always("CustomTokenRule.per_message", "CustomTokenRule.per_call"),
  ...always("CustomTokenRule.content_only"),
  ...always("PolicyStage.name", "PolicyStage.on", "PolicyStage.keep_assistant_turns"),
  "PolicyStage.any_of": {
    when: "unless another trigger is always",
    idle: stage({ anyOf: [{ always: {} }, { messageCountOver: 3 }] }),
    used: stage({ anyOf: [{ messageCountOver: 3 }] }),
    field: "stages[0].any_of[1]",
  },
  "PolicyStage.unit": {
    when: "the stage chooses units, or count_if counts them; one message is always a unit",
    idle: stage({ keepLast: undefined, ...SHORTEN, unit: "WINDOW_UNIT_ASSISTANT_TURN" }),
    used: stage({ unit: "WINDOW_UNIT_ASSISTANT_TURN" }),
  },
  "PolicyStage.count_if": {
    when: "a trigger counts messages, tokens, turns or age",
    idle: stage({ countIf: ["true"], anyOf: [{ modelInputTokensOver: "9" }] }),
    used: stage({ countIf: ["true"], ...OVER }),
  },
  "PolicyStage.boundary": {
    when: "all but stages that shorten",
    idle: stage({
      ...{ keepLast: undefined, ...SHORTEN },
      boundary: { rule: "BOUNDARY_RULE_POP_TOOL_HEAD" },
    }),
    used: stage({ boundary: { rule: "BOUNDARY_RULE_POP_TOOL_HEAD" } }),
  },
  "PolicyStage.effect": {
    when: "always; a stage that cannot have the effect is refused",
    idle: stage({ effect: "STAGE_EFFECT_VIEW" }),
    used: stage({ effect: "STAGE_EFFECT_VIEW", on: "STAGE_ON_READ" }),
  },
  "PolicyStage.removed_to": {
    when: "with STAGE_EFFECT_STORE",
    idle: stage({ removedTo: "REMOVED_TO_DISCARD", on: "STAGE_ON_READ" }),
    used: stage({ removedTo: "REMOVED_TO_DISCARD" }),
  },
  "PolicyStage.summarize": {
    when: "with REMOVED_TO_SUMMARIZE",
    idle: stage({ summarize: {} }),
    used: summarize({}),
  },
  "PolicyStage.count_whole": {
    when: "a trigger counts and an earlier stage shortens",
    idle: stage({ countWhole: true, ...OVER }),
    used: {
      stages: [SHORTEN, { name: "a", keepLast: { unitCount: 3 }, countWhole: true, ...OVER }],
    },
  },
  ...Object.fromEntries(
    [
      ...["drop_oldest", "keep_last", "pack_newest", "pin_middle_recent", "filter", "shorten"],
      ...["drop_duplicates", "boundary_only"],
    ].map((name) => [`PolicyStage.${name}`, "always: it is what the stage does"]),
  ),
  ...always("Trigger.message_count_over", "Trigger.token_count_over", "Trigger.age_over"),
  ...always("Trigger.model_input_tokens_over", "Trigger.turn_count_over"),
  ...always("Trigger.turn_tokens_over", "Trigger.always", "ToolNames.names"),
  "Trigger.context_share_at_least": {
    when: "a context window is known",
    idle: stage(SHARE),
    used: stage(SHARE, { contextWindow: "100" }),
    field: "stages[0].any_of[0].context_share_at_least",
  },
  "Trigger.new_messages_at_least": {
    when: "with STAGE_EFFECT_STORE",
    idle: stage({ on: "STAGE_ON_READ", anyOf: [{ newMessagesAtLeast: 3 }] }),
    used: stage({ anyOf: [{ newMessagesAtLeast: 3 }] }),
    field: "stages[0].any_of[0].new_messages_at_least",
  },
  "Trigger.new_tokens_at_least": {
    when: "with STAGE_EFFECT_STORE",
    idle: stage({ on: "STAGE_ON_READ", anyOf: [{ newTokensAtLeast: "3" }] }),
    used: stage({ anyOf: [{ newTokensAtLeast: "3" }] }),
    field: "stages[0].any_of[0].new_tokens_at_least",
  },
  "Trigger.tool_success": {
    when: "on append and on turn end",
    idle: stage({ on: "STAGE_ON_READ", anyOf: [{ toolSuccess: { names: ["t"] } }] }),
    used: stage({ anyOf: [{ toolSuccess: { names: ["t"] } }] }),
    field: "stages[0].any_of[0].tool_success",
  },
  "Trigger.tool_error": {
    when: "on append and on turn end",
    idle: stage({ on: "STAGE_ON_REQUEST", anyOf: [{ toolError: { names: ["t"] } }] }),
    used: stage({ anyOf: [{ toolError: { names: ["t"] } }] }),
    field: "stages[0].any_of[0].tool_error",
  },
  ...always("DropOldest.max_messages", "DropOldest.max_tokens", "DropOldest.max_age"),
  ...always("DropOldest.stop_at_protected", "DropOldest.stop_at_zero_tokens"),
  ...always("KeepLast.unit_count", "PackNewest.max_tokens", "PackNewest.headroom"),
  ...always("PackNewest.skip_unfit", "PinMiddleRecent.pin_first", "PinMiddleRecent.keep_recent"),
  ...always("PinMiddleRecent.min_removed", "Filter.conditions", "Filter.scope"),
  ...always("Shorten.max_tokens", "Shorten.all_roles", "Shorten.keep_newest"),
  ...always("Shorten.keep_chars", "Shorten.min_saved_tokens"),
  ...always("DropDuplicates.similarity", "DropDuplicates.lookahead"),
  "Shorten.marker": {
    when: "with keep_chars",
    idle: stage({ keepLast: undefined, name: "s", shorten: { maxTokens: 16, marker: "x" } }),
    used: stage({
      ...{ keepLast: undefined, name: "s" },
      shorten: { maxTokens: 16, marker: "x", keepChars: 64 },
    }),
    field: "stages[0].shorten.marker",
  },
  "Boundary.rule": {
    when: "tool_pairing leaves something to make safe",
    idle: stage({ boundary: { rule: "BOUNDARY_RULE_POP_ORPHAN_HEAD" } }),
    used: stage(
      { boundary: { rule: "BOUNDARY_RULE_POP_ORPHAN_HEAD" } },
      { toolPairing: "TOOL_PAIRING_LOOSE" },
    ),
    field: "stages[0].boundary.rule",
  },
  "Boundary.always": {
    when: "a stage removes messages by itself",
    idle: stage({
      ...{ keepLast: undefined, boundaryOnly: {} },
      boundary: { rule: "BOUNDARY_RULE_POP_TOOL_HEAD", always: true },
    }),
    used: stage({ boundary: { rule: "BOUNDARY_RULE_POP_TOOL_HEAD", always: true } }),
    field: "stages[0].boundary.always",
  },
  ...always("SummaryView.show"),
  "SummaryView.prefix": {
    when: "unless SUMMARY_SHOW_NONE",
    idle: { summaryView: { ...NONE, prefix: "So far: " } },
    used: { summaryView: { prefix: "So far: " } },
    field: "summary_view.prefix",
  },
  "SummaryView.max_tokens": {
    when: "unless SUMMARY_SHOW_NONE",
    idle: { summaryView: { ...NONE, maxTokens: "9" } },
    used: { summaryView: { maxTokens: "9" } },
    field: "summary_view.max_tokens",
  },
};

const ofSummary = (name: string, when: string, idle: object, used: object) => ({
  [`Summarize.${name}`]: {
    ...{ when, idle: summarize(idle), used: summarize(used) },
    field: `stages[0].summarize.${name}`,
  },
});
const MANUAL = { hook: "manual" };

const OF_SUMMARIZE: Readonly<Record<string, FieldEffect>> = {
  ...always("Summarize.hook", "Summarize.keep"),
  ...ofSummary("max_tokens", "unless manual", { ...MANUAL, maxTokens: 99 }, { maxTokens: 99 }),
  ...ofSummary(
    "instructions",
    "with a model",
    { ...BUILTIN, instructions: "x" },
    { instructions: "x" },
  ),
  ...ofSummary(
    "transcript",
    "with a hook of one's own",
    { ...BUILTIN, transcript: "TRANSCRIPT_STYLE_CAPITALS" },
    { transcript: "TRANSCRIPT_STYLE_CAPITALS" },
  ),
  ...ofSummary(
    "flow",
    "with a hook of one's own",
    { ...BUILTIN, flow: "SUMMARY_FLOW_DENSITY" },
    { flow: "SUMMARY_FLOW_DENSITY" },
  ),
  ...ofSummary(
    "max_loops",
    "with SUMMARY_FLOW_DENSITY",
    { maxLoops: 3 },
    { maxLoops: 3, flow: "SUMMARY_FLOW_DENSITY" },
  ),
  ...ofSummary(
    "leave",
    "with SUMMARY_KEEP_APPEND and SUMMARY_KEEP_REPLACE",
    { leave: "SUMMARY_LEAVE_AT_ONCE" },
    { leave: "SUMMARY_LEAVE_AT_ONCE", ...keep("REPLACE") },
  ),
  ...ofSummary(
    "on_failure",
    "unless manual",
    { ...MANUAL, onFailure: "SUMMARY_FAILURE_DROP" },
    { onFailure: "SUMMARY_FAILURE_DROP" },
  ),
  ...ofSummary(
    "placeholder",
    "with SUMMARY_FAILURE_PLACEHOLDER",
    { placeholder: "x" },
    { placeholder: "x", onFailure: "SUMMARY_FAILURE_PLACEHOLDER" },
  ),
  ...ofSummary(
    "separator",
    "with SUMMARY_KEEP_APPEND",
    { separator: "\n", ...keep("REPLACE") },
    { separator: "\n", ...keep("APPEND") },
  ),
  ...ofSummary(
    "last_chars",
    "with SUMMARY_KEEP_APPEND",
    { lastChars: 200 },
    { lastChars: 200, ...keep("APPEND") },
  ),
  ...ofSummary(
    "last_chars_exact",
    "with SUMMARY_KEEP_APPEND",
    { lastCharsExact: true },
    { lastCharsExact: true, ...keep("APPEND") },
  ),
  ...ofSummary("prefix", "in place", { prefix: "> ", ...keep("APPEND") }, { prefix: "> " }),
  ...ofSummary("fan_in", "in place", { fanIn: 3, ...keep("REPLACE") }, { fanIn: 3 }),
  ...ofSummary(
    "shape",
    "in place",
    { shape: "SUMMARY_SHAPE_EXCHANGE", ...keep("APPEND") },
    { shape: "SUMMARY_SHAPE_EXCHANGE" },
  ),
  ...ofSummary(
    "collection_id",
    "unless manual",
    { ...MANUAL, collectionId: "c" },
    { collectionId: "c" },
  ),
};

const OF_MEMORY_POLICY: Readonly<Record<string, FieldEffect>> = {
  ...always("MemoryPolicy.promotion", "MemoryPolicy.episodes", "MemoryPolicy.extraction"),
  ...Object.fromEntries(
    ["long_term_limit", "entity_limit", "relation_limit", "agent_scope"].map((name) => [
      `MemoryPolicy.${name}`,
      "always: also for ConsolidateSession and ExtractMemories",
    ]),
  ),
  "MemoryPolicy.on_source_erased": "always: also for memories that a caller remembered",
  ...always("PromotionPolicy.selection", "PromotionPolicy.importance_threshold"),
  "PromotionPolicy.importance_rules": "always: with a score_hook, when it fails",
  ...always("PromotionPolicy.score_hook", "PromotionPolicy.marked_stages_only"),
  ...always("EpisodePolicy.retention", "ImportanceRule.name", "ImportanceRule.phrases"),
  ...always("ImportanceRule.score", "ExtractionPolicy.hook", "ExtractionPolicy.on"),
  ...always("ExtractionPolicy.targets", "ExtractionPolicy.keep_contradictions"),
  "ExtractionPolicy.instructions": {
    when: "with a hook of one's own",
    idle: { extraction: { instructions: "x" } },
    used: { extraction: { instructions: "x", hook: "model" } },
    field: "extraction.instructions",
  },
};

const LEXICAL = { mode: "RECALL_MODE_LEXICAL" };
const DENSE = { mode: "RECALL_MODE_DENSE" };
const MEMORIES = { filter: { kinds: ["RECALL_KIND_MEMORY"] } };
const VECTOR = { embedding: { model: "m", values: [1] } };
const weight = (name: string, mode: object, key = name) => ({
  [`RecallWeights.${name}`]: {
    when: "with a mode that computes it",
    idle: { ...mode, weights: { [key]: 1 } },
    used: { weights: { [key]: 1 } },
    field: `weights.${name}`,
  },
});

const OF_RECALL: Readonly<Record<string, FieldEffect>> = {
  ...always("RecallRequest.namespace", "RecallRequest.query", "RecallRequest.filter"),
  ...always("RecallRequest.page_size", "RecallRequest.page_token", "RecallRequest.mode"),
  ...always("RecallRequest.fusion", "RecallRequest.min_score", "RecallRequest.group_by_session"),
  ...always("RecallRequest.scoring", "RecallRequest.reference_time"),
  ...Object.fromEntries(
    (
      [
        ["min_relevance", 0.5],
        ["diversity", 0.5],
        ["rerank", {}],
        ["allow_partial", true],
      ] as const
    ).map(([name, value]) => [
      `RecallRequest.${name}`,
      {
        when: "with the default scoring",
        idle: { [name]: value, scoring: "overlap" },
        used: { [name]: value },
      },
    ]),
  ),
  "RecallRequest.embedding": {
    when: "with a mode that compares vectors",
    idle: { ...LEXICAL, ...VECTOR },
    used: VECTOR,
  },
  "RecallRequest.weights": {
    when: "with FUSION_METHOD_SCORES",
    idle: { weights: {}, fusion: "FUSION_METHOD_RECIPROCAL_RANK" },
    used: { weights: {} },
  },
  "RecallRequest.context_before": {
    when: "messages are recalled",
    idle: { contextBefore: 1, ...MEMORIES },
    used: { contextBefore: 1 },
  },
  "RecallRequest.context_after": {
    when: "messages are recalled",
    idle: { contextAfter: 1, ...MEMORIES },
    used: { contextAfter: 1 },
  },
  ...Object.fromEntries(
    [
      ["include_embeddings", "includeEmbeddings"],
      ["include_payloads", "includePayloads"],
      ["include_records", "includeRecords"],
      ["best_of_record", "bestOfRecord"],
    ].map(([name, key = ""]) => [
      `RecallRequest.${name}`,
      {
        when: "documents are recalled",
        idle: { [key]: true, ...MEMORIES },
        used: { [key]: true },
      },
    ]),
  ),
  ...always("RecallFilter.kinds", "RecallFilter.session_ids", "RecallFilter.exclude_session_ids"),
  ...always("RecallFilter.scope", "RecallFilter.session_labels", "RecallFilter.roles"),
  ...always("RecallFilter.collection_ids", "RecallFilter.labels", "RecallFilter.metadata"),
  ...always("RecallFilter.time_from", "RecallFilter.time_before", "RecallFilter.min_trust"),
  ...always("RecallFilter.memory_kinds", "RecallFilter.valid_at_time", "RecallFilter.categories"),
  ...always("RecallFilter.min_confidence", "RecallFilter.source_document_id"),
  ...always("RecallFilter.session_id_prefix", "RecallFilter.recursive_collections"),
  "RecallFilter.include_superseded": {
    when: "without valid_at_time",
    idle: { filter: { includeSuperseded: true, validAtTime: "2026-01-01T00:00:00Z" } },
    used: { filter: { includeSuperseded: true } },
    field: "filter.include_superseded",
  },
  ...always("RecallWeights.words", "RecallWeights.author", "RecallWeights.user_role"),
  ...always("RecallWeights.length", "RecallWeights.question", "RecallWeights.date"),
  ...always("RecallWeights.recency", "RecallWeights.importance", "RecallWeights.trust"),
  ...always("RecallWeights.session", "RecallWeights.confidence", "RecallWeights.facts"),
  ...always("RecallWeights.entities"),
  ...weight("neighbors", DENSE),
  ...weight("dense", LEXICAL),
  ...weight("coverage", DENSE),
  ...weight("near_words", LEXICAL, "nearWords"),
  ...weight("identifier", DENSE),
  "RecallWeights.recency_half_life": {
    when: "with a weight for recency",
    idle: { weights: { recencyHalfLife: "86400s" } },
    used: { weights: { recencyHalfLife: "86400s", recency: 1 } },
    field: "weights.recency_half_life",
  },
  ...always("GroupBySession.hits_per_session", "Rerank.hook", "Rerank.candidates"),
};

const sections = (kind: string, fields: object = {}) => ({
  sections: [{ kind: `CONTEXT_SECTION_KIND_${kind}`, ...fields }],
});

const blockOf = (place: string, fields: object) => ({
  blocks: [
    { name: "a", place: `CONTEXT_PLACE_${place}`, sections: ["CONTEXT_SECTION_KIND_LONG_TERM"] },
  ].map((block) => ({ ...block, ...fields })),
});

const ofTool = (
  name: string,
  key: string,
  value: string,
): Readonly<Record<string, FieldEffect>> => {
  const tool = { toolName: "recall", [key]: value };
  return {
    [`ContextBlock.${name}`]: {
      when: "with CONTEXT_PLACE_TOOL_RESULT",
      idle: blockOf("SYSTEM", { [key]: value }),
      used: blockOf("TOOL_RESULT", tool),
      field: `blocks[0].${name}`,
    },
  };
};

const OF_CONTEXT: Readonly<Record<string, FieldEffect>> = {
  ...Object.fromEntries(
    [
      ...["namespace", "session_id", "scope", "query", "max_tokens", "token_rule", "sections"],
      ...["profile", "compaction_threshold", "reference_time", "fence", "form", "blocks"],
    ].map((name) => [`AssembleContextRequest.${name}`, "always"]),
  ),
  "AssembleContextRequest.exclude_conversation":
    "always: what it says also holds where no section holds the conversation",
  "AssembleContextRequest.model": {
    when: "with TOKEN_RULE_MODEL",
    idle: { model: "gpt-4o" },
    used: { model: "gpt-4o", tokenRule: "TOKEN_RULE_MODEL" },
  },
  "AssembleContextRequest.custom_token_rule": {
    when: "with TOKEN_RULE_CUSTOM",
    idle: { customTokenRule: { charsPerToken: 4 } },
    used: { tokenRule: "TOKEN_RULE_CUSTOM", customTokenRule: { charsPerToken: 4 } },
  },
  "AssembleContextRequest.token_preset": {
    when: "with TOKEN_RULE_PRESET",
    idle: { tokenPreset: "structured" },
    used: { tokenRule: "TOKEN_RULE_PRESET", tokenPreset: "structured" },
  },
  "AssembleContextRequest.min_relevance": {
    when: "a section holds what fits the query",
    idle: { minRelevance: 0.5, ...sections("EPISODES") },
    used: { minRelevance: 0.5, ...sections("LONG_TERM") },
  },
  "AssembleContextRequest.min_best_relevance": {
    when: "messages or documents are recalled",
    idle: { minBestRelevance: 0.5, ...sections("LONG_TERM") },
    used: { minBestRelevance: 0.5, ...sections("DOCUMENTS") },
  },
  "AssembleContextRequest.collection_ids": {
    when: "documents are recalled",
    idle: { collectionIds: ["a"], ...sections("LONG_TERM") },
    used: { collectionIds: ["a"], ...sections("DOCUMENTS") },
  },
  "AssembleContextRequest.weights": {
    when: "a section holds what fits the query",
    idle: { weights: {}, profile: "definable" },
    used: { weights: {} },
  },
  ...always("ContextBlock.name", "ContextBlock.place", "ContextBlock.sections"),
  ...always("ContextBlock.fence", "ContextBlock.max_tokens", "BlockFence.tag", "BlockFence.lines"),
  ...always("FenceLines.open", "FenceLines.close"),
  ...ofTool("tool_name", "toolName", "recall"),
  ...ofTool("tool_call_id", "toolCallId", "call-1"),
  ...ofTool("tool_arguments", "toolArguments", "{}"),
  ...always("ContextSection.kind", "ContextSection.limit", "ContextSection.heading"),
  ...always("ContextSection.max_chars"),
  "ContextSection.share": {
    when: "unless the profile is selectools",
    idle: { profile: "selectools", ...sections("LONG_TERM", { share: 0.5 }) },
    used: sections("LONG_TERM", { share: 0.5 }),
    field: "sections[0].share",
  },
  "ContextSection.first_share": {
    when: "the section holds what fits the query",
    idle: sections("SUMMARY", { firstShare: 0.5 }),
    used: sections("DOCUMENTS", { firstShare: 0.5 }),
    field: "sections[0].first_share",
  },
};

/** By the message at the root; names of fields are those of the contract. */
export const FIELD_EFFECTS: Readonly<Record<string, Readonly<Record<string, FieldEffect>>>> = {
  Policy: { ...OF_POLICY, ...OF_SUMMARIZE },
  MemoryPolicy: OF_MEMORY_POLICY,
  RecallRequest: OF_RECALL,
  AssembleContextRequest: OF_CONTEXT,
};
