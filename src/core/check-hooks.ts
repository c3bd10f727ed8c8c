// Whether the server has the hooks that a memory policy names, and what a stage
// that promotes needs.

import type { Hooks } from "../hooks/port.ts";
import { hookNotConfigured, promotionPolicyMissing } from "../kit/errors.ts";
import { hookOfJob, type MemoryJob, type MemoryJobType } from "../memory/rules/job.ts";
import type { SessionFields } from "../session/rules/session.ts";
import { BUILTIN_EXTRACTOR, type MemoryPolicy } from "../window/policy/memory-policy.ts";
import type { ServiceContext } from "./context.ts";

/** Throws HOOK_NOT_CONFIGURED when a memory policy needs a hook that the server does not have. */
export function checkMemoryHooks(
  { hooks }: Pick<ServiceContext, "hooks">,
  policy: MemoryPolicy | undefined,
): void {
  if (policy === undefined) return;
  checkHook(hooks, policy.promotion?.scoreHook ?? "", "score");
  checkHook(hooks, policy.extraction?.hook ?? "", "extract");
}

/** Throws HOOK_NOT_CONFIGURED when the hook of a job is gone. */
export function checkJobHook({ hooks }: Pick<ServiceContext, "hooks">, job: MemoryJob): void {
  checkHook(hooks, hookOfJob(job), job.type);
}

function checkHook({ byName }: Hooks, name: string, type: MemoryJobType): void {
  if (name === "" || name === BUILTIN_EXTRACTOR) return;
  if (byName.get(name)?.[type] === undefined) throw hookNotConfigured(name);
}

/** Throws PROMOTION_POLICY_MISSING when a stage promotes and no policy says how. */
export function checkPromotion({
  policy,
  memoryPolicy,
}: Pick<SessionFields, "policy" | "memoryPolicy">): void {
  if (memoryPolicy?.promotion !== undefined) return;
  const stage = policy.stages.find(({ removedTo }) => removedTo === "promote");
  if (stage !== undefined) throw promotionPolicyMissing(stage.name);
}
