// Where hooks will take over what policies remove. A stage can have its messages summarized or
// promoted to long-term memory; both are work for somebody outside the transaction, so a hook gets
// them inside the decision and answers with what makes the work durable with the removal.

import { hookNotConfigured } from "../domain/errors.ts";
import type { EventDetail } from "../domain/event.ts";
import type { Policy, RemovedTo } from "../domain/policy.ts";
import type { SessionRef } from "../domain/session.ts";
import type { StoredEntry } from "../storage/store.ts";

/** What a hook can do with removed messages. */
export type HookKind = Extract<RemovedTo, "summarize" | "promote">;

/** Messages that a stage hands to a hook. */
export interface Removal {
  readonly kind: HookKind;
  readonly stage: string;
  /**
   * The messages by rising position. With `promote` they leave the stored window with this change;
   * with `summarize` they wait in it for SetSummary.
   */
  readonly entries: readonly StoredEntry[];
}

/** Takes removed messages over. */
export interface RemovalPort {
  /**
   * What is available. A policy with `promote` is refused without its hook. Without one for
   * `summarize` the messages wait for a caller's SetSummary.
   */
  readonly kinds: ReadonlySet<HookKind>;
  /**
   * Turns a removal into durable records of the same change. Called inside a decision: it may be
   * called again for the same change, must not wait or throw, and must have no effect of its own: a
   * hook that is dead may delay its work, never the write.
   */
  take(session: SessionRef, removal: Removal): readonly EventDetail[];
}

/** No hooks: nothing is promoted, and what a stage wants summarized waits for SetSummary. */
export const NO_REMOVAL_HOOKS: RemovalPort = { kinds: new Set(), take: () => [] };

/** Throws HOOK_NOT_CONFIGURED when a policy needs a hook that is not there. */
export function checkHooks(
  context: { readonly removals: RemovalPort },
  policy: Policy | undefined,
): void {
  if (policy === undefined || context.removals.kinds.has("promote")) return;
  if (policy.stages.some((stage) => stage.removedTo === "promote")) {
    throw hookNotConfigured("promote");
  }
}
