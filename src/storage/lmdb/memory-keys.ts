// The keys of memories and of jobs on them; which there are is told in keys.ts.

import { hash } from "node:crypto";

import { keyOfPromotion } from "../../domain/memories/text-key.ts";
import { afterPrefix, readU64, sized, TABLE, textPart, u64 } from "./keys.ts";

/** The bytes of a scope in a key. */
export const SCOPE_BYTES = 16;

/** What a term stands for: its first byte. */
export const TERM = {
  name: 1,
  subject: 2,
  pastSubject: 3,
  object: 4,
  key: 5,
  pastKey: 6,
  /** Texts: plus the number of their kind. */
  text: 16,
} as const;

/** Lies above the classes of tiers. */
const LOW = 16;

/** The bytes of a term: what it stands for, and 16 of a digest. */
export const TERM_BYTES = 17;

/** The place of a memory. */
export interface MemoryPlace {
  readonly logNo: number;
  readonly memoryNo: number;
}

/** The id of a scope as the bytes of a key, which are those of a text. */
export function scopePart(scopeId: string): string {
  return Buffer.from(scopeId, "hex").toString("latin1");
}

/** The scope id in bytes of a key. */
export function readScopePart(part: string): string {
  return Buffer.from(part, "latin1").toString("hex");
}

/** The term of a text of any length. */
export function termOf(what: number, text: string): string {
  return String.fromCharCode(what) + hash("sha256", text, "binary").slice(0, TERM_BYTES - 1);
}

/** The term of a text of a kind by its key, which is a digest already. */
export function textTerm(kindNo: number, textKey: string): string {
  return String.fromCharCode(TERM.text + kindNo) + scopePart(textKey);
}

const number = Buffer.alloc(8);

/** A number that is not negative as 8 bytes that compare like it. */
export function rankPart(rank: number): string {
  // Zero is added because the negative one would be the highest.
  number.writeDoubleBE(rank + 0);
  return number.toString("latin1");
}

export const memoriesKey = (namespace: string): string => TABLE.memories + textPart(namespace);
export const memoryPrefix = (logNo: number): string => TABLE.memory + u64(logNo);
export const memoryKey = (logNo: number, memoryNo: number): string =>
  memoryPrefix(logNo) + u64(memoryNo);
export const memoryIdPrefix = (logNo: number): string => TABLE.memoryId + u64(logNo);
export const memoryIdKey = (logNo: number, memoryId: string): string =>
  memoryIdPrefix(logNo) + textPart(memoryId);
export const memoryPastPrefix = (logNo: number, memoryNo: number): string =>
  TABLE.memoryPast + u64(logNo) + u64(memoryNo);
export const memoryPastKey = (logNo: number, memoryNo: number, version: number): string =>
  memoryPastPrefix(logNo, memoryNo) + u64(version);
export const memoryScopePrefix = (logNo: number): string => TABLE.memoryScope + u64(logNo);
export const memoryScopeKey = (logNo: number, scope: string): string =>
  memoryScopePrefix(logNo) + scope;
export const memoryInPrefix = (logNo: number, scope: string, kindNo: number, past: number) =>
  TABLE.memoryIn + u64(logNo) + scope + String.fromCharCode(kindNo * 2 + past);
export const memoryOfPrefix = (logNo: number, userId: string): string =>
  TABLE.memoryOf + u64(logNo) + sized(userId);
export const memoryTermPrefix = (logNo: number, scope: string, term: string): string =>
  TABLE.memoryTerm + u64(logNo) + scope + term;
/** Those of a tier that are ranked together. */
export interface RankClass {
  readonly tierNo: number;
  readonly persistent: number;
  readonly low: number;
}

export const memoryRankPrefix = (
  logNo: number,
  scope: string,
  { tierNo, persistent, low }: RankClass,
) =>
  TABLE.memoryRank + u64(logNo) + scope + String.fromCharCode(LOW * low + tierNo * 2 + persistent);
export const memoryEndKey = (ms: number, { logNo, memoryNo }: MemoryPlace): string =>
  TABLE.memoryEnd + u64(ms) + u64(logNo) + u64(memoryNo);
export const promotedKey = (logNo: number, scope: string, mark: string): string =>
  TABLE.promoted + u64(logNo) + scope + textPart(keyOfPromotion(mark));
export const promotedAtPrefix = (logNo: number, scope: string): string =>
  TABLE.promotedAt + u64(logNo) + scope;
export const memoryJobsKey = (namespace: string, sessionId: string): string =>
  TABLE.memoryJobs + sized(namespace) + textPart(sessionId);
export const memoryTaskPrefix = (namespace: string): string => TABLE.memoryTask + sized(namespace);
export const memoryDueKey = (ms: number, sessionNo: number, typeNo: number): string =>
  TABLE.memoryDue + u64(ms) + u64(sessionNo) + String.fromCharCode(typeNo);
export const memoryHeldKey = (namespace: string): string => TABLE.memoryHeld + textPart(namespace);
export const memoryHeldInPrefix = (logNo: number): string => TABLE.memoryHeldIn + u64(logNo);
export const memoryHeldInKey = (logNo: number, scope: string): string =>
  memoryHeldInPrefix(logNo) + scope;
export const memoryGonePrefix = (logNo: number): string => TABLE.memoryGone + u64(logNo);
export const memoryGoneKey = (logNo: number, memoryNo: number): string =>
  memoryGonePrefix(logNo) + u64(memoryNo);

/** Every key with a prefix that numbers follow: after one number, or below another. */
export function numbersUnder(
  prefix: string,
  bounds: { readonly after?: number; readonly below?: number },
): { readonly start: string; readonly end: string } {
  const { after = -1, below } = bounds;
  return {
    start: prefix + u64(after + 1),
    end: below === undefined ? afterPrefix(prefix) : prefix + u64(below),
  };
}

/** The number at the end of a key. */
export function lastNumber(key: string): number {
  return readU64(key, key.length - 8);
}
