// Update masks: which paths may be changed, and which are ignored because only the server sets
// them.

import { LIMITS } from "../../domain/limits.ts";
import { checkCount } from "./fields.ts";
import type { Violations } from "./violations.ts";

const PATH_CHARS_MAX = 40;

/** The paths of a resource. */
export interface MaskPaths {
  readonly changeable: readonly string[];
  /** Output only: named without effect. */
  readonly ignored: ReadonlySet<string>;
}

/** The paths of UpdateSession. */
export const SESSION_MASK = {
  changeable: ["user_id", "agent_id", "labels", "metadata", "policy", "ttl", "memory_policy"],
  ignored: new Set([
    "namespace",
    "effective_policy",
    "expire_time",
    "last_seq",
    "log_totals",
    "window_totals",
    "forked_from",
    "create_time",
    "update_time",
    "revision",
    "etag",
    "placed_summaries",
    "stage_states",
    "model_input_tokens",
  ]),
} as const satisfies MaskPaths;

/** The paths of UpdateMessage. */
export const MESSAGE_MASK = {
  changeable: [
    "name",
    "text",
    "parts",
    "tool_calls",
    "agent_calls",
    "tool_call_id",
    "tool_error",
    "structured_data",
    "provider_payload",
    "metadata",
    "labels",
    "token_count",
    "sent_time",
    "provider_role",
    "structured_json",
  ],
  ignored: new Set([
    "seq",
    "token_rule",
    "token_preset",
    "source",
    "trust",
    "writer",
    "create_time",
    "update_time",
    "etag",
  ]),
} as const satisfies MaskPaths;

/** The paths of UpdateMemory. */
export const MEMORY_MASK = {
  changeable: [
    "text",
    "entity",
    "relation",
    "episode",
    "key",
    "category",
    "topics",
    "importance",
    "confidence",
    "trust",
    "persistent",
    "labels",
    "metadata",
    "valid_from_time",
    "valid_until_time",
    "ttl",
    "last_seen_time",
  ],
  ignored: new Set([
    "state",
    "superseded_by_memory_id",
    "mention_count",
    "version",
    "writer",
    "reason",
    "create_time",
    "update_time",
    "effective_policy",
    "expire_time",
    "etag",
  ]),
} as const satisfies MaskPaths;

/** Checks a mask, if there is one. */
export function checkMask(
  v: Violations,
  mask: readonly string[] | undefined,
  known: MaskPaths,
): void {
  if (mask === undefined) return;
  checkCount(v, "update_mask.paths", mask.length, LIMITS.updateMaskPaths);
  for (let index = 0; index < mask.length && !v.full; index++) {
    const path = mask[index] as string;
    if (path === "*" || known.changeable.includes(path) || known.ignored.has(path)) continue;
    const short = path.slice(0, PATH_CHARS_MAX).toWellFormed();
    v.add(`update_mask.paths[${index}]`, `"${short}" is not a path that can be changed`);
  }
}

/**
 * Gives the paths that an update changes: those of the mask in their own order, all of them for
 * `*`, and those that are set for an empty mask.
 */
export function changedPaths<P extends string>(
  mask: readonly string[] | undefined,
  known: { readonly changeable: readonly P[] },
  isSet: Readonly<Record<P, boolean>>,
): readonly P[] {
  if (mask === undefined || mask.length === 0) return known.changeable.filter((one) => isSet[one]);
  if (mask.includes("*")) return known.changeable;
  const named = new Set(mask);
  return known.changeable.filter((path) => named.has(path));
}
