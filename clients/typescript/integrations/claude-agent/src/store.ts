// The session store.

import {
  foldSessionSummary,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
  type SessionSummaryEntry,
} from "@anthropic-ai/claude-agent-sdk";
import {
  type GetWindowResponse,
  isMemorySidecarError,
  type MemorySidecar,
  type Message,
  type MessageInput,
  type RecordOperationInput,
  type SessionFields,
} from "@memory-sidecar/client";
import { attempt, checkUser, digestOf, readAgain } from "@memory-sidecar/client/adapters";
import { appendsOf, isLarge, type Line } from "./batches.ts";
import { messageOf, PROVIDER, RECORDED, recordedMessageOf } from "./entries.ts";
import { entriesOf, placeOf, sessionIdOf, subkeysOf, summariesOf, textOf } from "./names.ts";

const PAGE = 1_000;
const JSON_TYPE = "application/json";

/** Fields of the sessions that a store creates, as `createSession` takes them. */
export type TranscriptAttributes = Pick<
  SessionFields,
  "agentId" | "labels" | "memoryPolicy" | "policy" | "ttlMs" | "userId"
>;

/**
 * Keeps the transcripts of the Claude Agent SDK in Memory Sidecar.
 *
 * A transcript is a session of the server, and each entry a message of its log. An append, the
 * summary of its session and the list of its subagents change in one transaction. An entry whose
 * `uuid` the transcript has is not appended again.
 */
export class SidecarSessionStore implements SessionStore {
  readonly client: MemorySidecar;
  readonly #attributes: TranscriptAttributes;

  /**
   * The store never closes the client. `attributes` are those of the sessions that it creates. A
   * transcript that belongs to another user than `userId` is refused.
   */
  constructor(client: MemorySidecar, attributes: TranscriptAttributes = {}) {
    this.client = client;
    this.#attributes = attributes;
  }

  /** Appends entries; those whose `uuid` the transcript has are left out. */
  async append(key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void> {
    await this.#checkUser(key);
    for (const batch of appendsOf(entries)) await this.#append(key, batch);
  }

  /** Gives all entries in their order; null for a transcript that was never written. */
  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    await this.#checkUser(key);
    // Another program may delete the transcript before its large entries were read.
    return await readAgain(() => this.#load(key), "ETAG_MISMATCH", "RECORD_NOT_FOUND");
  }

  /** Lists the sessions of a project, with the times of their last changes. */
  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const found = [];
    for await (const record of this.client.listRecords(summariesOf(projectKey), {
      pageSize: PAGE,
    })) {
      found.push({ sessionId: textOf(record.key), mtime: record.updateTime?.getTime() ?? 0 });
    }
    return found;
  }

  /** Lists the summaries of a project's sessions. */
  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const found = [];
    const options = { pageSize: PAGE, includeValues: true };
    for await (const record of this.client.listRecords(summariesOf(projectKey), options)) {
      found.push(summaryOf(textOf(record.key), record));
    }
    return found;
  }

  /** Deletes a transcript. The main transcript takes those of its subagents with it. */
  async delete(key: SessionKey): Promise<void> {
    if (key.subpath === undefined) {
      for (const subpath of await this.listSubkeys(key)) await this.delete({ ...key, subpath });
    }
    await this.client.deleteSession(sessionIdOf(key), { allowMissing: true });
    let more = true;
    while (more) more = (await this.client.deleteRecords(entriesOf(key))).more;
    // This record goes last, so that an interrupted deletion is still listed and can be repeated.
    const place = placeOf(key);
    await this.client.deleteRecord(place.path, place.key, { allowMissing: true });
  }

  /** Lists the subpaths of a session's subagents. */
  async listSubkeys(key: Pick<SessionKey, "projectKey" | "sessionId">): Promise<string[]> {
    const found = [];
    for await (const record of this.client.listRecords(subkeysOf(key), { pageSize: PAGE })) {
      found.push(textOf(record.key));
    }
    return found;
  }

  /**
   * Gets the window of a transcript: what fits the policy, with tool calls and their results whole,
   * and the summary of what left it.
   */
  async window(key: SessionKey): Promise<GetWindowResponse> {
    await this.#checkUser(key);
    return await this.client.window(sessionIdOf(key));
  }

  /** Refuses the transcript of another user than the one who was given. */
  #checkUser(key: SessionKey): Promise<void> {
    return checkUser(this.client, sessionIdOf(key), this.#attributes.userId);
  }

  async #load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const entries: SessionStoreEntry[] = [];
    try {
      for await (const message of this.client.listMessages(sessionIdOf(key), { pageSize: PAGE })) {
        const payload = await this.#payload(key, message);
        if (payload !== undefined) entries.push(JSON.parse(payload.toString()));
      }
    } catch (error) {
      if (isMemorySidecarError(error, "SESSION_NOT_FOUND")) return null;
      throw error;
    }
    return entries;
  }

  async #append(key: SessionKey, batch: readonly Line[]): Promise<void> {
    const { messages, puts } = this.#kept(key, batch);
    const { projectKey, sessionId, subpath } = key;
    const names = { projectKey, sessionId, ...(subpath === undefined ? {} : { subpath }) };
    const session = { ...this.#attributes, metadata: { claudeAgent: names } };
    const entries = batch.map(({ entry }) => entry);
    const options = { createSession: true, session, onExisting: "skip" } as const;
    for (let isStored = false; !isStored; ) {
      // If another writer changes the summary first, the entries are folded into the new one.
      const operations = [await this.#index(key, entries), ...puts];
      const answer = await attempt(this.client, operations, (recordOperations) =>
        this.client.append(sessionIdOf(key), messages, { ...options, recordOperations }),
      );
      isStored = answer !== undefined;
    }
  }

  /**
   * Makes the operation that lists a transcript: the summary of a session, or the name of a
   * subagent.
   */
  async #index(key: SessionKey, entries: SessionStoreEntry[]): Promise<RecordOperationInput> {
    const record = { ...placeOf(key), ...this.#owned, mediaType: JSON_TYPE };
    if (key.subpath !== undefined) return { put: { ...record, value: "" } };
    const [lookup] = await this.client.batchGetRecords([record]);
    const stored = lookup?.record;
    const before = stored && summaryOf(key.sessionId, stored);
    const { data } = foldSessionSummary(before, key, entries);
    const demand = stored === undefined ? { exists: false } : { version: stored.version };
    return { put: { ...record, ...demand, value: JSON.stringify(data) } };
  }

  /**
   * Makes the messages of entries. An entry that is too large for a message is kept in a record,
   * which is put with the append.
   */
  #kept(key: SessionKey, batch: readonly Line[]) {
    const messages: MessageInput[] = [];
    const puts = new Map<string, RecordOperationInput>();
    for (const line of batch) {
      if (!isLarge(line)) {
        messages.push(messageOf(line.entry, line.payload));
        continue;
      }
      const name = digestOf(line.payload);
      const record = { path: entriesOf(key), key: name, mediaType: JSON_TYPE, ...this.#owned };
      puts.set(name, { put: { ...record, value: line.payload } });
      messages.push(recordedMessageOf(line.entry, name));
    }
    return { messages, puts: [...puts.values()] };
  }

  /** The JSON text of the entry in a message; undefined if this store did not write the message. */
  async #payload(key: SessionKey, message: Message): Promise<Uint8Array | undefined> {
    const { provider, data } = message.providerPayload ?? {};
    if (provider === PROVIDER) return data;
    if (provider !== RECORDED || data === undefined) return undefined;
    return (await this.client.getWholeRecord(entriesOf(key), data.toString())).value;
  }

  get #owned() {
    const { userId } = this.#attributes;
    return userId === undefined ? {} : { owner: { userId } };
  }
}

function summaryOf(
  sessionId: string,
  record: { readonly updateTime?: Date | undefined; readonly value: Uint8Array },
): SessionSummaryEntry {
  const mtime = record.updateTime?.getTime() ?? 0;
  return { sessionId, mtime, data: JSON.parse(record.value.toString()) };
}
