// The stores that older versions wrote, kept in test/golden/stores, and everything that a caller
// can read of one.
//
// What is read is compared as values without names: of each record the values of its fields, in
// order. So a field that gets another name, or another place in its message, changes nothing here,
// and one whose content is lost does.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { CODEC } from "../../../src/edge/codec.ts";
import type { Summary } from "../../../src/gen/memorysidecar/v1/summary.ts";
import { openLmdbStore } from "../../../src/store/lmdb/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { startContractServer, type TestClient, type TestServer } from "../contract/client.ts";
import { hooksOf, pollHook } from "../hooks/hooks.ts";
import { allMemories, dumpAllMemories, dumpMemories } from "./read-memories.ts";
import { recordsIn } from "./records.ts";

const FIXTURES = join(import.meta.dirname, "../../golden/stores");

/** The namespaces of the old stores. */
export const OLD_NAMESPACES = ["default", "other"] as const;

/** The request ids whose answers the old stores remember. */
const REQUEST_IDS = [
  ...["create-kinds", "append-kinds", "update-q1", "restore", "trim", "by-hand", "upsert"],
  ...[
    "remove",
    "remember",
    "forget",
    "write",
    "complete-first of placed",
    "complete-first of running",
  ],
];

/** Description of an old store beside its contents. */
export interface OldStore {
  readonly format: number;
  readonly storeId: string;
  /** When it was written. */
  readonly madeMs: number;
  /** Resume tokens behind the fifth event of each namespace. */
  readonly tokens: Readonly<Record<(typeof OLD_NAMESPACES)[number], string>>;
}

/** Contents of an old store that callers can read, as values without names. */
export type OldContent = Readonly<Record<string, unknown>>;

/** An old store: what is known of it, and what must be read of it. */
export async function readFixture(
  format: number,
): Promise<{ readonly about: OldStore; readonly content: OldContent }> {
  return JSON.parse(await readFile(join(FIXTURES, `format-${format}.json`), "utf8"));
}

/** Puts a copy of an old store into a directory. */
export async function unpackStore(format: number, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  // From format 10 on a killed server leaves a redo log.
  const logs = format < 10 ? [] : [["log.gz", "redo.log"]];
  for (const [suffix, name = ""] of [["mdb.gz", "data.mdb"], ...logs]) {
    const packed = await readFile(join(FIXTURES, `format-${format}.${suffix}`));
    await writeFile(join(directory, name), gunzipSync(packed));
  }
}

/** Serves a directory at the time when its store was written, so that nothing is due. */
export async function serveOldStore(directory: string, about: OldStore): Promise<TestServer> {
  const floor = { bytes: 0 };
  const store = await openLmdbStore({ directory, readFacts: CODEC.readFacts, floor });
  // Nobody polls, so that the tasks stay as they are.
  const hooks = hooksOf([pollHook("workers"), pollHook("lost")]);
  return await startContractServer({
    wrapStore: () => store,
    hooks,
    startMs: about.madeMs - 60_000,
  });
}

// Tokens and etags are made anew by each version; how far a consumer lags is computed.
const MADE_ANEW = new Set(["etag", "resumeToken", "nextPageToken", "lag", "$case"]);

/** The values in a value, whatever they are called, in order. Empty ones count for nothing. */
export function leavesOf(value: unknown): string[] {
  return collect(value).sort();
}

function collect(value: unknown): string[] {
  if (value instanceof Float32Array) return [[...value].join()];
  if (value instanceof Uint8Array) return collect(Buffer.from(value).toString("hex"));
  if (value instanceof Map) return [...value].flatMap(([key, of]) => collect([key, of]));
  if (value instanceof Set || Array.isArray(value)) return [...value].flatMap(collect);
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, of]) => (MADE_ANEW.has(name) ? [] : collect(of)));
  }
  return [undefined, null, false, 0, 0n, ""].includes(value as null) ? [] : [String(value)];
}

interface Summarized {
  readonly summary?: Summary | undefined;
  readonly placedSummaries?: readonly Summary[];
  readonly policy?: unknown;
}

/** A session or a window with what older versions said of its summaries and its policy. */
function asSaidThen<T extends Summarized>(answer: T) {
  const { summary, placedSummaries = [], policy: _, ...rest } = answer;
  const own = summary && { ...summary, placement: 0, current: false, level: 0, stage: "" };
  const placed = placedSummaries.map((one) => ({ ...one, placement: 0, current: false }));
  return { ...rest, own, placed };
}

const lines = (records: readonly unknown[]): string[] =>
  records.map((record) => leavesOf(record).join(" | "));

/** Everything a caller can read of the old store that a server has. */
export async function readOldStore({ client, store }: TestServer): Promise<OldContent> {
  const content: Record<string, unknown> = {};
  for (const namespace of OLD_NAMESPACES) {
    const { sessions } = await client.call("listSessions", { namespace });
    const { events } = await client.call("listEvents", { namespace, pageSize: 1_000 });
    const { tasks } = await client.call("listTasks", { namespace });
    const { consumers } = await client.call("listConsumers", { namespace });
    content[namespace] = {
      sessions: lines(sessions.map(asSaidThen)),
      logs: await Promise.all(
        sessions.map(({ sessionId }) => readSession(client, store, { namespace, sessionId })),
      ),
      events: lines(events),
      tasks: lines(tasks),
      consumers: lines(consumers),
      documents: await readDocuments(client, store, namespace),
      memories: await readMemories(client, store, namespace),
      stored: leavesOf(await dumpMemories(store, namespace)),
      replies: lines(await readReplies(store, namespace)),
      records: await readRecords(client, store, namespace),
    };
  }
  return { ...content, memories: leavesOf(await dumpAllMemories(store)) };
}

async function readSession(
  client: TestClient,
  store: Store,
  ref: { readonly namespace: string; readonly sessionId: string },
): Promise<unknown> {
  const { session } = await client.call("getSession", ref);
  const { messages } = await client.call("listMessages", { ...ref, pageSize: 1_000 });
  const { summaries } = await client.call("listSummaries", ref);
  const windows: string[] = [leavesOf(asSaidThen(await client.call("getWindow", ref))).join(" | ")];
  for (const { seq } of messages) {
    const past = await store.readWindowAt(ref, Number(seq));
    windows.push(String(past?.window?.map(({ messageId }) => messageId)));
  }
  const sources: unknown[] = [];
  for (const { version } of summaries) {
    sources.push((await client.call("listSummarySources", { ...ref, version })).messages);
  }
  return {
    session: leavesOf(session && asSaidThen(session)).join(" | "),
    messages: lines(messages),
    windows,
    summaries: lines(summaries),
    sources: lines(sources),
  };
}

async function readDocuments(client: TestClient, store: Store, namespace: string) {
  const all: unknown[] = [];
  for (const collection of await store.listCollections({ namespace, after: "", limit: 100 })) {
    all.push(collection);
    const ref = { namespace, collectionId: collection.collectionId };
    const listed = await client.call("listDocuments", {
      ...ref,
      includeEmbeddings: true,
      includePayloads: true,
    });
    all.push(...listed.documents);
  }
  return lines(all);
}

/** The records of a namespace; undefined where there are none, as in the formats before 6. */
async function readRecords(client: TestClient, store: Store, namespace: string) {
  const all: unknown[] = [];
  for (const { path, key } of await recordsIn(store, namespace)) {
    const { record } = await client.call("getRecord", { namespace, path: [...path], key });
    all.push(record);
  }
  return all.length === 0 ? undefined : lines(all);
}

async function readMemories(client: TestClient, store: Store, namespace: string) {
  const all: unknown[] = [];
  for (const { memoryId } of await allMemories(store, { namespace, order: "asc", limit: 100 })) {
    const { memory } = await client.call("getMemory", { namespace, memoryId });
    all.push(memory);
    const past = await client.call("listMemoryVersions", { namespace, memoryId });
    all.push(...past.versions);
  }
  return lines(all);
}

async function readReplies(store: Store, namespace: string) {
  const replies: unknown[] = [];
  for (const requestId of REQUEST_IDS) {
    const reply = await store.changeSession(
      { namespace, sessionId: "none", requestId },
      ({ reply }) => ({ kind: "answer", result: reply }),
    );
    if (reply === undefined) continue;
    replies.push([requestId, { ...reply, digest: Buffer.from(reply.digest, "latin1") }]);
  }
  return replies;
}
