// Lists of messages. Messages that a filter must look into are examined piece by piece, and other
// work gets its turn in between.

import { liveSession } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { sessionNotFound } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { ListTotal, MessagePage, StoredMessage } from "../../store/store.ts";
import type { Role, SeqRange } from "../../window/rules/types.ts";
import type { SessionRef } from "../rules/session.ts";

export interface ListMessagesInput extends SessionRef {
  readonly roles?: ReadonlySet<Role>;
  /** 0 means from the start. */
  readonly firstSeq: number;
  /** 0 means to the end. */
  readonly lastSeq: number;
  readonly order: "asc" | "desc";
  /** Empty means any. */
  readonly messageIds?: readonly string[];
  /** A pure test of what the fields above do not say. */
  readonly where?: (bytes: Uint8Array) => boolean;
  /** Start of the page: `next` of an earlier page. */
  readonly startSeq?: number;
  readonly limit: number;
  readonly includeTotal?: boolean;
}

/** A page of messages, and how many all pages have, if that was asked for. */
export interface ListedMessages extends MessagePage {
  readonly total: ListTotal | undefined;
}

/** Messages examined before other work gets its turn. */
const PIECE = 256;

/** Lists messages of a log. */
export async function listMessages(
  context: ServiceContext,
  call: Call,
  input: ListMessagesInput,
): Promise<ListedMessages> {
  checkLive(call.signal);
  const session = liveSession(context, await context.store.readSession(input));
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const { firstSeq, lastSeq, roles, messageIds = [], where } = input;
  const { lastSeq: newest, log } = session.head;
  const whole = {
    first: Math.max(1, firstSeq),
    last: lastSeq === 0 ? newest : Math.min(newest, lastSeq),
  };
  const isAll =
    firstSeq <= 1 && lastSeq === 0 && roles === undefined && where === undefined && !messageIds[0];
  const list = new MessageList(context, call, input);
  const page = await list.page(list.from(whole));
  if (input.includeTotal !== true) return { ...page, total: undefined };
  const total = isAll ? { count: log.messageCount, isAtLeast: false } : await list.count(whole);
  return { ...page, total };
}

/** The list that a call asks for. */
class MessageList {
  readonly #context: ServiceContext;
  readonly #call: Call;
  readonly #input: ListMessagesInput;

  constructor(context: ServiceContext, call: Call, input: ListMessagesInput) {
    this.#context = context;
    this.#call = call;
    this.#input = input;
  }

  /** The part of a range that is left from the start of the page on. */
  from({ first, last }: SeqRange): SeqRange {
    const { order, startSeq } = this.#input;
    if (startSeq === undefined) return { first, last };
    return order === "asc"
      ? { first: Math.max(first, startSeq), last }
      : { first, last: Math.min(last, startSeq) };
  }

  /** The messages of a range, as many as fit on a page. */
  async page(range: SeqRange): Promise<MessagePage> {
    const { limit, where } = this.#input;
    // Without a test the store looks at entries alone: that is done in one piece.
    const looks = where === undefined ? LIMITS.pageScan : PIECE;
    const messages: StoredMessage[] = [];
    let bytes = 0;
    let next: number | undefined;
    for await (const piece of this.#pieces(range, { limit, looks })) {
      next = piece.next;
      for (const message of piece.messages) {
        bytes += message.bytes.length;
        const isFull = messages.length >= limit || bytes > LIMITS.pageBytes;
        if (isFull && messages.length > 0) return { messages, next: message.seq };
        messages.push(message);
      }
      if (messages.length >= limit) break;
    }
    return { messages, next };
  }

  /** The number of messages of a range, as far as one page would examine it. */
  async count(range: SeqRange): Promise<ListTotal> {
    let count = 0;
    let isAtLeast = false;
    for await (const { messages, next } of this.#pieces(range, { limit: PIECE, looks: PIECE })) {
      count += messages.length;
      isAtLeast = next !== undefined;
    }
    return { count, isAtLeast };
  }

  /** Pieces of the list, until as much of it is examined as one page may. */
  async *#pieces(
    range: SeqRange,
    size: { readonly limit: number; readonly looks: number },
  ): AsyncGenerator<MessagePage> {
    const { messageIds = [], order, roles, where } = this.#input;
    let { first: firstSeq, last: lastSeq } = range;
    if (firstSeq > lastSeq) return;
    if (messageIds.length > 0) {
      yield { messages: await this.#named(range, messageIds), next: undefined };
      return;
    }
    for (let looked = 0; looked < LIMITS.pageScan; looked += size.looks) {
      const page = await this.#context.store.listMessages(this.#input, {
        ...{ firstSeq, lastSeq, order, ...size },
        ...(roles === undefined ? {} : { roles }),
        ...(where === undefined ? {} : { where }),
      });
      if (page === undefined) throw sessionNotFound(this.#input.sessionId);
      yield page;
      if (page.next === undefined) return;
      if (order === "asc") firstSeq = page.next;
      else lastSeq = page.next;
      await new Promise((resolve) => setImmediate(resolve));
      checkLive(this.#call.signal);
    }
  }

  /** The messages of a range with these ids, in the order of the list. */
  async #named(
    { first, last }: SeqRange,
    messageIds: readonly string[],
  ): Promise<readonly StoredMessage[]> {
    const { order, roles, where } = this.#input;
    const found: StoredMessage[] = [];
    for (const messageId of new Set(messageIds)) {
      const message = await this.#context.store.readMessage(this.#input, messageId);
      if (message === undefined || message.seq < first || message.seq > last) continue;
      if (roles?.has(message.role) === false || where?.(message.bytes) === false) continue;
      found.push(message);
    }
    return found.sort((a, b) => (order === "asc" ? a.seq - b.seq : b.seq - a.seq));
  }
}
