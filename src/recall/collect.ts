// The steps of one recall: takes hits from the index, reads them, and fills a page.

import { type Call, checkLive } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import type { MessageQuery, StoredMessage } from "../store/store.ts";
import type { RecallHit, RecallInput, RecallResult } from "./api.ts";
import type { IndexAnswer, IndexHit, IndexQuery, RecallIndex } from "./index/port.ts";
import type { RecallParts } from "./parts.ts";
import type { HitReader, ReadHit } from "./read-hits.ts";

/** A recall under way. */
export interface Recall {
  readonly parts: RecallParts;
  readonly call: Call;
  readonly input: RecallInput;
  readonly index: RecallIndex;
  readonly reader: HitReader;
  /** The query but for its place in the list. */
  readonly query: Omit<IndexQuery, "offset" | "limit">;
}

/** Asks the index for a part of the list. */
export function askIndex(
  { index, input, query }: Recall,
  place: { readonly offset: number; readonly limit: number },
): Promise<IndexAnswer> {
  return index.search(input.namespace, { ...query, ...place });
}

/** The most bytes of an answer. */
export const PAGE_BYTES = LIMITS.pageBytes;

// Takes hits from the index until a page is full. A hit whose record is gone is dropped, and the
// next one takes its place. The index may lose such hits while they are read, and all behind them
// move forward: so the list is read from the same place again, and what was seen is passed over.

/** Part of a list to read. */
export interface Place {
  readonly offset: number;
  readonly limit: number;
  /** Bytes of the page that other hits have taken. Default 0. */
  readonly usedBytes?: number;
}

/** The hits of a page. */
export interface Found {
  readonly hits: readonly (ReadHit & { readonly rerankScore?: number })[];
  readonly groups: RecallResult["groups"];
  /** Start of the next page; undefined at the end. */
  readonly next: number | undefined;
  readonly answer: IndexAnswer;
  readonly rerank: "used" | "off" | "unavailable";
}

/** Hits that are read in one turn of the event loop. */
const READ = 64;

/** Gives other work its turn after each piece of the hits. */
async function turnAfter({ parts, call }: Recall, count: number): Promise<void> {
  if (count === 0 || count % READ !== 0) return;
  await parts.keeper.pace.turn(true);
  checkLive(call.signal);
}

type Taken = "taken" | "dropped" | "no room";

/** Takes single hits. */
export async function collectHits(recall: Recall, place: Place): Promise<Found> {
  const hits: ReadHit[] = [];
  let bytes = place.usedBytes ?? 0;
  const records = await recordsBefore(recall, place.offset);
  const take = async (hit: IndexHit): Promise<Taken> => {
    await turnAfter(recall, hits.length);
    const read = await recall.reader.readWhole(hit);
    if (read === undefined || records.has(recordOfHit(recall, read))) return "dropped";
    if (bytes > 0 && bytes + read.bytes > PAGE_BYTES) return "no room";
    records.add(recordOfHit(recall, read));
    hits.push(read);
    bytes += read.bytes;
    return "taken";
  };
  const nameOf = ({ kind, containerId, position }: IndexHit) =>
    `${kind} ${position} ${containerId}`;
  const end = await fill(recall, place, { itemsOf: ({ hits: all }) => all, nameOf, take });
  return { hits, groups: [], ...end, rerank: "off" };
}

/** The record whose best document a hit has to be; undefined when it may be any document. */
export function recordOfHit({ input }: Recall, { record }: ReadHit): string | undefined {
  if (input.bestOfRecord !== true || record.kind !== "document") return undefined;
  return record.document.recordId;
}

/** Records that have hits before a place of the list, where only the best of each counts. */
async function recordsBefore(recall: Recall, offset: number): Promise<HitRecords> {
  const records = new HitRecords();
  if (offset === 0 || recall.input.bestOfRecord !== true) return records;
  const { hits } = await askIndex(recall, { offset: 0, limit: offset });
  for (const [at, hit] of hits.entries()) {
    await turnAfter(recall, at);
    const read = await recall.reader.read(hit);
    if (read !== undefined) records.add(recordOfHit(recall, read));
  }
  return records;
}

/** Records that have a hit. */
export class HitRecords {
  readonly #ids = new Set<string>();

  has(recordId: string | undefined): boolean {
    return recordId !== undefined && this.#ids.has(recordId);
  }

  add(recordId: string | undefined): void {
    if (recordId !== undefined) this.#ids.add(recordId);
  }
}

/** Takes groups with their hits. */
export async function collectGroups(recall: Recall, place: Place): Promise<Found> {
  const hits: ReadHit[] = [];
  const groups: RecallResult["groups"][number][] = [];
  let bytes = place.usedBytes ?? 0;
  const take = async ({ group, own }: ReturnType<typeof groupsOf>[number]): Promise<Taken> => {
    const read = await readGroup(recall, own, PAGE_BYTES - bytes);
    if (bytes > 0 && read.isCut) return "no room";
    if (read.hits.length === 0) return "dropped";
    hits.push(...read.hits);
    bytes += read.bytes;
    const { kind, id, score } = group;
    groups.push({ kind, id, score, hitCount: read.hits.length });
    return "taken";
  };
  const nameOf = ({ group }: ReturnType<typeof groupsOf>[number]) => `${group.kind} ${group.id}`;
  const end = await fill(recall, place, { itemsOf: groupsOf, nameOf, take });
  return { hits, groups, ...end, rerank: "off" };
}

function groupsOf({ groups, hits }: IndexAnswer) {
  let first = 0;
  return groups.map((group) => {
    const own = hits.slice(first, first + group.hitCount);
    first += group.hitCount;
    return { group, own };
  });
}

/** Takes items of the list until the page is full or the list ends. */
async function fill<Item>(
  recall: Recall,
  place: Place,
  by: {
    readonly itemsOf: (answer: IndexAnswer) => readonly Item[];
    readonly nameOf: (item: Item) => string;
    readonly take: (item: Item) => Promise<Taken>;
  },
): Promise<Pick<Found, "next" | "answer">> {
  const seen = new Set<string>();
  let takenCount = 0;
  for (;;) {
    const droppedCount = seen.size - takenCount;
    const seenBefore = seen.size;
    const limit = place.limit + droppedCount;
    const answer = await askIndex(recall, { offset: place.offset, limit });
    const items = by.itemsOf(answer);
    let passed = 0;
    for (const item of items) {
      const name = by.nameOf(item);
      if (!seen.has(name)) {
        if (takenCount === place.limit) break;
        const taken = await by.take(item);
        if (taken === "no room") break;
        seen.add(name);
        if (taken === "taken") takenCount += 1;
      }
      passed += 1;
    }
    const isStopped = passed < items.length;
    if (!isStopped && !answer.more) return { next: undefined, answer };
    // Dropped items may leave the list: only an answer without new ones tells the next place.
    const isSteady = seen.size - takenCount === droppedCount;
    const isFull = isStopped || takenCount === place.limit;
    if (seen.size === seenBefore || (isSteady && isFull)) {
      return { next: place.offset + passed, answer };
    }
  }
}

/** Reads the hits of a group as far as there is room; the first one is always taken. */
export async function readGroup(
  recall: Recall,
  own: readonly IndexHit[],
  room: number,
): Promise<{ hits: ReadHit[]; bytes: number; isCut: boolean }> {
  const hits: ReadHit[] = [];
  let bytes = 0;
  for (const hit of own) {
    const read = await recall.reader.readWhole(hit);
    if (read === undefined) continue;
    if (bytes + read.bytes > room) {
      if (hits.length === 0) return { hits: [read], bytes: read.bytes, isCut: true };
      return { hits, bytes, isCut: true };
    }
    hits.push(read);
    bytes += read.bytes;
  }
  return { hits, bytes, isCut: false };
}

// Makes answers of hits: the passage that fits best, and the messages around it as far as the page
// has room.

/** Bytes of a message around a hit beside its own. */
const CONTEXT_BYTES = 16;

/** Makes the hits of an answer, the best ones first to have the messages around them. */
export async function toHits(recall: Recall, found: Found): Promise<readonly RecallHit[]> {
  let room = PAGE_BYTES - found.hits.reduce((sum, { bytes }) => sum + bytes, 0);
  const hits: RecallHit[] = [];
  const { passagesOf } = recall.input;
  const hasPassage = ({ hit }: ReadHit): boolean => passagesOf?.has(hit.kind) ?? true;
  for (const read of found.hits) {
    await turnAfter(recall, hits.length);
    const around = await aroundOf(recall, read, room);
    room -= around.bytes;
    const { score, relevance, parts } = read.hit;
    hits.push({
      ...{ score, relevance, parts },
      record: recordOf(read, around),
      passage: hasPassage(read) ? await recall.reader.passageOf(read) : "",
      rerankScore: read.rerankScore,
    });
  }
  return hits;
}

interface Around {
  readonly before: readonly StoredMessage[];
  readonly after: readonly StoredMessage[];
  readonly bytes: number;
}

const ALONE: Around = { before: [], after: [], bytes: 0 };

/** The messages around a hit that fit into the room, the nearest first. */
async function aroundOf(recall: Recall, { record }: ReadHit, room: number): Promise<Around> {
  const { contextBefore, contextAfter } = recall.input;
  if (record.kind !== "message" || contextBefore + contextAfter === 0 || room <= 0) return ALONE;
  const { before, after } = await neighborsOf(recall, record, {
    before: contextBefore,
    after: contextAfter,
  });
  let bytes = 0;
  const fits = ({ bytes: own }: StoredMessage): boolean => {
    if (bytes + own.length + CONTEXT_BYTES > room) return false;
    bytes += own.length + CONTEXT_BYTES;
    return true;
  };
  const kept = new Set<number>();
  let [isOpenBefore, isOpenAfter] = [true, true];
  for (let far = 1; far <= Math.max(before.length, after.length); far++) {
    const previous = before.at(-far);
    const next = after[far - 1];
    isOpenBefore = isOpenBefore && previous !== undefined && fits(previous);
    if (isOpenBefore && previous !== undefined) kept.add(previous.seq);
    isOpenAfter = isOpenAfter && next !== undefined && fits(next);
    if (isOpenAfter && next !== undefined) kept.add(next.seq);
  }
  const isKept = ({ seq }: StoredMessage): boolean => kept.has(seq);
  return { before: before.filter(isKept), after: after.filter(isKept), bytes };
}

/** The messages before and after a message that exist, oldest first. */
export async function neighborsOf(
  { parts }: Recall,
  { session, message }: Extract<ReadHit["record"], { kind: "message" }>,
  count: { readonly before: number; readonly after: number },
): Promise<{ before: readonly StoredMessage[]; after: readonly StoredMessage[] }> {
  const { store } = parts.context;
  const { seq } = message;
  const list = async (query: Omit<MessageQuery, "roles">): Promise<readonly StoredMessage[]> => {
    if (query.limit === 0 || query.firstSeq > query.lastSeq) return [];
    return (await store.listMessages(session, query))?.messages ?? [];
  };
  const { lastSeq } = session.head;
  const earlier = { firstSeq: 1, lastSeq: seq - 1, order: "desc", limit: count.before } as const;
  const later = { firstSeq: seq + 1, lastSeq, order: "asc", limit: count.after } as const;
  return { before: (await list(earlier)).toReversed(), after: await list(later) };
}

function recordOf({ hit, record }: ReadHit, { before, after }: Around): RecallHit["record"] {
  if (record.kind === "memory") return { kind: "memory", memory: record.memory };
  if (record.kind === "document") return { ...record, collectionId: hit.containerId };
  const { session, message } = record;
  const { sessionId, fields } = session;
  return { kind: "message", sessionId, userId: fields.userId, message, before, after };
}
