// Lists of the messages of several sessions, one session after the other: of those that are named,
// in that order, or of those that a filter means, in the order of their creation. A place in such a
// list is a session and a seq of it. A session that is gone has no messages.

import { liveSession } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { undefinedFor } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { FoundMessage, ListTotal, SessionQuery } from "../../store/store.ts";
import type { Session } from "../rules/session.ts";
import { type MessageChoice, MessageList, type PageUse } from "./list-messages.ts";

/** The conditions on sessions of a filter. */
export type SessionsFilter = Omit<
  SessionQuery,
  "namespace" | "by" | "order" | "after" | "limit" | "nowMs"
>;

export interface ListSeveralInput extends MessageChoice {
  readonly namespace: string;
  readonly sessions: { readonly ids: readonly string[] } | { readonly filter: SessionsFilter };
  /** Start of the page: `next` of an earlier page. */
  readonly start?: SeveralPlace;
  readonly limit: number;
  readonly includeTotal?: boolean;
}

/** A place in the list: the session, and the message of it that comes first. */
export interface SeveralPlace {
  /** The index of the session among those named, or its number. */
  readonly no: number;
  /** Tells the session from another one of its name, which is listed from its beginning. */
  readonly mark: number;
  /** 0 is the beginning. */
  readonly seq: number;
}

export interface ListedSeveral {
  readonly messages: readonly FoundMessage[];
  /** Undefined at the end. */
  readonly next: SeveralPlace | undefined;
  readonly total: ListTotal | undefined;
}

/** Lists messages of several logs. */
export async function listSeveral(
  context: ServiceContext,
  call: Call,
  input: ListSeveralInput,
): Promise<ListedSeveral> {
  checkLive(call.signal);
  const list = new SeveralList(context, call, input);
  const page = await list.page();
  const total = input.includeTotal === true ? await list.count() : undefined;
  return { ...page, total };
}

/** A session of the list; without one the place is empty. */
interface ListedSession {
  readonly no: number;
  readonly session: Session | undefined;
  /** The search for sessions has come to its bound here. */
  readonly isBound?: boolean;
}

/** Reads of a session that is gone give nothing. */
const IF_GONE = undefinedFor("SESSION_NOT_FOUND");

/** The beginning of a session, whichever it is. */
const BEGINNING = { mark: 0, seq: 0 } as const;

/** A whole number, whatever time an import brought. */
function markOf({ fields: { createMs } }: Session): number {
  return Math.abs(Math.trunc(createMs));
}

/** Sessions that are read at a time: few at first, since a page may be full soon. */
const SESSIONS_FIRST = 16;
const SESSIONS_MOST = 1_000;
/** Sessions passed over before other work gets its turn. */
const SESSIONS_IN_TURN = 128;

class SeveralList {
  readonly #context: ServiceContext;
  readonly #call: Call;
  readonly #input: ListSeveralInput;

  constructor(context: ServiceContext, call: Call, input: ListSeveralInput) {
    this.#context = context;
    this.#call = call;
    this.#input = input;
  }

  async page(): Promise<Omit<ListedSeveral, "total">> {
    const { limit, start } = this.#input;
    const messages: FoundMessage[] = [];
    let used: PageUse = { count: 0, bytes: 0, looks: 0 };
    for await (const { no, session, isBound } of this.#sessions(start?.no)) {
      const isFull = messages.length >= limit || used.looks >= LIMITS.pageScan;
      if (isBound === true || isFull) return { messages, next: { no, ...BEGINNING } };
      if (session === undefined || session.head.log.messageCount === 0) {
        used = { ...used, looks: used.looks + 1 };
        continue;
      }
      const mark = markOf(session);
      const isStart = no === start?.no && mark === start.mark && start.seq > 0;
      const page = await this.#pageOf(session, isStart ? start.seq : undefined, used);
      const { sessionId } = session;
      messages.push(...page.messages.map((message) => ({ ...message, sessionId })));
      used = {
        count: messages.length,
        bytes: page.messages.reduce((sum, { bytes }) => sum + bytes.length, used.bytes),
        looks: used.looks + 1 + page.looks,
      };
      if (page.next !== undefined) return { messages, next: { no, mark, seq: page.next } };
    }
    return { messages, next: undefined };
  }

  /** The number of messages on all pages, as far as one page would examine them. */
  async count(): Promise<ListTotal> {
    let count = 0;
    let looks = 0;
    for await (const { session, isBound } of this.#sessions(undefined)) {
      if (isBound === true || looks >= LIMITS.pageScan) return { count, isAtLeast: true };
      const part = session && (await this.#listOf(session).count(session, looks).catch(IF_GONE));
      count += part?.count ?? 0;
      looks += 1 + (part?.looks ?? 0);
      if (part?.isAtLeast === true) return { count, isAtLeast: true };
    }
    return { count, isAtLeast: false };
  }

  async #pageOf(session: Session, startSeq: number | undefined, used: PageUse) {
    const page = await this.#listOf(session, startSeq).page(session, used).catch(IF_GONE);
    const after = await this.#context.store.readSession(session);
    // A session that was deleted may have been made again meanwhile, for somebody else.
    const isSame = after?.fields.createMs === session.fields.createMs;
    return page !== undefined && isSame ? page : { messages: [], next: undefined, looks: 0 };
  }

  #listOf({ sessionId }: Session, startSeq?: number): MessageList {
    const start = startSeq === undefined ? {} : { startSeq };
    return new MessageList(this.#context, this.#call, { ...this.#input, sessionId, ...start });
  }

  /** The sessions of the list, from one on. */
  async *#sessions(from: number | undefined): AsyncGenerator<ListedSession> {
    const { sessions, order } = this.#input;
    let passed = 0;
    const listed =
      "ids" in sessions
        ? this.#named(sessions.ids, from)
        : this.#filtered({ ...sessions.filter, order }, from);
    for await (const one of listed) {
      yield one;
      passed += 1;
      if (passed % SESSIONS_IN_TURN !== 0) continue;
      await new Promise((resolve) => setImmediate(resolve));
      checkLive(this.#call.signal);
    }
  }

  async *#named(ids: readonly string[], from = 0): AsyncGenerator<ListedSession> {
    const { namespace } = this.#input;
    for (const [at, sessionId] of ids.slice(from).entries()) {
      const stored = await this.#context.store.readSession({ namespace, sessionId });
      yield { no: from + at, session: liveSession(this.#context, stored) };
    }
  }

  async *#filtered(
    filter: SessionsFilter & Pick<SessionQuery, "order">,
    from: number | undefined,
  ): AsyncGenerator<ListedSession> {
    const { store, world } = this.#context;
    const step = filter.order === "asc" ? 1 : -1;
    const placeOf = (no: number) => ({ sessionNo: no, updateMs: 0 });
    let after = from === undefined ? undefined : placeOf(from - step);
    for (let limit = SESSIONS_FIRST; ; limit = Math.min(SESSIONS_MOST, limit * 2)) {
      const page = await store.listSessions({
        ...{ ...filter, namespace: this.#input.namespace, by: "create", limit },
        nowMs: world.nowMs(),
        ...(after === undefined ? {} : { after }),
      });
      for (const [at, session] of page.sessions.entries()) {
        yield { no: page.places[at]?.sessionNo ?? 0, session };
      }
      after = page.next;
      if (after === undefined) return;
      // A page that is not full has examined as many sessions as it may.
      if (page.sessions.length === limit) continue;
      yield { no: after.sessionNo + step, session: undefined, isBound: true };
      return;
    }
  }
}
