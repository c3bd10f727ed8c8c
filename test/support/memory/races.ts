// Races between many callers on the memories of one scope, and the invariants that must hold
// afterwards. Each race returns its violations as text; none when all is well.

import { EVENT_TYPE, type Event } from "../../../src/events/rules/event.ts";
import { Etags } from "../../../src/kit/etag.ts";
import type { Memory } from "../../../src/memory/rules/memory.ts";
import { normalText } from "../../../src/memory/rules/text-key.ts";
import type { MemoryDecision, MemoryView, Store } from "../../../src/store/store.ts";
import type { Random } from "../kit/random.ts";
import { fromBytes, toBytes } from "../services/json-codec.ts";
import { storeWith, type TestServices } from "../services/services.ts";
import {
  ANY_MEMORY,
  forget,
  get,
  listAll,
  memoryDraft,
  remember,
  rememberTexts,
} from "./service-memories.ts";

const WRITERS = 64;
const NEAR = "The user lives in a small house near the harbour of Oslo, with two cats and a dog";
const LIMIT = 12;
const TEXTS = 30;
const REINFORCED = 0.1;
const DECAYED = 0.5;
const COUNTERS = 16;
const STEPS = 4;
// Each completed step makes all others fail that read before it.
const REFUSALS_MAX = COUNTERS * COUNTERS * STEPS;
const TURNS = 3;

/** Many callers store nearly identical texts: one memory must contain all of them. */
export async function nearDuplicates(services: TestServices): Promise<string[]> {
  const dedupe = { mode: "similar", threshold: 0.9, window: 200, keepUnchanged: false } as const;
  const writers = Array.from({ length: WRITERS }, async (_, at) => {
    const { results } = await remember(services, [memoryDraft({ text: `${NEAR} ${at}` })], {
      dedupe,
    });
    return results[0]?.outcome ?? "";
  });
  const outcomes = await Promise.all(writers);
  const memories = await listAll(services);
  const [first] = memories;
  const faults: string[] = [];
  if (memories.length !== 1) faults.push(`there are ${memories.length} memories`);
  const mentions = first?.strength.mentionCount;
  if (mentions !== WRITERS) faults.push(`the first was said ${mentions} times`);
  const created = outcomes.filter((outcome) => outcome === "created").length;
  if (created !== 1) faults.push(`${created} callers were told that theirs is new`);
  return faults;
}

/**
 * Many callers increment a number in one text, each from the state that it read: no increment may
 * be lost.
 */
export async function counters(services: TestServices): Promise<string[]> {
  const [memoryId = ""] = await rememberTexts(services, ["0"]);
  const etags = new Etags(services.store.historyId);
  let refusals = 0;
  const count = async (): Promise<void> => {
    for (let step = 0; step < STEPS; ) {
      const { content, etagRevision } = await get(services, memoryId);
      const text = String(Number(content.text) + 1);
      const draft = memoryDraft({ text, etag: etags.of(etagRevision) });
      const input = { namespace: "default", memoryId, draft, paths: ["text"], reason: "" } as const;
      try {
        const call = services.call("UpdateMemory");
        await services.memories.updateMemory(call, { ...input, encode: () => toBytes({}) });
        step += 1;
      } catch (error) {
        const isOld = (error as { reason?: string }).reason === "ETAG_MISMATCH";
        refusals += 1;
        if (!isOld || refusals > REFUSALS_MAX) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: COUNTERS }, count));
  const memory = await get(services, memoryId);
  const total = COUNTERS * STEPS;
  const faults: string[] = [];
  if (memory.content.text !== String(total)) faults.push(`${memory.content.text} were counted`);
  if (memory.version !== total + 1) faults.push(`it has ${memory.version} states`);
  return faults;
}

/** Answers to the callers of a mixed race. */
interface Account {
  /** Number of mentions of each memory, from the answers. */
  readonly mentions: Map<string, number>;
  readonly forgotten: Set<string>;
  readonly faults: string[];
}

/** Remembering with evictions, reinforcing, decay, forgetting and purging, all concurrently. */
export async function mixedRace(services: TestServices, random: Random): Promise<string[]> {
  const account: Account = { mentions: new Map(), forgotten: new Set(), faults: [] };
  const callers = Array.from({ length: 16 }, async () => {
    for (let step = 0; step < 20; step++) await act(services, random, account);
  });
  await Promise.all(callers);
  const memories = await listAll(services);
  checkStates(memories, account);
  checkEvents(await services.allEvents(), memories, account);
  return account.faults;
}

async function act(services: TestServices, random: Random, account: Account): Promise<void> {
  const action = random.weighted({ say: 10, reinforce: 4, decay: 2, forget: 3, purge: 1, look: 3 });
  const known = [...account.mentions.keys()];
  switch (action) {
    case "say":
      return await say(services, random, account);
    case "decay":
      return await decayAll(services);
    case "purge":
      return await purgeSome(services, random);
    case "look":
      return await look(services, account);
    case "reinforce":
      if (known.length > 0) await reinforceOne(services, random.pick(known), account);
      return;
    case "forget":
      if (known.length > 0) await forgetOne(services, random.pick(known), account);
      return;
  }
}

function mention({ mentions }: Account, memoryId: string): void {
  mentions.set(memoryId, (mentions.get(memoryId) ?? 0) + 1);
}

async function say(services: TestServices, random: Random, account: Account): Promise<void> {
  const draft = memoryDraft({
    text: `Fact ${random.int(1, TEXTS)}`,
    importance: random.int(1, 9) / 10,
  });
  const { results } = await remember(services, [draft], { maxMemories: LIMIT });
  const [result] = results;
  if (result === undefined) return;
  mention(account, result.memoryId);
  if (account.forgotten.has(result.memoryId)) account.faults.push("a forgotten one was said again");
}

async function reinforceOne(
  services: TestServices,
  memoryId: string,
  account: Account,
): Promise<void> {
  const call = services.call("ReinforceMemories");
  const bytes = await services.memories.reinforceMemories(call, {
    ...{ namespace: "default", memoryIds: [memoryId], amount: REINFORCED, allowMissing: true },
    encode: ({ memories }) => toBytes(memories.length),
  });
  if (fromBytes<number>(bytes) > 0) mention(account, memoryId);
}

async function decayAll(services: TestServices): Promise<void> {
  await services.memories.decayMemories(services.call("DecayMemories"), {
    ...{ namespace: "default", filter: ANY_MEMORY, factor: DECAYED, deleteBelow: 0.01 },
    ...{ unseenForMs: 0, after: 0, encode: toBytes },
  });
}

async function purgeSome(services: TestServices, random: Random): Promise<void> {
  const filter = { ...ANY_MEMORY, textContains: `fact ${random.int(1, TEXTS)}` };
  const input = { namespace: "default", filter, force: true, encode: toBytes };
  await services.memories.purgeMemories(services.call("PurgeMemories"), input);
}

async function forgetOne(
  services: TestServices,
  memoryId: string,
  { forgotten, faults }: Account,
): Promise<void> {
  await forget(services, [memoryId]);
  forgotten.add(memoryId);
  const state = await get(services, memoryId).catch(() => undefined);
  if (state !== undefined) faults.push("a forgotten memory is still there");
}

async function look(services: TestServices, { forgotten, faults }: Account): Promise<void> {
  const before = new Set(forgotten);
  const memories = await listAll(services);
  if (memories.length > LIMIT) faults.push(`the scope held ${memories.length} memories`);
  if (memories.some(({ memoryId }) => before.has(memoryId))) {
    faults.push("a forgotten memory was listed");
  }
}

function checkStates(memories: readonly Memory[], { mentions, forgotten, faults }: Account): void {
  const texts = new Set(memories.map(({ content }) => normalText(content.text)));
  if (texts.size !== memories.length) faults.push("a text is there twice");
  if (memories.length > LIMIT) faults.push(`the scope holds ${memories.length} memories`);
  for (const { memoryId, strength } of memories) {
    if (forgotten.has(memoryId)) faults.push("a forgotten memory is back");
    const told = mentions.get(memoryId);
    if (told !== strength.mentionCount) {
      faults.push(`a memory was said ${told} times and knows of ${strength.mentionCount}`);
    }
  }
}

function reinforced(confidence: number): number {
  return Math.min(1, confidence + REINFORCED);
}

/** Replays the events, which must give the existing memories with their confidence. */
function checkEvents(
  events: readonly Event[],
  memories: readonly Memory[],
  { faults }: Account,
): void {
  const sure = new Map<string, number>();
  const gone = new Set<string>();
  const change = (ids: readonly string[], by: (confidence: number) => number): void => {
    for (const id of ids) {
      const confidence = sure.get(id);
      if (confidence === undefined) faults.push("an event tells of a memory that is not there");
      else sure.set(id, by(confidence));
    }
  };
  for (const { detail } of events) {
    if (detail.type === EVENT_TYPE.memoriesRemembered) {
      for (const id of detail.memoryIds) {
        if (gone.has(id)) faults.push("a memory came back");
        sure.set(id, 1);
      }
      // A repeated memory with a higher importance has a new state.
      change(detail.updatedIds, reinforced);
    } else if (detail.type === EVENT_TYPE.memoriesReinforced) {
      change(detail.memoryIds, reinforced);
    } else if (detail.type === EVENT_TYPE.memoriesDecayed) {
      change(detail.memoryIds, (confidence) => confidence * DECAYED);
    } else if (detail.type === EVENT_TYPE.memoriesDeleted) {
      for (const id of detail.memoryIds) {
        if (!sure.delete(id)) faults.push("a memory was deleted twice");
        gone.add(id);
      }
    }
  }
  if (sure.size !== memories.length) faults.push(`events leave ${sure.size} memories`);
  for (const { memoryId, strength } of memories) {
    const expected = sure.get(memoryId);
    if (expected === undefined || Math.abs(expected - strength.confidence) > 1e-9) {
      faults.push(`a memory is sure to ${strength.confidence}, by its events to ${expected}`);
    }
  }
}

/**
 * A broken store that decides on an earlier state and saves the result regardless of later changes.
 */
export function forgetfulStore(store: Store): Store {
  return storeWith(store, {
    changeMemories: async (change, decide) => {
      type Answer = ReturnType<typeof decide>;
      const early = await store.changeMemories<Answer>(change, (view) => ({
        kind: "answer",
        result: decide(view),
      }));
      if (early.kind === "answer") return early.result;
      // Slow decisions yield the event loop: others must run in between.
      for (let turn = 0; turn < TURNS; turn++) await new Promise((done) => setImmediate(done));
      return await store.changeMemories(change, (view) => moved(early, view));
    },
  });
}

/** An earlier decision, with the numbers that the store insists on. */
function moved<T>(
  decision: Extract<MemoryDecision<T>, { kind: "save" }>,
  { memories, revision }: MemoryView,
): MemoryDecision<T> {
  const { put = [], remove = [], ...plan } = decision.plan;
  let nextNo = memories.nextMemoryNo;
  const states = put.map((memory) => {
    const known = memories.byId(memory.memoryId);
    if (known === undefined) {
      nextNo += 1;
      return { ...memory, memoryNo: nextNo - 1, version: 1, etagRevision: revision };
    }
    // The numbers must match the stored state; the content is the earlier one.
    const { text, importance } = memory.content;
    const isSame = known.content.text === text && known.content.importance === importance;
    if (isSame) return { ...known, strength: memory.strength, etagRevision: revision };
    const { memoryNo, updateMs } = known;
    const version = known.version + 1;
    return { ...memory, memoryNo, updateMs, version, etagRevision: revision };
  });
  const gone = remove.filter((memoryId) => memories.byId(memoryId) !== undefined);
  return { ...decision, plan: { ...plan, put: states, remove: gone } };
}
