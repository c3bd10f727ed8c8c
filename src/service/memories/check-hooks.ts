// Whether the server has the hooks that a memory policy names.

import { hookNotConfigured } from "../../domain/errors.ts";
import { BUILTIN_EXTRACTOR, type MemoryPolicy } from "../../domain/memories/policy.ts";
import type { ServiceContext } from "../context.ts";

/** Throws HOOK_NOT_CONFIGURED when a memory policy needs a hook that the server does not have. */
export function checkMemoryHooks(
  { hooks }: Pick<ServiceContext, "hooks">,
  policy: MemoryPolicy | undefined,
): void {
  if (policy === undefined) return;
  const { scoreHook, extraction } = policy;
  if (scoreHook !== "" && hooks.byName.get(scoreHook)?.score === undefined) {
    throw hookNotConfigured(scoreHook);
  }
  const finder = extraction?.hook ?? "";
  if (finder === "" || finder === BUILTIN_EXTRACTOR) return;
  if (hooks.byName.get(finder)?.extract === undefined) throw hookNotConfigured(finder);
}
