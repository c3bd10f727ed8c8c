// Whether the server has the hooks that a memory policy names, and a policy the memory policy that
// its stages need.

import { hookNotConfigured, memoryPolicyMissing } from "../../domain/errors.ts";
import { BUILTIN_EXTRACTOR, type MemoryPolicy } from "../../domain/memories/policy.ts";
import type { SessionFields } from "../../domain/session.ts";
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

/** Throws MEMORY_POLICY_MISSING when a stage promotes and nothing says how. */
export function checkPromotion({
  policy,
  memoryPolicy,
}: Pick<SessionFields, "policy" | "memoryPolicy">): void {
  if (memoryPolicy !== undefined) return;
  const stage = policy.stages.find(({ removedTo }) => removedTo === "promote");
  if (stage !== undefined) throw memoryPolicyMissing(stage.name);
}
