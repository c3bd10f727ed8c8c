// The load of the crash test of memories: each writer has a scope of its own, and says what it
// does to the account of the scope before and after.

import { setTimeout as sleep } from "node:timers/promises";
import {
  dropOldest,
  isMemorySidecarError,
  type MemoryFields,
  MemoryKind,
  type MemorySidecar,
  MemoryState,
  makePolicy,
} from "../../clients/typescript/src/index.ts";
import type { Random } from "../support/kit/random.ts";
import { eventually } from "../support/process/summary-reader.ts";
import {
  type MemoryCall,
  type Said,
  type ScopeAccount,
  type SeenScope,
  wordsOf,
} from "./memories-account.ts";
import { tokenOf } from "./recall-account.ts";

/** The namespace of sessions that are filled and deleted. */
const CHORES = "chores";
const CATEGORIES = ["red", "green", "blue"];
const KEYS = ["home", "job", "car", ""];
const IMPORTANCES = [0.2, 0.5, 0.8];
const DRAIN_MS = 60_000;
/** Moments that are told apart by milliseconds are in the order of calls. */
const PAUSE_MS = 2;
const BIG_BATCH = 40;

/** Input of a load. */
export interface MemoryLoad {
  readonly client: MemorySidecar;
  readonly random: Random;
  readonly wrong: string[];
  /** A number that was never given. */
  readonly number: () => number;
  isStopped: boolean;
}

/** The session of a scope that turns go into, and its memory policy. */
export async function openScope(
  client: MemorySidecar,
  { name, rules }: ScopeAccount,
): Promise<void> {
  if (rules.gives === "nothing") return;
  const memoryPolicy =
    rules.gives === "promotion"
      ? {
          promotion: { selection: "any-text" as const },
          ...{ episodes: {}, longTermLimit: rules.limit },
        }
      : { extraction: { targets: ["facts" as const] }, longTermLimit: rules.limit };
  const policy = makePolicy([dropOldest("keep", { maxMessages: 2 }, { unit: "message" })]);
  await client.createSession({ sessionId: name, userId: name, policy, memoryPolicy });
}

function isGone(error: unknown): boolean {
  return isMemorySidecarError(error) && ["", "SHUTTING_DOWN"].includes(error.reason);
}

/** Writes into a scope until the load is stopped. */
export async function writeScope(load: MemoryLoad, account: ScopeAccount): Promise<void> {
  const { random, wrong } = load;
  while (!load.isStopped && !account.isOpen) {
    const call = account.rules.gives === "nothing" ? change(load, account) : turn(load, account);
    account.intend(call);
    try {
      const fault = await send(load, account, call);
      if (fault !== undefined) wrong.push(fault);
      account.acknowledge();
    } catch (error) {
      load.isStopped = true;
      if (!isGone(error)) wrong.push(`a ${call.kind} of ${account.name} failed: ${error}`);
      return;
    }
    await sleep(random.chance(0.1) ? random.int(PAUSE_MS, 20) : PAUSE_MS);
  }
}

function turn({ number, random }: MemoryLoad, { held, rules }: ScopeAccount): MemoryCall {
  const token = tokenOf(number());
  const assistant = `Noted ${token}.`;
  if (rules.gives === "extraction") {
    return { kind: "turn", user: `I am allergic to ${token}.`, assistant };
  }
  const old = held.filter(({ kind }) => kind !== "episode");
  if (old.length > 0 && random.chance(0.2)) {
    const { text } = random.pick(old);
    return { kind: "turn", user: random.chance(0.5) ? text.toUpperCase() : text, assistant };
  }
  const start = random.pick(["My name is", "My wife likes", "I prefer", "Today there was"]);
  return { kind: "turn", user: `${start} ${token}`, assistant };
}

function change(load: MemoryLoad, { held }: ScopeAccount): MemoryCall {
  const { random } = load;
  const weights = { remember: 12, big: 1, purge: 2, forget: 3, decay: 2 };
  const kind = held.length === 0 ? "remember" : random.weighted(weights);
  if (kind === "purge") return { kind, category: random.pick(CATEGORIES) };
  if (kind === "decay") return { kind, factor: 0.5, deleteBelow: 0.2 };
  if (kind === "forget") {
    const ids = Array.from({ length: random.int(1, 3) }, () => random.pick(held).id);
    return { kind, ids: [...new Set(ids)] };
  }
  const length = kind === "big" ? BIG_BATCH : random.int(1, 5);
  return { kind: "remember", said: Array.from({ length }, () => draft(load, held)) };
}

function draft({ number, random }: MemoryLoad, held: readonly Said[]): Said {
  const no = number();
  const category = random.pick(CATEGORIES);
  const importance = random.pick(IMPORTANCES);
  const known = held.filter(({ kind }) => kind === "fact");
  const id = `m${no}`;
  if (known.length > 0 && random.chance(0.15)) return { ...random.pick(known), id };
  const token = tokenOf(no);
  const kind = random.weighted({ fact: 6, relation: 2, entity: 2 });
  if (kind === "entity") {
    const name = `Name${random.int(1, 12)}`;
    const text = `${name} [thing] (at: ${token})`;
    return { id, kind, text, key: name, category: "", importance: 0.5 };
  }
  const text = kind === "fact" ? `It is ${token}` : `${token} likes tea`;
  return { id, kind, text, key: kind === "fact" ? random.pick(KEYS) : "", category, importance };
}

function fieldsOf(userId: string, said: Said): MemoryFields {
  const { category, id: memoryId, importance, key, kind, text } = said;
  const common = { userId, memoryId, category };
  if (kind === "entity") {
    const at = /at: (\w+)/.exec(text)?.[1] ?? "";
    return { ...common, entity: { name: key, type: "thing", attributes: { at } } };
  }
  if (kind === "relation") {
    const [subject = "", predicate = "", object = ""] = text.split(" ");
    return { ...common, importance, relation: { subject, predicate, objectValue: object } };
  }
  return { ...common, importance, key, text };
}

/** Sends a call; says what is wrong with its answer. */
async function send(
  { client }: MemoryLoad,
  account: ScopeAccount,
  call: MemoryCall,
): Promise<string | undefined> {
  const userId = account.name;
  switch (call.kind) {
    case "turn": {
      const said = { userText: call.user, assistantText: call.assistant };
      await client.recordTurn(userId, said);
      return undefined;
    }
    case "remember": {
      const memories = call.said.map((said) => fieldsOf(userId, said));
      const options = { conflict: "supersede", maxMemories: account.rules.limit } as const;
      await client.remember(memories, options);
      return undefined;
    }
    case "purge": {
      const states = ["active", "superseded"] as const;
      const filter = { userId, categories: [call.category], states };
      const { memoryCount } = await client.purgeMemories(filter, { force: true });
      const count = account.countOf(call.category);
      if (Number(memoryCount) === count) return undefined;
      return `a purge of ${userId} took ${memoryCount} of ${count}`;
    }
    case "forget":
      await client.forgetMemories(call.ids, { allowMissing: true });
      return undefined;
    case "decay": {
      const { factor, deleteBelow } = call;
      await client.decayMemories({ filter: { userId }, factor, deleteBelow });
      return undefined;
    }
  }
}

/** Fills and deletes sessions until the load is stopped, so that there is something to purge. */
export async function fillAndDelete(load: MemoryLoad): Promise<void> {
  const { client, number, wrong } = load;
  while (!load.isStopped) {
    const sessionId = `chore-${number()}`;
    const texts = Array.from({ length: 50 }, (_, at) => `${sessionId} ${at}`);
    try {
      await client.append(sessionId, texts, { namespace: CHORES, createSession: true });
      await client.deleteSession(sessionId, { namespace: CHORES });
    } catch (error) {
      load.isStopped = true;
      if (!isGone(error)) wrong.push(`a chore failed: ${error}`);
    }
    await sleep(5);
  }
}

const KIND_NAMES: Readonly<Partial<Record<MemoryKind, string>>> = {
  [MemoryKind.FACT]: "fact",
  [MemoryKind.PREFERENCE]: "preference",
  [MemoryKind.ENTITY]: "entity",
  [MemoryKind.RELATION]: "relation",
  [MemoryKind.EPISODE]: "episode",
};

/** Waits until all jobs are done. */
export async function drainJobs(client: MemorySidecar): Promise<void> {
  await eventually("the end of all jobs", DRAIN_MS, async () => {
    for await (const _ of client.listTasks()) return undefined;
    return true;
  });
}

/** Reads what the server shows of a scope. */
export async function readScope(
  client: MemorySidecar,
  { name, rules }: ScopeAccount,
): Promise<SeenScope> {
  const log: string[] = [];
  const memories: string[] = [];
  if (rules.gives !== "nothing") {
    for await (const { text } of client.listMessages(name, { pageSize: 1_000 })) log.push(text);
  }
  const filter = {
    userId: name,
    scope: "owned-by" as const,
    states: ["active", "superseded"] as const,
  };
  for await (const memory of client.listMemories({ filter, pageSize: 1_000 })) {
    const { confidence = 0, importance = 0, kind, mentionCount, state, text } = memory;
    const isPast = state === MemoryState.SUPERSEDED;
    const words = { isPast, text, importance, mentions: mentionCount, confidence };
    memories.push(wordsOf({ ...words, kind: KIND_NAMES[kind] ?? `kind ${kind}` }));
  }
  return { log, memories };
}
