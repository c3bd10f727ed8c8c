// What a server tells of itself.

import { LIMITS } from "../../domain/limits.ts";
import type { Limit } from "../../gen/memorysidecar/v1/admin_service.ts";

/** What this server can do, as the comment of the field tells it, in alphabetical order. */
export const CAPABILITIES = [
  "after_revision",
  "assemble_context",
  "compact_session",
  "consumers",
  "count_tokens",
  "document_scopes",
  "documents",
  "embed",
  "events",
  "extract_memories",
  "fill_tool_results",
  "fork",
  "hook_workers",
  "hooks",
  "idempotency",
  "memories",
  "memory_policies",
  "memory_tasks",
  "memory_versions",
  "messages",
  "metadata_trees",
  "owned_by_scopes",
  "placed_summaries",
  "policy_conditions",
  "policy_presets",
  "policy_preview",
  "recall",
  "relations",
  "restore",
  "sessions",
  "snapshots",
  "summary_history",
  "token_preset_chars_floor_4",
  "token_preset_chars_floor_4_min_1",
  "token_preset_chars_sum_4",
  "token_preset_structured",
  "token_rule_bytes_div_4",
  "token_rule_chars_div_4",
  "token_rule_cl100k",
  "token_rule_custom",
  "token_rule_given",
  "token_rule_model",
  "token_rule_o200k",
  "token_rule_words",
  "tool_results",
  "ttl",
  "turn_episodes",
  "unknown_fields_refused",
  "window_as_of",
  "window_policies",
] as const;

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The fixed limits under their public names, in alphabetical order. */
export function publicLimits(): Limit[] {
  return Object.entries(LIMITS)
    .map(([name, value]) => ({ name: snakeCase(name), value: BigInt(value) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
