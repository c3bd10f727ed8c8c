// The load of the crash test of recall: writers that append, change, delete and clear, and readers
// that look for what was answered while others write.

import { setTimeout as sleep } from "node:timers/promises";
import { isMemorySidecarError, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import type { Random } from "../support/kit/random.ts";
import {
  type BriefSession,
  type KnownRecord,
  keyOf,
  type RecallAccount,
  seenHit,
  tokenOf,
} from "./recall-account.ts";

/** The namespace of sessions that run out. */
export const BRIEF = "brief";

const WORDS = (
  "harbor lighthouse coffee garden violin winter bridge market lantern orchard river sparrow " +
  "engine compass mirror blanket copper thunder island candle"
).split(" ");
const TTLS_MS = [1_000, 2_000, 4_000];
const BRIEF_PAUSE_MS = 25;
const LONG_WORDS = 200;

/** Input of a load. */
export interface Load {
  readonly client: MemorySidecar;
  readonly account: RecallAccount;
  readonly random: Random;
  isStopped: boolean;
}

type Changes = readonly (readonly [KnownRecord, string | undefined])[];

/** A text with a word of its own, of one passage or of several. */
export function textWith(token: string, random: Random): string {
  const count = random.chance(0.1) ? LONG_WORDS : random.int(2, 12);
  const words = Array.from({ length: count }, () => random.pick(WORDS));
  words.splice(random.int(0, words.length), 0, token);
  return words.join(" ");
}

/** A question of a few words that many records have. */
export function commonQuery(random: Random): string {
  return Array.from({ length: random.int(1, 4) }, () => random.pick(WORDS)).join(" ");
}

/** Whether a failure says that the server was killed. */
function isGone(error: unknown): boolean {
  return isMemorySidecarError(error) && error.reason === "";
}

/** Sends a change and notes what comes of it; stops the load when the server is gone. */
async function send(load: Load, changes: Changes, call: () => Promise<unknown>): Promise<void> {
  const { account } = load;
  account.intend(changes);
  try {
    await call();
    account.acknowledge(changes);
  } catch (error) {
    account.unanswered += 1;
    load.isStopped = true;
    if (!isGone(error)) account.wrong.push(`a write failed: ${error}`);
  }
}

/** Writes into a session and a collection of its own until the load is stopped. */
export async function write(load: Load, name: string): Promise<void> {
  const { account, random } = load;
  while (!load.isStopped) {
    const isOpen = [...account.records.values()].some(
      ({ container, open }) => container === name && open !== undefined,
    );
    if (isOpen) return;
    const kind = random.weighted({ append: 8, update: 4, delete: 3, upsert: 6, remove: 3, all: 1 });
    if (kind === "append") await append(load, name);
    else if (kind === "upsert") await upsert(load, name);
    else if (kind === "all") await (random.chance(0.5) ? clear(load, name) : drop(load, name));
    else if (kind === "remove") await removeDocuments(load, name);
    else await changeMessage(load, name, kind);
  }
}

async function append(load: Load, name: string): Promise<void> {
  const { account, client, random } = load;
  const drafts = Array.from({ length: random.int(1, 4) }, () => {
    const number = account.number();
    const token = tokenOf(number);
    const record = account.recordOf("message", name, `m${number}`);
    const role = random.chance(0.5) ? ("user" as const) : ("assistant" as const);
    return {
      record,
      token,
      message: { role, messageId: record.id, text: textWith(token, random) },
    };
  });
  const changes = drafts.map(({ record, token }) => [record, token] as const);
  const messages = drafts.map(({ message }) => message);
  await send(load, changes, () => client.append(name, messages, { createSession: true }));
}

async function changeMessage(load: Load, name: string, kind: "update" | "delete"): Promise<void> {
  const { account, client, random } = load;
  const held = account.heldBy("message", name);
  if (held.length === 0) return;
  const record = random.pick(held);
  if (kind === "delete") {
    await send(load, [[record, undefined]], () => client.deleteMessage(name, record.id));
    return;
  }
  const token = tokenOf(account.number());
  const message = { messageId: record.id, text: textWith(token, random) };
  await send(load, [[record, token]], () => client.updateMessage(name, message));
}

async function upsert(load: Load, collectionId: string): Promise<void> {
  const { account, client, random } = load;
  const held = account.heldBy("document", collectionId);
  const records = new Set(
    Array.from({ length: random.int(1, 4) }, () =>
      held.length > 0 && random.chance(0.4)
        ? random.pick(held)
        : account.recordOf("document", collectionId, `d${account.number()}`),
    ),
  );
  const changes = [...records].map((record) => [record, tokenOf(account.number())] as const);
  const documents = changes.map(([{ id }, token]) => {
    return { documentId: id, text: textWith(token, random) };
  });
  await send(load, changes, () => client.upsertDocuments(documents, { collectionId }));
}

async function removeDocuments(load: Load, collectionId: string): Promise<void> {
  const { account, client, random } = load;
  const held = account.heldBy("document", collectionId);
  if (held.length === 0) return;
  const records = [...new Set([random.pick(held), random.pick(held)])];
  const changes = records.map((record) => [record, undefined] as const);
  const ids = records.map(({ id }) => id);
  await send(load, changes, () =>
    client.deleteDocuments(ids, { collectionId, allowMissing: true }),
  );
}

async function clear(load: Load, collectionId: string): Promise<void> {
  const held = load.account.heldBy("document", collectionId);
  const changes = held.map((record) => [record, undefined] as const);
  await send(load, changes, () => load.client.clearCollection(collectionId));
}

async function drop(load: Load, name: string): Promise<void> {
  const { account, client, random } = load;
  const changes = account.heldBy("message", name).map((record) => [record, undefined] as const);
  const isReset = random.chance(0.5);
  if (changes.length === 0) return;
  await send(load, changes, () =>
    isReset ? client.resetSession(name) : client.deleteSession(name),
  );
}

function hasRunOut({ beginMs, ttlMs }: BriefSession): boolean {
  return Date.now() >= beginMs + ttlMs;
}

/** Makes sessions that run out until the load is stopped. */
export async function writeBriefly(load: Load, sessions: BriefSession[]): Promise<void> {
  const { account, client, random } = load;
  while (!load.isStopped) {
    const number = account.number();
    const ttlMs = random.pick(TTLS_MS);
    const sessionId = `b${number}`;
    const token = tokenOf(number);
    const namespace = BRIEF;
    const session: BriefSession = {
      ...{ sessionId, token, ttlMs, beginMs: Date.now(), answerMs: undefined },
    };
    sessions.push(session);
    try {
      await client.createSession({ sessionId, ttlMs }, { namespace });
      await client.append(sessionId, textWith(token, random), { namespace });
      session.answerMs = Date.now();
    } catch (error) {
      // On a slow machine it may run out before its message comes.
      const isOver = isMemorySidecarError(error, "SESSION_NOT_FOUND") && hasRunOut(session);
      if (!isOver) load.isStopped = true;
      if (!isOver && !isGone(error)) account.wrong.push(`a brief session failed: ${error}`);
    }
    await sleep(BRIEF_PAUSE_MS);
  }
}

/** Looks for records while others write, until the load is stopped. Gives how often it looked. */
export async function read(load: Load): Promise<number> {
  const { account, client, random } = load;
  let looks = 0;
  while (!load.isStopped) {
    const records = [...account.records.values()].filter(({ open }) => open === undefined);
    const record = records.length === 0 ? undefined : random.pick(records.slice(-50));
    const deadBefore = account.dead.length;
    const token = record?.token ?? account.dead.at(-1) ?? tokenOf(0);
    const version = record?.version;
    try {
      const options = { mode: "lexical" as const, allowPartial: random.chance(0.3) };
      const { hits, coverage } = await client.recall(token, options);
      const dead = new Set(account.dead.slice(0, deadBefore));
      const seen = hits.map(seenHit);
      for (const { key, token: found } of seen) {
        if (found !== undefined && dead.has(found)) account.wrong.push(`RETURNED LIVE ${key}`);
      }
      looks += 1;
      if (record?.token === undefined || record.version !== version) continue;
      if (record.token !== token || coverage?.complete !== true) continue;
      const key = keyOf(record.kind, record.container, record.id);
      if (!seen.some((hit) => hit.key === key)) account.wrong.push(`LOST LIVE ${key}`);
    } catch (error) {
      load.isStopped = true;
      if (!isGone(error)) account.wrong.push(`a recall failed: ${error}`);
    }
  }
  return looks;
}
