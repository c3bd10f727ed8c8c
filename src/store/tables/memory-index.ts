// The row of a memory, and the keys under which its number stands. The row says what it is found
// by, so that the keys are known without its body, whoever made them.

import {
  MEMORY_KINDS,
  MEMORY_TIERS,
  type Memory,
  sessionsOfSource,
} from "../../memory/rules/memory.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import { u64 } from "../engine/keys.ts";
import { memoryFacts } from "../memory-facts.ts";
import {
  MEMORY_END,
  MEMORY_IN,
  MEMORY_OF,
  MEMORY_RANK,
  MEMORY_SOURCE,
  MEMORY_TERM,
  type MemoryPlace,
  type MemoryRow,
  rankClass,
  rankPart,
  scopePart,
  sourcePart,
  TERM,
  TERM_BYTES,
  termOf,
  textTerm,
} from "./memory-tables.ts";

/** The number of a kind in keys and records. */
export function kindNoOf(kind: Memory["kind"]): number {
  return MEMORY_KINDS.indexOf(kind) + 1;
}

/** The number of a tier in keys and records. */
export function tierNoOf(tier: (typeof MEMORY_TIERS)[number]): number {
  return MEMORY_TIERS.indexOf(tier) + 1;
}

/** Location of the body of a state. */
export type BodyPlace = Pick<MemoryRow, "bodyNo" | "byteCount" | "textNo">;

/** The row of a state of a memory. */
export function rowOf(memory: Memory, body: BodyPlace): MemoryRow {
  const facts = memoryFacts(memory);
  const { createMs, etagRevision, memoryId, version, strength, updateMs } = memory;
  const kindNo = kindNoOf(memory.kind);
  const { isActive } = facts;
  const terms = facts.nameKeys.map((name) => termOf(TERM.name, name));
  if (isActive) terms.push(textTerm(kindNo, facts.textKey));
  if (facts.key !== "") terms.push(termOf(isActive ? TERM.key : TERM.pastKey, facts.key));
  if (facts.subject !== undefined) {
    terms.push(termOf(isActive ? TERM.subject : TERM.pastSubject, facts.subject));
  }
  if (isActive && facts.object !== undefined) terms.push(termOf(TERM.object, facts.object));
  return {
    ...body,
    memoryId,
    scope: scopePart(facts.scopeId),
    kindNo,
    past: isActive ? 0 : 1,
    persistent: memory.persistent ? 1 : 0,
    low: memory.trust === TRUST.low ? 1 : 0,
    tierNo: tierNoOf(facts.tier),
    expireMs: facts.expireMs ?? 0,
    terms: terms.join(""),
    createMs,
    updateMs,
    version,
    etagRevision,
    mentionCount: strength.mentionCount,
    rank: facts.rank,
    confidence: strength.confidence,
    lastSeenMs: strength.lastSeenMs,
    decayMs: strength.decayMs,
  };
}

/** The keys under which a memory is listed; that of its end, which has a value, comes apart. */
export function listKeysOf(
  { logNo, memoryNo }: MemoryPlace,
  row: MemoryRow,
  userId: string,
): readonly string[] {
  const no = u64(memoryNo);
  const { kindNo, past, rank, scope, terms } = row;
  const keys = [
    MEMORY_IN.prefix(logNo, scope, kindNo * 2 + past) + no,
    MEMORY_RANK.prefix(logNo, scope, rankClass(row)) + rankPart(rank) + no,
    MEMORY_OF.prefix(logNo, userId) + no,
  ];
  for (let at = 0; at < terms.length; at += TERM_BYTES) {
    keys.push(MEMORY_TERM.prefix(logNo, scope, terms.slice(at, at + TERM_BYTES)) + no);
  }
  return keys;
}

/** The keys by which its messages find a memory. */
export function sourceKeysOf(
  { logNo, memoryNo }: MemoryPlace,
  source: Memory["source"],
): readonly string[] {
  const prefixes = sessionsOfSource(source).flatMap(({ sessionId, messageIds }) =>
    sessionId === ""
      ? []
      : messageIds.map((id) => MEMORY_SOURCE.prefix(logNo, sourcePart(sessionId, id))),
  );
  return [...new Set(prefixes)].map((prefix) => prefix + u64(memoryNo));
}

/** The key of the end of a memory; undefined when it lives for ever. */
export function endKeyOf(place: MemoryPlace, { expireMs }: MemoryRow): string | undefined {
  return expireMs === 0 ? undefined : MEMORY_END.key(expireMs, place.logNo, place.memoryNo);
}
