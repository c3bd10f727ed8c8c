// Goal: whatever the order of turns, trims, restores, new policies and repeats, an important
// message that left a window is a memory, made in the transaction that took it out, and once.

import { afterEach, expect, test } from "vitest";
import { type Random, randomFrom, testSeed } from "../../test/support/kit/random.ts";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import {
  consolidate,
  endTurn,
  memoriesOf,
  memoryPolicy,
  openSession,
  TWO,
} from "../../test/support/memory/turns.ts";
import { jsonCodec, toBytes } from "../../test/support/services/json-codec.ts";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../test/support/services/services.ts";
import { policyOf } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { openLmdbStore } from "../store/lmdb/store.ts";
import type { SessionPlan, Store } from "../store/store.ts";
import { containsSeq } from "../window/rules/ranges.ts";
import { compileRules, DEFAULT_IMPORTANCE_RULES, scoreText } from "./rules/importance.ts";
import { promotionKeyOf } from "./rules/text-key.ts";

const SESSIONS = ["s0", "s1", "s2"];
const TEXTS = [
  ...["My name is Anna", "MY NAME IS ANNA", " my name is anna ", "Call me Bob", "I love pizza"],
  ...["I hate rain", "My wife is Eva", "We decided to go", "I live in Bern", "yes", "no", ""],
];
const STEPS = 60;
const RULES = compileRules(DEFAULT_IMPORTANCE_RULES);

/** The keys of what is important, as the threshold of the default policy says. */
function importantKey(text: string): string | undefined {
  const trimmed = text.trim();
  return scoreText(RULES, trimmed).score >= 0.7 ? promotionKeyOf(trimmed) : undefined;
}

/** A store that fails some changes, before or after they are saved. */
function faulty(store: Store, random: Random): Store {
  return storeWith(store, {
    changeSession: async (change, decide) => {
      if (random.chance(0.1)) throw new Error("lost before it was saved");
      const result = await store.changeSession(change, decide);
      if (random.chance(0.1)) throw new Error("lost after it was saved");
      return result;
    },
  });
}

let services: TestServices;
let close = async (): Promise<void> => {};

afterEach(async () => {
  await services.stop();
  await close();
  close = async () => {};
});

const nothing = () => toBytes({});

/** One random use of a session. What it throws is a fault that the store made, or a refusal. */
async function step(random: Random, sessionId: string, requestId: string): Promise<void> {
  const ref = { namespace: "default", sessionId };
  const call = (method: string) => services.call(method, requestId, requestId);
  const some = (count: number): string[] =>
    Array.from({ length: random.int(1, count) }, () => random.pick(TEXTS));
  switch (random.pick(["turn", "append", "trim", "restore", "policy", "memory", "now", "read"])) {
    case "turn":
      await endTurn(services, sessionId, [random.pick(TEXTS), random.pick(TEXTS)], {
        requestId,
      });
      break;
    case "append":
      await services.append(
        sessionId,
        some(4).map((text) => ({ text })),
        {
          ...{ requestId, turnEnd: random.chance(0.5), createSession: false },
        },
      );
      break;
    case "trim":
      await services.sessions.trimSession(call("TrimSession"), {
        ...{ ...ref, unit: "message", discard: false, etag: "", encode: nothing },
        target: { kind: "messages", maxMessages: random.int(1, 3) },
      });
      break;
    case "restore":
      await services.sessions.restoreMessages(call("RestoreMessages"), {
        ...{ ...ref, messageIds: [], ranges: [{ first: 1, last: random.int(1, 4) }] },
        encode: nothing,
      });
      break;
    case "policy":
      await services.sessions.updateSession(call("UpdateSession"), {
        ...{ ...ref, etag: "", encode: nothing, paths: ["policy"] },
        input: { policy: random.pick([TWO, policyOf([])]) },
      });
      break;
    case "memory":
      await services.sessions.updateSession(call("UpdateSession"), {
        ...{ ...ref, etag: "", encode: nothing, paths: ["memory_policy"] },
        input: { memoryPolicy: memoryPolicy({ longTermLimit: random.pick([50, 1_000]) }) },
      });
      break;
    case "now":
      await consolidate(services, sessionId, requestId);
      break;
    case "read":
      await services.windowTexts(sessionId);
      break;
  }
}

/** The keys of important messages that are outside of their windows. */
async function outsideKeys(): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const sessionId of SESSIONS) {
    const ref = { namespace: "default", sessionId };
    const session = await services.store.readSession(ref);
    const query = { firstSeq: 1, lastSeq: 1e9, order: "asc", limit: 1_000 } as const;
    const page = await services.store.listMessages(ref, query);
    for (const { seq, bytes } of page?.messages ?? []) {
      if (containsSeq(session?.head.windowRanges ?? [], seq)) continue;
      const key = importantKey(jsonCodec.readSpeech(bytes).text);
      if (key !== undefined) keys.add(key);
    }
  }
  return keys;
}

/** Broken promises; empty when all hold. */
async function faults(left: Set<string>): Promise<string[]> {
  const found: string[] = [];
  const promoted = await memoriesOf(services, "promotion");
  const keys = promoted.map(({ content }) => promotionKeyOf(content.text));
  const isTwice = promoted.some(({ strength }) => strength.mentionCount > 1);
  if (isTwice || new Set(keys).size < keys.length) found.push("a text was promoted twice");
  for (const key of await outsideKeys()) left.add(key);
  if ([...left].some((key) => !keys.includes(key))) found.push("what left is no memory");
  const events = await services.allEvents();
  const trims = new Set(
    events.flatMap(({ revision, detail }) =>
      detail.type === EVENT_TYPE.messagesTrimmed ? [revision] : [],
    ),
  );
  const told = new Set<string>();
  for (const { detail, revision } of events) {
    if (detail.type !== EVENT_TYPE.memoriesRemembered || detail.origin !== "promotion") continue;
    for (const id of detail.memoryIds) told.add(id);
    const own = events.filter((event) => event.revision === revision);
    // ConsolidateSession changes nothing but memories.
    const isAlone = own.every((event) => event.detail.type >= EVENT_TYPE.memoriesRemembered);
    if (!trims.has(revision) && !isAlone) found.push("it was promoted in another transaction");
  }
  if (promoted.some(({ memoryId }) => !told.has(memoryId))) found.push("nobody was told");
  return found;
}

/** A random life of some sessions of one user; what did not hold on the way. */
async function live(random: Random): Promise<string[]> {
  for (const sessionId of SESSIONS) {
    for (let made = false; !made; ) {
      made = await openSession(services, sessionId, { memory: memoryPolicy() }).then(
        () => true,
        async () =>
          (await services.store.readSession({ namespace: "default", sessionId })) !== undefined,
      );
    }
  }
  const left = new Set<string>();
  for (let count = 0; count < STEPS; count++) {
    const again = randomFrom(random.int(0, 2 ** 31));
    const sessionId = random.pick(SESSIONS);
    // A repeat chooses the same, and must change nothing when the first one came through.
    const tries = random.int(1, 2);
    const seed = again.seed;
    for (let tried = 0; tried < tries; tried++) {
      await step(randomFrom(seed), sessionId, `r${count}`).catch(() => {});
    }
    const found = await faults(left);
    if (found.length > 0) return found;
  }
  return [];
}

const seed = testSeed("promotion and trims");

test.each([0, 1, 2, 3])(
  "holds over the engine in memory, life %i",
  async (life) => {
    const random = randomFrom(seed + life);
    services = await startTestServices({}, { wrapStore: (store) => faulty(store, random) });
    expect(await live(random)).toEqual([]);
  },
  60_000,
);

test("holds over the engine on the disk", async () => {
  const random = randomFrom(seed + 100);
  const directory = await makeTempDir();
  const store = await openLmdbStore({
    directory: directory.path,
    readFacts: jsonCodec.readFacts,
  });
  close = async () => {
    await store.close();
    await directory[Symbol.asyncDispose]();
  };
  services = await startTestServices({}, { store: faulty(store, random) });
  expect(await live(random)).toEqual([]);
}, 60_000);

/** Saves decisions without what the change says. */
function without(store: Store, change: (plan: SessionPlan) => object): Store {
  return storeWith(store, {
    changeSession: (target, decide) =>
      store.changeSession(target, (view) => {
        const decision = decide(view);
        if (decision.kind !== "save") return decision;
        return { ...decision, plan: { ...decision.plan, ...change(decision.plan) } };
      }),
  });
}

/** Stores that break the promise. */
const BROKEN: readonly (readonly [name: string, (plan: SessionPlan) => object])[] = [
  ["forgets what was promoted", () => ({ memories: undefined })],
  [
    "does not note which texts were promoted",
    ({ memories }) => ({ memories: memories && { ...memories, promoted: [] } }),
  ],
];

test.each(BROKEN)(
  "notices a store that %s",
  async (_, change) => {
    const found: string[] = [];
    for (let life = 0; life < 4; life++) {
      const random = randomFrom(seed + 200 + life);
      services = await startTestServices({}, { wrapStore: (store) => without(store, change) });
      found.push(...(await live(random)));
      await services.stop();
    }
    expect(found).not.toEqual([]);
  },
  60_000,
);
