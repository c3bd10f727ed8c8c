// Reads what the window rules need to know of a log, seq by seq, in either direction: whole blocks
// are read at once and the newest used ones are kept, without the messages themselves.

import { setImmediate as nextTurn } from "node:timers/promises";
import { checkLive } from "../kit/call.ts";
import type { SessionRef } from "../session/rules/session.ts";
import { holdsResults } from "../window/rules/groups.ts";
import { ROLE, type SeqRange, type WindowFacts } from "../window/rules/types.ts";
import type { ServiceContext } from "./context.ts";

const BLOCK_SEQS = 256;
const BLOCKS_MAX = 64;
/** Other work runs after so many reads of loaded blocks. */
const TURN_LOOKS = 4_096;

/** Facts of a message in a log. */
export interface LogFacts extends WindowFacts {
  readonly seq: number;
  /** The size of the wire form. */
  readonly byteCount: number;
}

type Block = ReadonlyMap<number, LogFacts>;

/** Reads single messages of a log. */
export class LogReader {
  readonly #context: ServiceContext;
  readonly #ref: SessionRef;
  readonly #signal: AbortSignal;
  readonly #blocks = new Map<number, Block>();
  #looks = 0;

  constructor(context: ServiceContext, ref: SessionRef, signal: AbortSignal) {
    this.#context = context;
    this.#ref = ref;
    this.#signal = signal;
  }

  /** The message at a seq; undefined for none. Throws DEADLINE_EXCEEDED when the call has ended. */
  async at(seq: number): Promise<LogFacts | undefined> {
    this.#looks += 1;
    if (this.#looks % TURN_LOOKS === 0) await this.#takeTurns();
    const number = Math.floor((seq - 1) / BLOCK_SEQS);
    let block = this.#blocks.get(number);
    if (block === undefined) {
      block = await this.#load(number);
      if (this.#blocks.size >= BLOCKS_MAX) {
        const [oldest] = this.#blocks.keys();
        if (oldest !== undefined) this.#blocks.delete(oldest);
      }
    } else this.#blocks.delete(number);
    this.#blocks.set(number, block);
    return block.get(seq);
  }

  /** The existing messages of a run, by rising seq. */
  async *existing(run: SeqRange): AsyncGenerator<LogFacts> {
    for (let seq: number | undefined = run.first; seq !== undefined && seq <= run.last; ) {
      const page = await this.#page({ first: seq, last: run.last });
      yield* page.messages;
      seq = page.next;
    }
  }

  async #load(number: number): Promise<Block> {
    const block = new Map<number, LogFacts>();
    const run = { first: number * BLOCK_SEQS + 1, last: (number + 1) * BLOCK_SEQS };
    for await (const facts of this.existing(run)) block.set(facts.seq, facts);
    return block;
  }

  /** Lets other work run. Throws DEADLINE_EXCEEDED when the call has ended. */
  async #takeTurns(): Promise<void> {
    await nextTurn();
    checkLive(this.#signal);
  }

  async #page({ first, last }: SeqRange): Promise<{
    readonly messages: readonly LogFacts[];
    readonly next: number | undefined;
  }> {
    await this.#takeTurns();
    const query = { firstSeq: first, lastSeq: last, order: "asc", limit: BLOCK_SEQS } as const;
    const page = await this.#context.store.listMessages(this.#ref, query);
    const messages = (page?.messages ?? []).map(({ seq, bytes }) => ({
      ...this.#context.codec.readFacts(bytes),
      seq,
      byteCount: bytes.length,
    }));
    return { messages, next: page?.next };
  }
}

// Finds the messages of a log that belong to the same tool calls as some others: what must enter a
// window together. Results normally follow their call directly; further away they are looked for
// within a bound.

/** A log whose messages can be looked at. */
type Log = Pick<LogReader, "at">;

/** Distance in seqs within which the partners of a message are looked up. */
export const PARTNER_DISTANCE = 10_000;
/** Distance in seqs behind the last result of an answered call to look for a second one. */
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
