// The answers of an index that is made anew, in this process, of what a server lists of itself:
// whatever the server's own index went through, it must answer the same.

import { Document } from "../../../clients/typescript/src/gen/memorysidecar/v1/document.ts";
import { Memory } from "../../../clients/typescript/src/gen/memorysidecar/v1/memory.ts";
import { Message } from "../../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import type { MemorySidecar, RecallHit } from "../../../clients/typescript/src/index.ts";
import { loadStaticEmbedder } from "../../../src/recall/embed/static.ts";
import { createLocalIndex } from "../../../src/recall/index/local.ts";
import type {
  ContainerInfo,
  IndexHit,
  IndexItem,
  RecallIndex,
} from "../../../src/recall/index/port.ts";
import { INDEX_CODEC } from "../../../src/recall/indexed-wire.ts";
import { WIDE_POOL_PER_LEG } from "../../../src/recall/rank/weights.ts";
import { scopeIdOf } from "../../../src/store/scope-id.ts";
import { containerOf, filterOf, itemsOf, queryOf } from "./records.ts";

/** An index with everything that a namespace holds. */
export interface FreshIndex {
  readonly index: RecallIndex;
  readonly namespace: string;
  /** The ids of documents and memories by collection or scope and position. */
  readonly documentIds: ReadonlyMap<string, readonly string[]>;
  readonly items: number;
}

const PAGE = 1_000;
/** More than there ever are candidates. */
const HITS_MAX = 1_000;
const PAGE_HITS = 100;
const DIGITS = 9;

let embedder: ReturnType<typeof loadStaticEmbedder> | undefined;

function newIndex(): RecallIndex {
  embedder ??= loadStaticEmbedder();
  const { model, dimensions, embedText, nearWords } = embedder;
  return createLocalIndex({
    codec: INDEX_CODEC,
    model: { id: model, dimensions, isLocal: true },
    ...{ embedText, nearWords },
  });
}

/** Makes an index of what a server lists. Nobody may write meanwhile. */
export async function freshIndex(client: MemorySidecar, namespace: string): Promise<FreshIndex> {
  const index = newIndex();
  const documentIds = new Map<string, readonly string[]>();
  let count = 0;
  const add = async (info: ContainerInfo, items: readonly IndexItem[]) => {
    count += items.length;
    const change = containerOf(info.kind, info.id, info);
    await index.apply(namespace, [change]);
    if (items.length > 0) await index.apply(namespace, [itemsOf(info.kind, info.id, items)]);
  };
  for await (const session of client.listSessions({ namespace })) {
    const { sessionId: id, userId, agentId, labels } = session;
    const messages = client.listMessages(id, { namespace, pageSize: PAGE });
    const items: IndexItem[] = [];
    for await (const message of messages) {
      items.push({ position: Number(message.seq), bytes: Message.encode(message).finish() });
    }
    const own = new Map(Object.entries(labels));
    const info = {
      kind: "session",
      id,
      userId,
      agentId,
      labels: own,
      expireMs: undefined,
    } as const;
    await add(info, items);
  }
  for await (const { collectionId: id } of client.listCollections({ namespace })) {
    const documents = client.listDocuments({ namespace, collectionId: id, pageSize: PAGE });
    const ids: string[] = [];
    const items: IndexItem[] = [];
    for await (const document of documents) {
      ids.push(document.documentId);
      items.push({ position: ids.length, bytes: Document.encode(document).finish() });
    }
    documentIds.set(id, ids);
    const none = { userId: "", agentId: "", labels: new Map(), expireMs: undefined };
    await add({ kind: "collection", id, ...none }, items);
  }
  for (const [id, memories] of await scopesOf(client, namespace)) {
    // Scopes have ids of the server's own, and so it is with the order of memories.
    documentIds.set(
      id,
      memories.map(({ memoryId }) => memoryId),
    );
    const [first] = memories;
    if (first === undefined) continue;
    const { userId, agentId, sessionId } = first;
    const items = memories.map((memory, at) => {
      return { position: at + 1, bytes: Memory.encode(memory).finish() };
    });
    const names = { userId, agentId, sessionId, labels: new Map(), expireMs: undefined };
    await add({ kind: "scope", id, ...names }, items);
  }
  return { index, namespace, documentIds, items: count };
}

/** All memories of a namespace by scope, the oldest first. */
async function scopesOf(client: MemorySidecar, namespace: string): Promise<Map<string, Memory[]>> {
  const scopes = new Map<string, Memory[]>();
  const filter = { everyone: true, states: ["active", "superseded"] } as const;
  for await (const memory of client.listMemories({ namespace, filter })) {
    const id = scopeIdOf(memory);
    scopes.set(id, [...(scopes.get(id) ?? []), memory]);
  }
  return scopes;
}

/** Asks both with one query. */
export interface ComparedQuery {
  readonly text: string;
  readonly mode: "hybrid" | "lexical" | "dense";
  readonly referenceMs: number;
}

function keyOfHit({ documentIds }: FreshIndex, { kind, containerId, position }: IndexHit): string {
  if (kind === "message") return `${containerId}#${position}`;
  if (kind === "memory") return documentIds.get(containerId)?.[position - 1] ?? "";
  return `${containerId}/${documentIds.get(containerId)?.[position - 1]}`;
}

function keyOfAnswer({ record }: RecallHit): string {
  if (record?.$case === "message") {
    return `${record.value.sessionId}#${record.value.message?.seq}`;
  }
  if (record?.$case === "memory") return record.value.memoryId;
  return `${record?.value.collectionId}/${record?.value.documentId}`;
}

/** One hit in words; scores to a billionth of their size. */
function line(key: string, { score, relevance }: Pick<RecallHit, "score" | "relevance">): string {
  return `${key} ${score.toFixed(DIGITS)} ${relevance.toFixed(DIGITS)}`;
}

/** The hits of the fresh index, in words, sorted. */
export async function freshHits(
  fresh: FreshIndex,
  { text, mode, referenceMs }: ComparedQuery,
): Promise<string[]> {
  const filter = filterOf({ roles: new Set([1, 2]) });
  const perLeg = WIDE_POOL_PER_LEG;
  const rest = { filter, mode, referenceMs, nowMs: referenceMs, limit: HITS_MAX, perLeg };
  const { hits } = await fresh.index.search(fresh.namespace, queryOf(text, rest));
  return hits.map((hit) => line(keyOfHit(fresh, hit), hit)).sort();
}

/** The hits of a server, all pages, in the same words. */
export async function serverHits(
  client: MemorySidecar,
  namespace: string,
  { text, mode, referenceMs }: ComparedQuery,
): Promise<string[]> {
  const lines: string[] = [];
  const referenceTime = new Date(referenceMs);
  const filter = { everyone: true };
  const how = { namespace, mode, referenceTime, filter, pageSize: PAGE_HITS };
  let pageToken = "";
  do {
    const answer = await client.recall(text, { ...how, pageToken });
    lines.push(...answer.hits.map((hit) => line(keyOfAnswer(hit), hit)));
    pageToken = answer.nextPageToken;
  } while (pageToken !== "");
  return lines.sort();
}

/** Says where the answers of a server differ from those of a fresh index over what it lists. */
export async function indexFaults(
  client: MemorySidecar,
  namespace: string,
  queries: readonly ComparedQuery[],
): Promise<string[]> {
  const fresh = await freshIndex(client, namespace);
  const wrong: string[] = [];
  for (const query of queries) {
    const [expected, found] = await Promise.all([
      freshHits(fresh, query),
      serverHits(client, namespace, query),
    ]);
    if (found.join("\n") === expected.join("\n")) continue;
    const missing = expected.filter((one) => !found.includes(one));
    const extra = found.filter((one) => !expected.includes(one));
    const differ = `missing ${missing.slice(0, 3).join(", ")}; extra ${extra.slice(0, 3).join(", ")}`;
    const sizes = `${found.length} hits where the fresh index has ${expected.length}`;
    wrong.push(`DIFFERS ${query.mode} "${query.text}": ${sizes}; ${differ}`);
  }
  await fresh.index.close();
  return wrong;
}
