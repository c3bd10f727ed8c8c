// A session of the Agents SDK whose items the server keeps.

import {
  isMemorySidecarError,
  type MemorySidecar,
  type Message,
  type SessionFields,
} from "@memory-sidecar/client";
import { checkUser, digestOf, passOver } from "@memory-sidecar/client/adapters";
import {
  type AgentInputItem,
  type SessionHistoryRewriteArgs,
  type SessionHistoryRewriteAwareSession,
  type SessionHistoryTransaction,
  type SessionHistoryTransactionArgs,
  type SessionHistoryTransactionAwareSession,
  UserError,
} from "@openai/agents-core";
import { canonicalText } from "./exact.ts";
import { itemOf, messageOf } from "./items.ts";
import { changesBy } from "./mutations.ts";
import { Operations, type Stored, transactionDigest } from "./operations.ts";

const PAGE = 1_000;

/** Options of a session. The fields are those of the server's session when this creates it. */
export interface SidecarSessionOptions
  extends Pick<
    SessionFields,
    "agentId" | "labels" | "memoryPolicy" | "metadata" | "policy" | "ttlMs" | "userId"
  > {
  /**
   * Gives the agent the session's window instead of its whole log: what fits the policy, with tool
   * calls and their results whole, and the summary of what left it. Default false.
   */
  readonly window?: boolean;
}

/**
 * A session of the Agents SDK, kept by Memory Sidecar.
 *
 * Each item is a message of the session's log, and comes back as it was. Every write is
 * acknowledged once it is on disk. The client stays the caller's: the session never closes it.
 */
export class SidecarSession
  implements SessionHistoryRewriteAwareSession, SessionHistoryTransactionAwareSession
{
  readonly sessionId: string;
  readonly client: MemorySidecar;
  readonly window: boolean;
  readonly #attributes: Omit<SidecarSessionOptions, "window">;
  readonly #operations: Operations;
  /** Settles with the newest write. Writes run one at a time, as in a session in memory. */
  #written: Promise<unknown> = Promise.resolve();

  /** `sessionId` is any text of 1 to 512 bytes without control characters. */
  constructor(sessionId: string, client: MemorySidecar, options: SidecarSessionOptions = {}) {
    const { window = false, ...attributes } = options;
    this.sessionId = sessionId;
    this.client = client;
    this.window = window;
    this.#attributes = attributes;
    this.#operations = new Operations(client, sessionId, attributes.userId);
  }

  async getSessionId(): Promise<string> {
    return this.sessionId;
  }

  /** Gives the newest items, up to a limit, oldest first. Without a limit, gives all. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    if (limit !== undefined && limit <= 0) return [];
    await this.#checkUser();
    const reading = this.window ? this.#windowed(limit) : this.#newest(limit);
    return ((await reading.catch(passOver("SESSION_NOT_FOUND"))) ?? []).map(itemOf);
  }

  /** Adds items, all or none. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length === 0) return;
    const messages = items.map(messageOf);
    await this.#write(() => this.client.append(this.sessionId, messages, this.#creating));
  }

  /** Removes the newest item and gives it. */
  async popItem(): Promise<AgentInputItem | undefined> {
    const popped = await this.#write(() =>
      this.client.popMessages(this.sessionId).catch(passOver("SESSION_NOT_FOUND")),
    );
    const [message] = popped?.messages ?? [];
    return message && itemOf(message);
  }

  /** Deletes the items and the marks of transactions; the session goes on. */
  async clearSession(): Promise<void> {
    await this.#write(async () => {
      await this.client.resetSession(this.sessionId).catch(passOver("SESSION_NOT_FOUND"));
      await this.#operations.clear();
    });
  }

  /** Replaces all items by a compaction and what follows it, in one transaction. */
  async replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    const messages = items.map(messageOf);
    await this.#write(async () => {
      await this.client.ensureSession(this.sessionId, this.#attributes);
      await this.client.replaceMessages(this.sessionId, "all", messages);
    });
  }

  /** Replaces function calls of the history. */
  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    if (mutations.length === 0) return;
    const wanted = structuredClone(mutations);
    await this.#write(async () => {
      const messages = await this.#newest().catch(passOver("SESSION_NOT_FOUND"));
      const { updates, removals } = changesBy(messages ?? [], wanted);
      const removed = removals.map(({ messageId }) => messageId);
      // Copies of a call are deleted first, so that the old call is never beside the new one.
      if (removed.length > 0) await this.client.batchDeleteMessages(this.sessionId, removed);
      for (const { message, item } of updates) {
        const { role: _, ...changes } = messageOf(item);
        const named = { ...changes, messageId: message.messageId, etag: message.etag };
        await this.client.updateMessage(this.sessionId, named);
      }
    });
  }

  /**
   * Changes the history at once and only once for an operation id. Throws a UserError, and changes
   * nothing, when the id was used for another transaction or the suffix is another one.
   */
  async applyHistoryTransaction(args: SessionHistoryTransactionArgs): Promise<void> {
    const { operationId } = args;
    if (typeof operationId !== "string" || operationId.trim() === "") {
      throw new UserError("Session history transaction operationId must be a non-empty string.");
    }
    const transaction = structuredClone(args.transaction);
    const { expected, items } = partsOf(transaction);
    const work = { operationId, digest: transactionDigest(transaction), expected };
    const messages = items.map(messageOf);
    await this.#write(() =>
      expected.length === 0 ? this.#append(work, messages) : this.#replace(work, messages),
    );
  }

  /** Appends with the record of the operation, in one transaction. */
  async #append({ operationId, digest }: Work, messages: Messages): Promise<void> {
    const record = this.#operations.creation(operationId, digest);
    const appending =
      messages.length === 0
        ? this.client.writeRecords([record])
        : this.client.append(this.sessionId, messages, {
            ...this.#creating,
            recordOperations: [record],
          });
    const done = await appending.catch(passOver("RECORD_ALREADY_EXISTS"));
    if (done !== undefined) return;
    const stored = await this.#operations.get(operationId);
    if (stored !== undefined) checkSame(stored, digest);
  }

  /**
   * Replaces a suffix: writes down the place, replaces there, and writes down that it is done. A
   * repeat after a crash finds the place, and asks the server for the same replacement again.
   */
  async #replace(work: Work, messages: Messages): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const stored = await this.#operations.get(work.operationId);
      if (stored === undefined) {
        await this.#begin(work);
        continue;
      }
      checkSame(stored, work.digest);
      isDone = stored.plan === undefined || (await this.#settle(work, stored, messages));
    }
  }

  /** Writes down the place of a replacement, unless somebody else has. */
  async #begin({ operationId, digest, expected }: Work): Promise<void> {
    const session = await this.client
      .getSession(this.sessionId)
      .catch(passOver("SESSION_NOT_FOUND"));
    const suffix = session === undefined ? [] : await this.#newest(expected.length);
    const [first] = suffix;
    const isSame = canonicalText(suffix.map(itemOf)) === canonicalText(expected);
    if (session === undefined || first === undefined || !isSame) {
      throw new UserError("Session history suffix no longer matches the transaction precondition.");
    }
    const plan = { fromSeq: String(first.seq), lastSeq: String(session.lastSeq) };
    const creation = this.#operations.creation(operationId, digest, plan);
    await this.client.writeRecords([creation]).catch(passOver("RECORD_ALREADY_EXISTS"));
  }

  /**
   * Replaces at the place that is written down; says whether that was done. A log that has grown
   * since is compared anew.
   */
  async #settle(work: Work, stored: Stored, messages: Messages): Promise<boolean> {
    const { fromSeq = "", lastSeq = "" } = stored.plan ?? {};
    const text = JSON.stringify([this.sessionId, work.operationId, work.digest, stored.plan]);
    const options = { requestId: digestOf(text), expectedLastSeq: BigInt(lastSeq) };
    try {
      await this.client.replaceMessages(this.sessionId, BigInt(fromSeq), messages, options);
    } catch (error) {
      // An error without a reason leaves open what the server did. A repeat finds out.
      if (!isMemorySidecarError(error) || error.reason === "") throw error;
      await this.#operations.forget(work.operationId, stored);
      if (error.reason !== "LAST_SEQ_MISMATCH") throw error;
      return false;
    }
    await this.#operations.finish(work.operationId, stored);
    return true;
  }

  /** Runs a write after those before it, even if they failed. */
  #write<T>(work: () => Promise<T>): Promise<T> {
    const next = () => this.#checkUser().then(work);
    const result = this.#written.then(next, next);
    this.#written = result;
    result.catch(() => undefined);
    return result;
  }

  /** Refuses the session of another user than the one who was given. */
  #checkUser(): Promise<void> {
    return checkUser(this.client, this.sessionId, this.#attributes.userId);
  }

  async #windowed(limit: number | undefined): Promise<Message[]> {
    const { messages } = await this.client.window(this.sessionId);
    return limit === undefined ? messages : messages.slice(-limit);
  }

  /** The newest messages of the log, oldest first. */
  async #newest(limit = Number.POSITIVE_INFINITY): Promise<Message[]> {
    const found: Message[] = [];
    const pageSize = Math.min(Math.ceil(limit), PAGE);
    const options = { order: "newest-first", pageSize } as const;
    for await (const message of this.client.listMessages(this.sessionId, options)) {
      found.push(message);
      if (found.length >= limit) break;
    }
    return found.reverse();
  }

  get #creating() {
    return { createSession: true, session: this.#attributes };
  }
}

/** A transaction to apply. */
interface Work {
  readonly operationId: string;
  readonly digest: string;
  readonly expected: readonly AgentInputItem[];
}

type Messages = readonly ReturnType<typeof messageOf>[];

function checkSame(stored: Stored, digest: string): void {
  if (stored.transaction === digest) return;
  throw new UserError(
    "Session history operation was already applied with a different transaction.",
  );
}

/** The items that a transaction expects at the end of the history, and those that it puts there. */
function partsOf(transaction: SessionHistoryTransaction) {
  if (transaction?.type === "append_items" && Array.isArray(transaction.items)) {
    return { expected: [], items: transaction.items };
  }
  if (
    transaction?.type === "replace_suffix" &&
    Array.isArray(transaction.expectedSuffix) &&
    Array.isArray(transaction.replacement)
  ) {
    return { expected: transaction.expectedSuffix, items: transaction.replacement };
  }
  throw new UserError("Session history transaction must append items or replace a suffix.");
}
