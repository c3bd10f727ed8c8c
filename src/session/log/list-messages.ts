// Lists of messages. Messages that a filter must look into are examined piece by piece, and other
// work gets its turn in between.

import { existingSession } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { sessionNotFound } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { ListTotal, MessagePage, StoredMessage } from "../../store/store.ts";
import type { Role, SeqRange } from "../../window/rules/types.ts";
import type { Session, SessionRef } from "../rules/session.ts";

/** Messages that a list means. */
export interface MessageChoice {
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
}

export interface ListMessagesInput extends SessionRef, MessageChoice {
  /** Start of the page: `next` of an earlier page. */
  readonly startSeq?: number;
  readonly limit: number;
  readonly includeTotal?: boolean;
}

/** A page of messages, and how many all pages have, if that was asked for. */
export interface ListedMessages extends MessagePage {
  readonly total: ListTotal | undefined;
}

/** The content of a page, and what it has examined, before the messages of a session. */
export interface PageUse {
  readonly count: number;
  readonly bytes: number;
  readonly looks: number;
}

const UNUSED: PageUse = { count: 0, bytes: 0, looks: 0 };

/** Messages examined before other work gets its turn. */
const PIECE = 256;

/** Lists messages of a log. */
export async function listMessages(
  context: ServiceContext,
  call: Call,
  input: ListMessagesInput,
): Promise<ListedMessages> {
  checkLive(call.signal);
  const session = await existingSession(context, input);
  const list = new MessageList(context, call, input);
  const { messages, next } = await list.page(session);
  const total = input.includeTotal === true ? await list.count(session) : undefined;
  return { messages, next, total };
}

/** A list of the messages of one session. */
export class MessageList {
  readonly #context: ServiceContext;
  readonly #call: Call;
  readonly #input: ListMessagesInput;

  constructor(context: ServiceContext, call: Call, input: ListMessagesInput) {
    this.#context = context;
    this.#call = call;
    this.#input = input;
  }

  /** The messages of a page that may hold some of other sessions already. */
  async page(session: Session, used = UNUSED): Promise<MessagePage & { readonly looks: number }> {
    const { limit, where } = this.#input;
    const room = limit - used.count;
    // Without a test the store looks at entries alone: that is done in one piece.
    const size = { limit: room, looks: where === undefined ? LIMITS.pageScan : PIECE };
    const messages: StoredMessage[] = [];
    let { bytes } = used;
    let looks = 0;
    let next: number | undefined;
    for await (const piece of this.#pieces(this.#left(session), size, used.looks)) {
      next = piece.next;
      looks += piece.looks;
      for (const message of piece.messages) {
        bytes += message.bytes.length;
        const isFull = messages.length >= room || bytes > LIMITS.pageBytes;
        if (isFull && used.count + messages.length > 0) {
          return { messages, next: message.seq, looks };
        }
        messages.push(message);
      }
      if (messages.length >= room) break;
    }
    return { messages, next, looks };
  }

  /** The number of messages of a session, as far as one page would examine them. */
  async count(session: Session, used = 0): Promise<ListTotal & { readonly looks: number }> {
    if (this.#isAll) return { count: session.head.log.messageCount, isAtLeast: false, looks: 0 };
    let count = 0;
    let looks = 0;
    let isAtLeast = false;
    const size = { limit: PIECE, looks: PIECE };
    for await (const piece of this.#pieces(this.#whole(session), size, used)) {
      count += piece.messages.length;
      looks += piece.looks;
      isAtLeast = piece.next !== undefined;
    }
    return { count, isAtLeast, looks };
  }

  /** The list holds every message. */
  get #isAll(): boolean {
    const { firstSeq, lastSeq, roles, where, messageIds = [] } = this.#input;
    const isWhole = firstSeq <= 1 && lastSeq === 0;
    return isWhole && roles === undefined && where === undefined && messageIds.length === 0;
  }

  #whole({ head: { lastSeq: newest } }: Session): SeqRange {
    const { firstSeq, lastSeq } = this.#input;
    return {
      first: Math.max(1, firstSeq),
      last: lastSeq === 0 ? newest : Math.min(newest, lastSeq),
    };
  }

  /** The part of a session that is left from the start of the page on. */
  #left(session: Session): SeqRange {
    const { order, startSeq } = this.#input;
    const { first, last } = this.#whole(session);
    if (startSeq === undefined) return { first, last };
    return order === "asc"
      ? { first: Math.max(first, startSeq), last }
      : { first, last: Math.min(last, startSeq) };
  }

  /** Pieces of a range, until a page that has examined so many has examined as many as it may. */
  async *#pieces(
    range: SeqRange,
    size: { readonly limit: number; readonly looks: number },
    used: number,
  ): AsyncGenerator<MessagePage & { readonly looks: number }> {
    const { messageIds = [], order, roles, where } = this.#input;
    let { first: firstSeq, last: lastSeq } = range;
    if (firstSeq > lastSeq) return;
    if (messageIds.length > 0) {
      const messages = await this.#named(range, messageIds);
      yield { messages, next: undefined, looks: messageIds.length };
      return;
    }
    for (let looked = used; looked < LIMITS.pageScan; looked += size.looks) {
      const page = await this.#context.store.listMessages(this.#input, {
        ...{ firstSeq, lastSeq, order, limit: size.limit },
        looks: Math.min(size.looks, LIMITS.pageScan - looked),
        ...(roles === undefined ? {} : { roles }),
        ...(where === undefined ? {} : { where }),
      });
      if (page === undefined) throw sessionNotFound(this.#input.sessionId);
      const { next } = page;
      const left = next ?? (order === "asc" ? lastSeq + 1 : firstSeq - 1);
      const looks = order === "asc" ? left - firstSeq : lastSeq - left;
      yield { ...page, looks: Math.min(looks, size.looks) };
      if (next === undefined) return;
      if (order === "asc") firstSeq = next;
      else lastSeq = next;
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
