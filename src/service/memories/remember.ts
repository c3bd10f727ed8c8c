// Remember: one transaction holds the memories, what they supersede, what is evicted for them,
// their events, and the answer for the request id.

import type { Etags } from "../../domain/etag.ts";
import { makeMemoryId } from "../../domain/ids.ts";
import { isMemoryExpired, MEMORY_TIERS } from "../../domain/memories/memory.ts";
import { planRemember } from "../../domain/memories/remember.ts";
import type { NewMemory, RememberPlan, RememberRules, Stamp } from "../../domain/memories/rules.ts";
import type { MemoryDecision, MemoryReads, MemoryView } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import type { RememberInput, RememberResult } from "../memory-api.ts";
import { askResolver } from "./ask-resolver.ts";
import {
  changeMemories,
  eraseExpiredMemories,
  MemoriesExpired,
  type MemoryWork,
  nothingChanged,
  savedMemories,
} from "./change-memories.ts";
import { newMemories } from "./drafts.ts";
import type { MemoryParts } from "./parts.ts";
import { rememberDetails } from "./remember-events.ts";

const RANDOM_BYTES = 10;
/** So many memories are decided on without a pause. */
const SHORT_MAX = 16;

/** Remembers one or many things. */
export async function remember(
  parts: MemoryParts,
  call: Call,
  input: RememberInput,
): Promise<Uint8Array> {
  const { namespace, drafts, conflict, reason } = input;
  const { world } = parts.context;
  const nowMs = world.nowMs();
  const work: MemoryWork = { parts, call, namespace, nowMs };
  const resolver = conflict.mode === "ask-hook" ? parts.resolvers.of(conflict.hook) : undefined;
  // Made ahead: a decision may run more than once, and has no randomness.
  const ids = drafts.map(() => makeMemoryId(nowMs, world.random(RANDOM_BYTES)));
  const stampAt = (revision: number): Stamp => ({
    ...{ revision, nowMs, writer: call.writer, reason },
    newId: (index) => ids[index] ?? makeMemoryId(nowMs, world.random(RANDOM_BYTES)),
  });
  const rules = rulesOf(input);
  const given = await newMemories(
    drafts,
    {
      nowMs,
      isNeutralized: input.neutralizePromptMarkers,
      etags: parts.context.etags,
    },
    parts.pace,
  );
  const news =
    resolver === undefined ? given : await askResolver(work, { resolver, rules, stampAt }, given);
  for (;;) {
    // Writes of others get in between those that take long.
    if (isLong(input)) await parts.pace.turn(true);
    try {
      return await changeMemories(work, {}, (view) =>
        decideRemember({ work, input, rules, stampAt }, news, view),
      );
    } catch (error) {
      if (!(error instanceof MemoriesExpired)) throw error;
      await eraseExpiredMemories(work, error.memoryIds);
    }
  }
}

/** Whether a decision may take some milliseconds. */
function isLong({ dedupe, drafts }: RememberInput): boolean {
  return dedupe.mode === "similar" || drafts.length > SHORT_MAX;
}

/** Makes sure that no id is that of a memory whose time is over: it is erased first. */
function checkIds(memories: MemoryReads, news: readonly NewMemory[], nowMs: number): void {
  const expired = news.flatMap(({ memoryId }) => {
    const memory = memoryId === "" ? undefined : memories.byId(memoryId);
    return memory !== undefined && isMemoryExpired(memory, nowMs) ? [memoryId] : [];
  });
  if (expired.length > 0) throw new MemoriesExpired(expired);
}

function rulesOf({ dedupe, conflict, maxMemories }: RememberInput): RememberRules {
  const { mode, singleObject } = conflict;
  const limits = MEMORY_TIERS.map((tier) => [tier, maxMemories] as const);
  return {
    dedupe,
    // What the hook said stands in each memory; of the rest both are kept.
    conflict: { mode: mode === "ask-hook" ? "keep-both" : mode, singleObject },
    limits: maxMemories === 0 ? {} : Object.fromEntries(limits),
  };
}

function decideRemember(
  remembering: {
    readonly work: MemoryWork;
    readonly input: RememberInput;
    readonly rules: RememberRules;
    readonly stampAt: (revision: number) => Stamp;
  },
  news: readonly NewMemory[],
  { memories, revision }: MemoryView,
): MemoryDecision<Uint8Array> {
  const { work, input, rules, stampAt } = remembering;
  checkIds(memories, news, work.nowMs);
  const plan = planRemember(memories, news, rules, stampAt(revision));
  const { put, remove, evictedIds } = plan;
  const results = resultsOf(plan, work.parts.context.etags);
  if (put.length === 0 && remove.length === 0) {
    return nothingChanged(work, input.encode({ results, evictedIds, revision: 0 }));
  }
  const bytes = input.encode({ results, evictedIds, revision });
  const details = rememberDetails(plan, memories, "caller");
  return savedMemories(work, revision, { plan: { put, remove }, details, bytes });
}

function resultsOf(
  { put, results, evictedIds }: RememberPlan,
  etags: Etags,
): RememberResult["results"] {
  const states = new Map(put.map((memory) => [memory.memoryId, memory]));
  const evicted = new Set(evictedIds);
  return results.map(({ memory, outcome, supersededIds }) => {
    const memoryId = memory?.memoryId ?? "";
    // A later memory of the same call may have changed it once more.
    const held = states.get(memoryId) ?? memory;
    const isGone = held === undefined || evicted.has(memoryId);
    return { memoryId, outcome, etag: isGone ? "" : etags.of(held.etagRevision), supersededIds };
  });
}
