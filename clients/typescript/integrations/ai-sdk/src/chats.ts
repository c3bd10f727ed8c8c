// A store for the chats of the AI SDK.

import type {
  MemorySidecar,
  Message,
  ScopeInput,
  Session,
  SessionFields,
} from "@memory-sidecar/client";
import {
  attempt,
  BATCH_BYTES,
  batchesOf,
  digestOf,
  isName,
  MAX_PAYLOAD_BYTES,
  MAX_UPLOADS,
  passOver,
  write,
} from "@memory-sidecar/client/adapters";
import type { UIMessage } from "ai";
import { assembled } from "./assemble.ts";
import { type Fragment, fragmentOf, type Kept, type Saved, toFragments } from "./fragments.ts";
import { LargeFragments } from "./large.ts";
import { followed, type Merged, merged } from "./merge.ts";

const PAGE = 1_000;
/** The newest messages of the log, among which the end of what is stored is nearly always. */
const NEWEST_PAGE = 10;
const LIMITS = { messages: 1_000, bytes: BATCH_BYTES, records: MAX_UPLOADS };
const MAX_CHAT_ID_BYTES = 512;
const OVERHEAD_BYTES = 1_024;

/** Fields of the sessions that a store creates for its chats. */
export type ChatAttributes = Pick<
  SessionFields,
  "agentId" | "labels" | "memoryPolicy" | "metadata" | "policy" | "ttlMs" | "userId"
>;

/** Options of loading a chat. */
export interface LoadChatOptions {
  /**
   * Gives the chat's window instead of its whole log: what fits the policy, with tool calls and
   * their results whole, and the summary of what left it. Default false.
   */
  readonly window?: boolean | undefined;
}

/** A chat to save. */
export interface SaveChatOptions<Chat extends UIMessage = UIMessage> {
  readonly chatId: string;
  readonly messages: readonly Chat[];
  /**
   * Erases whatever the messages lack, also messages of other clients and those outside the
   * window. Default false: a save that would erase such messages is refused.
   */
  readonly replace?: boolean | undefined;
}

/** The part of what is stored that the messages to save begin with. */
interface Common {
  /** Number of messages that are stored already. */
  readonly count: number;
  /** The first message of the log that has to go; undefined if there is none. */
  readonly fromSeq: number | undefined;
  /** The messages that have to go, in their order. */
  readonly removed: readonly Message[];
}

/**
 * Keeps the chats of the AI SDK in Memory Sidecar.
 *
 * A chat is a session of the server, with the id of the chat. Its messages come back byte for byte
 * as they were saved. A store with a `userId` sees the chats of this user only. The client stays
 * the caller's: the store never closes it.
 */
export class SidecarChatStore<Chat extends UIMessage = UIMessage> {
  readonly client: MemorySidecar;
  readonly #attributes: ChatAttributes;

  constructor(client: MemorySidecar, attributes: ChatAttributes = {}) {
    this.client = client;
    this.#attributes = attributes;
  }

  /** Gives the messages of a chat, oldest first; none for a chat that was never saved. */
  async loadChat(chatId: string, { window = false }: LoadChatOptions = {}): Promise<Chat[]> {
    const reading = this.#read(chatId, window);
    return (await reading.catch(passOver("SESSION_NOT_FOUND"))) ?? [];
  }

  /**
   * Makes these the messages of a chat. What is stored already stays; what has changed since, as
   * after an edit or a new answer, is replaced from there on, in one transaction. Messages that
   * begin with a window go on after the log, which stays whole. Save once, at the end of the turn.
   * Of two savers at once, the later one decides.
   */
  async saveChat(chat: SaveChatOptions<Chat>): Promise<void> {
    const { chatId, messages, replace = false } = chat;
    if (!isName(chatId, MAX_CHAT_ID_BYTES)) {
      const size = `1 to ${MAX_CHAT_ID_BYTES} bytes, this one has ${Buffer.byteLength(chatId)}`;
      const text = "control characters and lone surrogates are not allowed";
      throw new RangeError(`chatId takes ${size}; ${text}`);
    }
    // As their JSON says them, and as they are now.
    const given = messages.map((message) => JSON.parse(JSON.stringify(message)) as UIMessage);
    for (let isSaved = false; !isSaved; ) isSaved = await this.#save(chatId, given, replace);
  }

  /** Deletes a chat, for good, and records that are left of one whose session is gone. */
  async deleteChat(chatId: string): Promise<void> {
    const large = this.#large(chatId);
    const records = await large.all();
    const session = await this.#session(chatId);
    if (session !== undefined && !this.#owns(session)) return;
    await this.client.deleteSession(chatId, { allowMissing: true });
    // A save before the deletion may have put more; those of a chat made since stay.
    const left = await large.all();
    const isGone = (await this.#session(chatId)) === undefined;
    await large.delete(isGone ? left : records);
  }

  /** Saves on top of what is stored now. Returns false if another saver came first. */
  async #save(chatId: string, given: readonly UIMessage[], replace: boolean): Promise<boolean> {
    const session = await this.#session(chatId);
    if (session !== undefined && !this.#owns(session)) {
      throw new Error(`the chat "${chatId}" is not of this user: choose another chatId`);
    }
    let saved = chained(given);
    let common = await this.#common(chatId, saved, session);
    if (common.fromSeq !== undefined && !replace) {
      const { hidden, messages } = await this.#merged(chatId, given, session);
      saved = chained(messages);
      common = await this.#common(chatId, saved, session);
      refuseLoss(chatId, common.removed, hidden);
    }
    const { count, fromSeq, removed } = common;
    const units = saved.slice(count).map(toFragments);
    this.#refuseExpiry(chatId, units.flat(), session);
    const large = this.#large(chatId);
    const owner = this.#ownerOf(chatId, session);
    const old = await large.records(removed);
    const batches = [...batchesOf(units, costOf, LIMITS)].map((batch) => batch.flat());
    let lastSeq = session?.lastSeq ?? 0;
    try {
      if (fromSeq !== undefined) {
        const options = { expectedLastSeq: lastSeq };
        const batch = batches.shift() ?? [];
        await write(this.client, await large.puts(batch, owner));
        const messages = batch.map(({ message }) => message);
        const answer = await this.client.replaceMessages(chatId, fromSeq, messages, options);
        lastSeq = answer.lastSeq;
        await large.delete(old, units.flat());
      }
      const isAnswered = saved.at(-1)?.message.role === "assistant";
      const isChanged = fromSeq !== undefined || batches.length > 0;
      // A replacement cannot end a turn; an append of nothing can.
      if (isAnswered && isChanged && batches.length === 0) batches.push([]);
      for (const [index, batch] of batches.entries()) {
        const turnEnd = isAnswered && index === batches.length - 1;
        const puts = await large.puts(batch, owner);
        const messages = batch.map(({ message }) => message);
        const made = { createSession: true, session: this.#attributes };
        const options = { ...made, turnEnd, expectedLastSeq: lastSeq };
        const answer = await attempt(this.client, puts, (recordOperations) =>
          this.client.append(chatId, messages, { ...options, recordOperations }),
        );
        if (answer === undefined) return false;
        lastSeq = answer.lastSeq;
      }
    } catch (error) {
      passOver("LAST_SEQ_MISMATCH", "SESSION_NOT_FOUND")(error);
      return false;
    }
    return true;
  }

  /** Compares with what is stored, from its end: a digest stands for a message and all before. */
  async #common(chatId: string, saved: readonly Saved[], session?: Session): Promise<Common> {
    const counts = new Map(saved.map(({ chain }, index) => [chain, index + 1]));
    if (session === undefined) return { count: 0, fromSeq: undefined, removed: [] };
    const tail: Message[] = [];
    let before = 0;
    for await (const message of this.#newestFirst(chatId)) {
      const fragment = fragmentOf(message);
      before = (fragment?.last && counts.get(fragment.chain)) ?? 0;
      if (before > 0) break;
      tail.push(message);
    }
    tail.reverse();
    const { count, fromSeq } = followed(saved, before, tail);
    const removed = tail.filter(({ seq }) => fromSeq !== undefined && seq >= fromSeq);
    return { count, fromSeq, removed };
  }

  /** Lists the log from its end: a small page, which is nearly always enough, then large ones. */
  async *#newestFirst(chatId: string): AsyncGenerator<Message> {
    const order = "newest-first" as const;
    let count = 0;
    let lastSeq: number | undefined;
    for await (const one of this.client.listMessages(chatId, { order, pageSize: NEWEST_PAGE })) {
      lastSeq = one.seq - 1;
      yield one;
      count += 1;
      if (count === NEWEST_PAGE) break;
    }
    if (count < NEWEST_PAGE || !lastSeq) return;
    yield* this.client.listMessages(chatId, { order, pageSize: PAGE, lastSeq });
  }

  /** Puts the messages of the log that a window lacks into messages that begin with the window. */
  async #merged(
    chatId: string,
    messages: readonly UIMessage[],
    session: Session | undefined,
  ): Promise<Merged> {
    const window = await this.client.window(chatId);
    // The server made some, or they are shown without what their records hold.
    const isChanged = window.messages.some((message) => {
      return message.seq === 0 || fragmentOf(message)?.record !== undefined;
    });
    const { outsideSeqRanges, shortenedMessageIds } = window;
    if (!isChanged && outsideSeqRanges.length === 0 && shortenedMessageIds.length === 0) {
      return { messages, hidden: new Set() };
    }
    const log = await this.#log(chatId);
    const large = new Map(await this.#fragments([...log, ...window.messages], session));
    for (const message of log) {
      const named = fragmentOf(message);
      // A message whose record is gone equals none of those to save.
      if (named?.record !== undefined && !large.has(named.record))
        large.set(named.record, { ...named, message: {}, parts: [] });
    }
    return merged(messages, { log, window, large });
  }

  /** Reads a chat or its window; once more if it changed while it was read. */
  async #read(chatId: string, isWindow: boolean): Promise<Chat[]> {
    for (let before = await this.#session(chatId); this.#owns(before); ) {
      const messages = isWindow
        ? (await this.client.window(chatId)).messages
        : await this.#log(chatId);
      const large = await this.#fragments(messages, before);
      const after = await this.#session(chatId);
      if (after?.revision === before.revision) {
        return assembled(messages, { isWindow, large }).map(({ message }) => message as Chat);
      }
      before = after;
    }
    return [];
  }

  async #log(chatId: string): Promise<Message[]> {
    const found: Message[] = [];
    for await (const one of this.client.listMessages(chatId, { pageSize: PAGE })) found.push(one);
    return found;
  }

  /** Gets the large fragments that messages of a session name. */
  async #fragments(messages: readonly Message[], session: Session | undefined) {
    if (session === undefined) return new Map<string, Fragment>();
    const { sessionId } = session;
    const owner = this.#ownerOf(sessionId, session);
    return await this.#large(sessionId).get(messages, { session, owner });
  }

  #large(chatId: string): LargeFragments {
    return new LargeFragments(this.client, chatId);
  }

  /** The owner of the records of a chat: an erasure that takes the session takes them, too. */
  #ownerOf(chatId: string, session: Session | undefined): ScopeInput {
    const { agentId, userId } = session ?? this.#attributes;
    return { userId: userId || undefined, agentId: agentId || undefined, sessionId: chatId };
  }

  /**
   * Throws if records would belong to a session that expires. A change of the session by any
   * client restarts its time, but not theirs: they would end sooner, or never.
   */
  #refuseExpiry(chatId: string, kept: readonly Kept[], session: Session | undefined): void {
    const { ttlMs } = this.#attributes;
    const hasTtl = session === undefined ? ttlMs !== undefined : session.ttl !== undefined;
    if (!hasTtl || kept.every(({ record }) => record === undefined)) return;
    const part = `a part above ${MAX_PAYLOAD_BYTES} bytes as JSON`;
    const advice = "keep its data elsewhere, or the chat without a ttl";
    throw new Error(`the chat "${chatId}" has a ttl, and ${part} cannot expire with it: ${advice}`);
  }

  #session(chatId: string): Promise<Session | undefined> {
    return this.client.getSession(chatId).catch(passOver("SESSION_NOT_FOUND"));
  }

  /** Whether a session is there, and of the user of this store. */
  #owns(session: Session | undefined): session is Session {
    const { userId } = this.#attributes;
    return session !== undefined && (userId === undefined || session.userId === userId);
  }
}

/** Throws if a save would erase messages of which the one who saves may know nothing. */
function refuseLoss(chatId: string, removed: readonly Message[], hidden: ReadonlySet<number>) {
  const advice = "load the whole chat and save it again, or erase them with `replace: true`";
  if (removed.some((message) => fragmentOf(message) === undefined)) {
    const lost = "messages of other clients that the messages to save lack";
    throw new Error(`the chat "${chatId}" has ${lost}: ${advice}`);
  }
  if (removed.some(({ seq }) => hidden.has(seq))) {
    const lost = "messages outside its window that the messages to save lack";
    throw new Error(`the chat "${chatId}" has ${lost}: ${advice}`);
  }
}

/** Gives each message with the digest of it and of all before it. */
function chained(messages: readonly UIMessage[]): Saved[] {
  let chain = "";
  return messages.map((message) => {
    chain = digestOf(`${chain}\n${JSON.stringify(message)}`);
    return { message, chain };
  });
}

/** About what the messages that keep a UIMessage take in a request. */
function costOf(kept: readonly Kept[]) {
  const sizes = kept.map(({ message: { parts = [], providerPayload } }) => {
    const content = Buffer.byteLength(JSON.stringify(parts));
    return content + (providerPayload?.data.length ?? 0) + OVERHEAD_BYTES;
  });
  const records = kept.filter(({ record }) => record !== undefined).length;
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { messages: kept.length, bytes, records };
}
