// Counts messages, documents and memories in the index, without reading them.

import { type Call, checkLive } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import { type CountItemsInput, type CountItemsResult, FULL_COVERAGE } from "./api.ts";
import { scopeOf } from "./feed/prepare.ts";
import type { RecallParts } from "./parts.ts";

/** Counts the records that pass a filter. */
export async function countItems(
  { keeper, context }: RecallParts,
  call: Call,
  input: CountItemsInput,
): Promise<CountItemsResult> {
  checkLive(call.signal);
  const { namespace, filter, groups, allowPartial } = input;
  const { signal, deadlineMs = Number.POSITIVE_INFINITY } = call;
  const scope = { ...scopeOf(filter), isLifted: false };
  const terms = { namespace, scope, allowPartial, signal, deadlineMs };
  return await keeper.search(terms, async (index, missing) => {
    const nowMs = context.world.nowMs();
    const counted = await index.count(namespace, {
      ...{ filter, nowMs, referenceMs: input.referenceMs ?? nowMs },
      groups: groups && { ...groups, maxBytes: LIMITS.pageBytes },
    });
    const { isComplete: complete, pending: pendingCount, leftOut: leftOutCount } = missing;
    return { ...counted, coverage: { ...FULL_COVERAGE, complete, pendingCount, leftOutCount } };
  });
}
