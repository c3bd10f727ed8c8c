// Finds the messages of a log that belong to the same tool calls as some others: what must enter a
// window together. Results normally follow their call directly; further away they are looked for
// within a bound.

import { holdsResults } from "../domain/window/pairing.ts";
import { ROLE } from "../domain/window/types.ts";
import type { LogFacts, LogReader } from "./log-reader.ts";

/** A log whose messages can be looked at. */
type Log = Pick<LogReader, "at">;

/** How many seqs away from a message its partners are looked for. */
export const PARTNER_DISTANCE = 10_000;
/** How many seqs behind the last result of an answered call a second one is looked for. */
const REPEAT_DISTANCE = 256;

/**
 * Gives the messages that share tool calls with some others, directly or through each other, by
 * rising seq and without those given. A result answers the nearest call of its id before it.
 */
export async function findPartners(
  log: Log,
  seeds: readonly LogFacts[],
  lastSeq: number,
): Promise<readonly LogFacts[]> {
  const found = new Map(seeds.map((seed) => [seed.seq, seed]));
  const open = [...seeds];
  for (let facts = open.pop(); facts !== undefined; facts = open.pop()) {
    const near = [...(await resultsOf(log, facts, lastSeq)), ...(await callsOf(log, facts))];
    for (const partner of near) {
      if (found.has(partner.seq)) continue;
      found.set(partner.seq, partner);
      open.push(partner);
    }
  }
  for (const { seq } of seeds) found.delete(seq);
  return [...found.values()].sort((a, b) => a.seq - b.seq);
}

/**
 * Gives the messages that stand in one run with some others: a message that makes calls and the
 * tool results directly behind it, as adjacent tool pairs do. By rising seq, without those given.
 */
export async function findNeighbors(
  log: Log,
  seeds: readonly LogFacts[],
  lastSeq: number,
): Promise<readonly LogFacts[]> {
  const given = new Set(seeds.map(({ seq }) => seq));
  const found: LogFacts[] = [];
  // By rising seq, so that no run is walked through twice: a result of which the message before
  // was looked at belongs to the same call as that one, or to none.
  const looked = new Set<number>();
  for (const seed of seeds.toSorted((a, b) => a.seq - b.seq)) {
    if (looked.has(seed.seq)) continue;
    const call = await callBefore(log, seed, looked);
    const run = call === undefined ? [seed] : [call, ...(await runBehind(log, call, lastSeq))];
    for (const one of run) {
      looked.add(one.seq);
      if (!given.has(one.seq)) found.push(one);
    }
  }
  return found;
}

/** Whether a message belongs to the calls that it may stand behind. */
function isBehind(facts: LogFacts): boolean {
  return holdsResults(facts) && !makesCalls(facts);
}

/** The message with calls whose run holds a message; none once it meets what was looked at. */
async function callBefore(
  log: Log,
  facts: LogFacts,
  looked: ReadonlySet<number>,
): Promise<LogFacts | undefined> {
  let head: LogFacts | undefined = facts;
  const end = Math.max(1, facts.seq - PARTNER_DISTANCE);
  for (let seq = facts.seq - 1; head === undefined || isBehind(head); seq--) {
    if (seq < end || looked.has(seq)) return undefined;
    head = await log.at(seq);
  }
  return makesCalls(head) ? head : undefined;
}

/** The messages with tool results directly behind a call. */
async function runBehind(log: Log, call: LogFacts, lastSeq: number): Promise<LogFacts[]> {
  const results: LogFacts[] = [];
  const end = Math.min(lastSeq, call.seq + PARTNER_DISTANCE);
  for (let seq = call.seq + 1; seq <= end; seq++) {
    const facts = await log.at(seq);
    if (facts === undefined) continue;
    if (!isBehind(facts)) break;
    results.push(facts);
  }
  return results;
}

function makesCalls(facts: LogFacts): boolean {
  return facts.role === ROLE.assistant && facts.callIds.length > 0;
}

/** A tool message that does not say which call it answers. */
function isNameless(facts: LogFacts): boolean {
  return facts.role === ROLE.tool && facts.answers.length === 0;
}

/** The results of the calls that a message makes. */
async function resultsOf(log: Log, call: LogFacts, lastSeq: number): Promise<LogFacts[]> {
  if (!makesCalls(call)) return [];
  const results: LogFacts[] = [];
  const ids = new Set(call.callIds);
  const waiting = new Set(call.callIds);
  let adjacent = true;
  let nameless = 0;
  let lastSeen = call.seq;
  const end = Math.min(lastSeq, call.seq + PARTNER_DISTANCE);
  for (let seq = call.seq + 1; seq <= end && ids.size > 0; seq++) {
    const facts = await log.at(seq);
    if (facts === undefined) continue;
    const answers = facts.answers.filter((id) => ids.has(id));
    const isNext = adjacent && isNameless(facts);
    if (isNext) nameless++;
    if (isNext || answers.length > 0) {
      results.push(facts);
      lastSeen = seq;
    }
    for (const id of answers) waiting.delete(id);
    if (!facts.isResult) adjacent = false;
    if (makesCalls(facts)) {
      // From here on the id stands for the newer call.
      for (const id of facts.callIds) {
        ids.delete(id);
        waiting.delete(id);
      }
    }
    if (waiting.size <= nameless && seq - lastSeen >= REPEAT_DISTANCE) break;
  }
  return results;
}

/** The messages that make the calls which a message answers. */
async function callsOf(log: Log, result: LogFacts): Promise<LogFacts[]> {
  const calls: LogFacts[] = [];
  const ids = new Set(result.answers);
  let nameless = isNameless(result);
  const end = Math.max(1, result.seq - PARTNER_DISTANCE);
  for (let seq = result.seq - 1; seq >= end && (ids.size > 0 || nameless); seq--) {
    const facts = await log.at(seq);
    if (facts === undefined) continue;
    const answered = makesCalls(facts) ? facts.callIds.filter((id) => ids.has(id)) : [];
    if (answered.length > 0 || (nameless && makesCalls(facts))) calls.push(facts);
    for (const id of answered) ids.delete(id);
    if (!facts.isResult) nameless = false;
  }
  return calls;
}
