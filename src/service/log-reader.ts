// Reads what the window rules need to know of a log, seq by seq, in either direction: whole blocks
// are read at once and the newest used ones are kept, without the messages themselves.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { SessionRef } from "../domain/session.ts";
import type { SeqRange, WindowFacts } from "../domain/window/types.ts";
import { checkLive } from "./change.ts";
import type { ServiceContext } from "./context.ts";

const BLOCK_SEQS = 256;
const BLOCKS_MAX = 64;
/** Other work runs after so many looks at what is read already. */
const TURN_LOOKS = 4_096;

/** What is known of a message of a log. */
export interface LogFacts extends WindowFacts {
  readonly seq: number;
  /** The size of the wire form. */
  readonly byteCount: number;
}

type Block = ReadonlyMap<number, LogFacts>;

/** Looks at single messages of a log. */
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

  /** The message at a seq; undefined for none. Throws DEADLINE_EXCEEDED when nobody waits. */
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

  /** Lets other work run. Throws DEADLINE_EXCEEDED when nobody waits any more. */
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
