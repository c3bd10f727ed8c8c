// Update masks: which paths may be changed, and which are ignored because only the server sets
// them.

import { LIMITS } from "../kit/limits.ts";
import { checkCount } from "./fields.ts";
import type { Violations } from "./violations.ts";

const PATH_CHARS_MAX = 40;

/** The paths of a resource. */
export interface MaskPaths {
  readonly changeable: readonly string[];
  /** Output only: named without effect. */
  readonly ignored: ReadonlySet<string>;
}

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
  field = "update_mask",
): void {
  if (mask === undefined) return;
  checkCount(v, `${field}.paths`, mask.length, LIMITS.updateMaskPaths);
  for (let index = 0; index < mask.length && !v.full; index++) {
    const path = mask[index] as string;
    if (path === "*" || known.changeable.includes(path) || known.ignored.has(path)) continue;
    const short = path.slice(0, PATH_CHARS_MAX).toWellFormed();
    v.add(`${field}.paths[${index}]`, `"${short}" is not a path that can be changed`);
  }
}

/**
 * Gives the paths that an update changes: those of the mask in their own order, all of them for
 * `*`, and those that are set for an empty mask.
 */
export function changedPaths<P extends string>(
  mask: readonly string[] | undefined,
  changeable: readonly P[],
  isSet: (path: P) => boolean,
): readonly P[] {
  if (mask === undefined || mask.length === 0) return changeable.filter(isSet);
  if (mask.includes("*")) return changeable;
  const named = new Set(mask);
  return changeable.filter((path) => named.has(path));
}
