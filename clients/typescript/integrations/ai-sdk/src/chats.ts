// A store for the chats of the AI SDK.

import type { MemorySidecar, Message, Session, SessionFields } from "@memory-sidecar/client";
import {
  BATCH_BYTES,
  batchesOf,
  digestOf,
  isName,
  passOver,
} from "@memory-sidecar/client/adapters";
import type { UIMessage } from "ai";
import { uiMessagesOf } from "./assemble.ts";
import { fragmentOf, type Kept, type Saved, toFragments } from "./fragments.ts";
import { LargeFragments } from "./large.ts";

const PAGE = 1_000;
/** The newest messages of the log, among which the end of what is stored is nearly always. */
const NEWEST_PAGE = 10;
/** Values of records are sent before. 64 of a namespace may wait for the call that puts them. */
const LIMITS = { messages: 1_000, bytes: BATCH_BYTES, records: 16 };
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

/** The part of what is stored that the messages to save begin with. */
interface Common {
  /** Number of messages that are stored already. */
  readonly count: number;
  /** The first message of the log that has to go; undefined if there is none. */
  readonly fromSeq: number | undefined;
  /** The messages that have to go and name records. */
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
   * after an edit or a new answer, is replaced from there on, in one transaction. Save once, at the
   * end of the turn. Of two savers at once, the later one decides.
   */
  async saveChat(chat: {
    readonly chatId: string;
    readonly messages: readonly Chat[];
  }): Promise<void> {
    const { chatId } = chat;
    if (!isName(chatId, MAX_CHAT_ID_BYTES)) {
      throw new RangeError(`chatId takes 1 to ${MAX_CHAT_ID_BYTES} bytes, no control characters`);
    }
    const saved = chained(chat.messages);
    for (let isSaved = false; !isSaved; ) isSaved = await this.#save(chatId, saved);
  }

  /** Deletes a chat, for good. */
  async deleteChat(chatId: string): Promise<void> {
    const large = this.#large(chatId);
    const records = await large.all();
    const session = await this.#session(chatId);
    if (session !== undefined && !this.#owns(session)) return;
    await this.client.deleteSession(chatId, { allowMissing: true });
    await large.delete(records);
  }

  /** Saves on top of what is stored now. Returns false if another saver came first. */
  async #save(chatId: string, saved: readonly Saved[]): Promise<boolean> {
    const session = await this.#session(chatId);
    if (session !== undefined && !this.#owns(session)) {
      throw new Error(`the chat "${chatId}" is not of this user: choose another chatId`);
    }
    const { count, fromSeq, removed } = await this.#common(chatId, saved, session);
    const units = saved.slice(count).map(toFragments);
    const large = this.#large(chatId);
    const old = await large.records(removed);
    const batches = [...batchesOf(units, costOf, LIMITS)].map((batch) => batch.flat());
    let lastSeq = session?.lastSeq ?? 0;
    try {
      if (fromSeq !== undefined) {
        const options = { expectedLastSeq: lastSeq };
        const batch = batches.shift() ?? [];
        const puts = await large.puts(batch);
        if (puts.length > 0) await this.client.writeRecords(puts);
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
        const recordOperations = await large.puts(batch);
        const messages = batch.map(({ message }) => message);
        const answer = await this.client.append(chatId, messages, {
          ...{ createSession: true, session: this.#attributes },
          ...{ turnEnd, expectedLastSeq: lastSeq, recordOperations },
        });
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
    const removed: Message[] = [];
    let fromSeq: number | undefined;
    if (session === undefined) return { count: 0, fromSeq, removed };
    const options = { order: "newest-first", pageSize: NEWEST_PAGE } as const;
    for await (const message of this.client.listMessages(chatId, options)) {
      const fragment = fragmentOf(message);
      const count = fragment?.last && counts.get(fragment.chain);
      if (count !== undefined) return { count, fromSeq, removed };
      fromSeq = message.seq;
      if (fragment?.record !== undefined) removed.push(message);
    }
    return { count: 0, fromSeq, removed };
  }

  /** Reads a chat or its window; once more if it changed while it was read. */
  async #read(chatId: string, isWindow: boolean): Promise<Chat[]> {
    for (let before = await this.#session(chatId); this.#owns(before); ) {
      const messages = isWindow
        ? (await this.client.window(chatId)).messages
        : await this.#log(chatId);
      const large = await this.#large(chatId).get(messages);
      const after = await this.#session(chatId);
      if (after?.revision === before.revision) {
        return uiMessagesOf(messages, { isWindow, large }) as Chat[];
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

  #large(chatId: string): LargeFragments {
    return new LargeFragments(this.client, chatId, this.#attributes.userId);
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

/** Gives each message, as its JSON says it, with the digest of it and of all before it. */
function chained(messages: readonly UIMessage[]): Saved[] {
  let chain = "";
  return messages.map((message) => {
    const json = JSON.stringify(message);
    chain = digestOf(`${chain}\n${json}`);
    return { message: JSON.parse(json), chain };
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
