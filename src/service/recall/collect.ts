// Takes hits from the index until a page is full. What the store does not have any more is passed
// over, and the next ones take its place.

import type { IndexAnswer, IndexHit } from "../../recall/port.ts";
import type { RecallResult } from "../recall-api.ts";
import type { ReadHit } from "./read-hits.ts";
import { askIndex, PAGE_BYTES, type Recall } from "./running.ts";

/** Which part of a list is asked for. */
export interface Place {
  readonly offset: number;
  readonly limit: number;
}

/** The hits of a page. */
export interface Found {
  readonly hits: readonly (ReadHit & { readonly rerankScore?: number })[];
  readonly groups: RecallResult["groups"];
  /** Where the next page starts; undefined at the end. */
  readonly next: number | undefined;
  readonly answer: IndexAnswer;
  readonly rerank: "used" | "off" | "unavailable";
}

/** Takes single hits. */
export async function collectHits(recall: Recall, place: Place): Promise<Found> {
  const hits: ReadHit[] = [];
  let bytes = 0;
  let at = place.offset;
  for (;;) {
    const answer = await askIndex(recall, { offset: at, limit: place.limit - hits.length });
    for (const hit of answer.hits) {
      const read = await recall.reader.read(hit);
      if (read !== undefined && hits.length > 0 && bytes + read.bytes > PAGE_BYTES) {
        return { hits, groups: [], next: at, answer, rerank: "off" };
      }
      at += 1;
      if (read === undefined) continue;
      hits.push(read);
      bytes += read.bytes;
    }
    const isFull = hits.length >= place.limit;
    if (isFull || !answer.more || answer.hits.length === 0) {
      return { hits, groups: [], next: answer.more ? at : undefined, answer, rerank: "off" };
    }
  }
}

/** Takes groups with their hits. */
export async function collectGroups(recall: Recall, place: Place): Promise<Found> {
  const hits: ReadHit[] = [];
  const groups: RecallResult["groups"][number][] = [];
  let bytes = 0;
  let at = place.offset;
  for (;;) {
    const answer = await askIndex(recall, { offset: at, limit: place.limit - groups.length });
    let first = 0;
    for (const group of answer.groups) {
      const own = answer.hits.slice(first, first + group.hitCount);
      first += group.hitCount;
      const room = PAGE_BYTES - bytes;
      const read = await readGroup(recall, own, room);
      if (groups.length > 0 && read.isCut) {
        return { hits, groups, next: at, answer, rerank: "off" };
      }
      at += 1;
      if (read.hits.length === 0) continue;
      hits.push(...read.hits);
      bytes += read.bytes;
      const { kind, id, score } = group;
      groups.push({ kind, id, score, hitCount: read.hits.length });
    }
    const isFull = groups.length >= place.limit;
    if (isFull || !answer.more || answer.groups.length === 0) {
      return { hits, groups, next: answer.more ? at : undefined, answer, rerank: "off" };
    }
  }
}

/** Reads the hits of a group as far as there is room; the first one is always taken. */
async function readGroup(
  recall: Recall,
  own: readonly IndexHit[],
  room: number,
): Promise<{ hits: ReadHit[]; bytes: number; isCut: boolean }> {
  const hits: ReadHit[] = [];
  let bytes = 0;
  for (const hit of own) {
    const read = await recall.reader.read(hit);
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
