// Makes answers of hits: the passage that fits best, and the messages around it as far as the page
// has room.

import type { MessageQuery, StoredMessage } from "../../storage/store.ts";
import type { RecallHit } from "../recall-api.ts";
import type { Found } from "./collect.ts";
import type { ReadHit } from "./read-hits.ts";
import { PAGE_BYTES, type Recall } from "./running.ts";

/** What a message around a hit costs beside its bytes. */
const CONTEXT_BYTES = 16;

/** Makes the hits of an answer, the best ones first to have the messages around them. */
export async function toHits(recall: Recall, found: Found): Promise<readonly RecallHit[]> {
  let room = PAGE_BYTES - found.hits.reduce((sum, { bytes }) => sum + bytes, 0);
  const hits: RecallHit[] = [];
  const { passagesOf } = recall.input;
  const hasPassage = ({ hit }: ReadHit): boolean => passagesOf?.has(hit.kind) ?? true;
  for (const read of found.hits) {
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
