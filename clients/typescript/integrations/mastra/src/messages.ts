// The messages of threads: writes, deletions, and reads of whole messages.

import {
  AppendOutcome,
  type MemorySidecar,
  type Message,
  type MessageFields,
  type SessionFields,
} from "@memory-sidecar/client";
import {
  attempt,
  deleteBelow,
  lookUp,
  MAX_OPERATIONS,
  MAX_PAYLOAD_BYTES,
  passOver,
  type Stored,
  tryWrite,
  write,
} from "@memory-sidecar/client/adapters";
import { appendsOf } from "./batches.ts";
import {
  contentName,
  contentsPath,
  messageIdOf,
  placeName,
  sessionIdOf,
  threadName,
} from "./names.ts";
import {
  bytesOf,
  cutRow,
  type Kept,
  keptIn,
  type LogRole,
  loggedOf,
  logRoleOf,
  type Row,
  rowFrom,
} from "./rows.ts";
import {
  type LogFacts,
  ownedBy,
  ownerOf,
  type StoredThread,
  storedThread,
  type Threads,
  touched,
} from "./threads.ts";

const PAGE = 1_000;
const READS = 100;
const JSON_TYPE = "application/json";
/** Label of a message that is about to go to another thread. */
const LEAVING = "mastra.leaving";

/** Content of the record with the thread of a message. */
interface PlaceFacts {
  readonly threadId: string;
  readonly role: LogRole;
  /** Time of the message in milliseconds. */
  readonly time: number;
  readonly isLarge?: true;
}

/** The thread of a message, as it is stored. */
export interface Place extends PlaceFacts {
  readonly version: bigint | number;
}

/** Part of a log to read. */
export interface Part {
  readonly order?: "newest-first" | "oldest-first";
  readonly timeFrom?: Date | undefined;
  readonly timeBefore?: Date | undefined;
  readonly pageSize?: number;
}

/** Rows to write, of one thread, with what is known about them. */
interface Change {
  readonly threadId: string;
  readonly rows: readonly Row[];
  readonly stored: StoredThread;
  /** Places of the rows; undefined for new ones. */
  readonly places: readonly (Place | undefined)[];
  /** Whether the messages pass to the user of the thread, also if that is nobody. */
  readonly isPass: boolean;
}

/** Demands of a write. */
interface Demand {
  /** Places that the rows must still have. */
  readonly seen?: ReadonlyMap<string, Place> | undefined;
  readonly isPass?: boolean;
}

/** The messages of a client's namespace. */
export class Messages {
  readonly #client: MemorySidecar;
  readonly #threads: Threads;
  readonly #attributes: SessionFields;

  /** `attributes` are those of the sessions that this creates. */
  constructor(client: MemorySidecar, threads: Threads, attributes: SessionFields) {
    this.#client = client;
    this.#threads = threads;
    this.#attributes = attributes;
  }

  /**
   * Writes rows: new ones, and others in the place of those with their ids. Rows of one thread are
   * one transaction, unless they take more than 3 MiB or are more than 80. With `seen`, the stored
   * rows must still have these places; false if one has not.
   */
  async save(rows: readonly Row[], demand: Demand = {}): Promise<boolean> {
    // The last row of an id counts.
    const wanted = new Map(rows.map((row) => [row.id, row]));
    for (const batch of appendsOf([...wanted.values()])) {
      if (!(await this.#put(batch, demand))) return false;
    }
    return true;
  }

  /**
   * Gives the messages of a thread, with the records about them, to the user to whom it belongs
   * now: this one, unless the thread is given away again meanwhile.
   */
  async pass(threadId: string, userId: string): Promise<void> {
    await this.#client
      .updateSession({ sessionId: sessionIdOf(threadId), userId })
      .catch(passOver("SESSION_NOT_FOUND"));
    const ids: string[] = [];
    for await (const { id } of this.list(threadId)) ids.push(id);
    for (let start = 0; start < ids.length; start += READS) {
      const some = ids.slice(start, start + READS);
      for (let isDone = false; !isDone; ) {
        // Others may have changed, moved or deleted messages: those that are still here count.
        const found = (await this.find(some)).filter(({ place }) => place.threadId === threadId);
        const seen = new Map(found.map(({ row, place }) => [row.id, place]));
        const rows = found.map(({ row }) => row);
        isDone = await this.save(rows, { seen, isPass: true });
      }
    }
  }

  /** Finds messages by their ids; those that do not exist are left out. */
  async find(ids: readonly string[]): Promise<{ row: Row; place: Place }[]> {
    const different = [...new Set(ids)];
    const places = await this.#places(different);
    const rows = new Map<string, Row>();
    const ofThread = new Map<string, string[]>();
    for (const [index, id] of different.entries()) {
      const threadId = places[index]?.threadId;
      if (threadId === undefined) continue;
      ofThread.set(threadId, [...(ofThread.get(threadId) ?? []), id]);
    }
    for (const [threadId, wanted] of ofThread) {
      for (let start = 0; start < wanted.length; start += PAGE) {
        const names = wanted.slice(start, start + PAGE).map(messageIdOf);
        const messages = await this.#client
          .batchGetMessages(sessionIdOf(threadId), names)
          .catch(passOver("SESSION_NOT_FOUND"));
        for (const row of await this.#rows(threadId, messages ?? [])) rows.set(row.id, row);
      }
    }
    return different.flatMap((id, index) => {
      const [row, place] = [rows.get(id), places[index]];
      return row === undefined || place === undefined ? [] : [{ row, place }];
    });
  }

  /** Gives the rows of a thread in the order of its log. */
  async *list(threadId: string, part: Part = {}, resourceId?: string): AsyncGenerator<Row> {
    const options = { pageSize: PAGE, ...part };
    let batch: Message[] = [];
    try {
      for await (const message of this.#client.listMessages(sessionIdOf(threadId), options)) {
        batch.push(message);
        if (batch.length < Math.min(READS, options.pageSize)) continue;
        yield* await this.#rows(threadId, batch, resourceId);
        batch = [];
      }
    } catch (error) {
      passOver("SESSION_NOT_FOUND")(error);
    }
    yield* await this.#rows(threadId, batch, resourceId);
  }

  /**
   * Gives the rows of a thread's window, with as much of large ones as it counts. A summary of what
   * left it comes as a message of the user, as agents leave out system messages of a history, a
   * millisecond before the one that follows.
   */
  async window(threadId: string, resourceId?: string): Promise<Row[]> {
    const window = await this.#client
      .window(sessionIdOf(threadId))
      .catch(passOver("SESSION_NOT_FOUND"));
    const messages = window?.messages ?? [];
    const made = messages.flatMap(({ messageId, seq }) => (Number(seq) === 0 ? [messageId] : []));
    const whole = await this.#rows(threadId, messages, resourceId);
    const byId = new Map(messages.map((message) => [message.messageId, message]));
    const rows = whole.map((row) => {
      const message = byId.get(messageIdOf(row.id));
      return message === undefined ? row : cutRow(row, message);
    });
    let time = new Date();
    const dated = rows.reverse().map((row): Row => {
      const isMade = made.includes(row.id);
      time = isMade ? new Date(time.getTime() - 1) : row.createdAt;
      return isMade ? { ...row, role: "user", createdAt: time } : row;
    });
    return dated.reverse();
  }

  /** Deletes messages, and gives the ids of their threads. */
  async remove(ids: readonly string[]): Promise<string[]> {
    const places = await this.#places(ids);
    const gone = ids.flatMap((id, index) => {
      const place = places[index];
      return place === undefined ? [] : [{ id, place }];
    });
    const threadIds = [...new Set(gone.map(({ place }) => place.threadId))];
    for (const threadId of threadIds) {
      const here = gone.filter(({ place }) => place.threadId === threadId);
      await this.#drop(
        threadId,
        here.map(({ id }) => id),
      );
    }
    await this.#forget(gone);
    return threadIds;
  }

  /** Deletes a thread with its messages. */
  async removeThread(threadId: string): Promise<void> {
    for (let isGone = false; !isGone; ) {
      const stored = await this.#threads.get(threadId);
      const resources = new Set<string>();
      const ids: string[] = [];
      for await (const { id, resourceId } of this.list(threadId)) {
        ids.push(id);
        if (resourceId) resources.add(resourceId);
      }
      const places = await this.#places(ids);
      await this.#client.deleteSession(sessionIdOf(threadId), { allowMissing: true });
      await deleteBelow(this.#client, contentsPath(threadId));
      const gone = ids.flatMap((id, index) => {
        const place = places[index];
        return place?.threadId === threadId ? [{ id, place }] : [];
      });
      await this.#forget(gone);
      const owner = stored.state.thread?.resourceId;
      if (owner) resources.add(owner);
      isGone = await this.#threads.remove(stored, resources);
    }
  }

  /** Writes rows of one thread in one transaction; false if a place is not as it was seen. */
  async #put(rows: readonly Row[], { seen, isPass = false }: Demand): Promise<boolean> {
    const threadId = rows[0]?.threadId ?? "";
    for (;;) {
      // All of one moment: the records that the transaction expects unchanged.
      const names = [threadName(threadId), ...rows.map(({ id }) => placeName(id))];
      const [record, ...records] = await lookUp(this.#client, names);
      const places = records.map(placeFrom);
      if (seen && rows.some(({ id }, at) => places[at]?.version !== seen.get(id)?.version)) {
        return false;
      }
      const change = { threadId, rows, stored: storedThread(threadId, record), places, isPass };
      const leaving = rows.flatMap(({ id }, at) => {
        const place = places[at];
        return place === undefined || place.threadId === threadId ? [] : [{ id, place }];
      });
      for (const { id, place } of leaving) await this.#mark(place.threadId, id);
      if (!(await this.#append(change))) continue;
      for (const { id, place } of leaving) await this.#drop(place.threadId, [id]);
      return true;
    }
  }

  /** Appends rows, with the records about them; false if another writer was faster. */
  async #append({ threadId, rows, stored, places, isPass }: Change): Promise<boolean> {
    const { log, thread } = stored.state;
    const resources = rows.flatMap(({ resourceId }) => resourceId ?? []);
    const { resourceId = "" } = thread ?? {};
    const userId = isPass ? resourceId : (ownerOf(stored.state) ?? resources[0]);
    const facts = { ...factsWith(log, threadId, rows, places), userId };
    const state = { ...stored.state, thread: touched(thread), log: facts };
    const operations = this.#threads.puts(stored, state, resources);
    const messages: MessageFields[] = [];
    for (const [at, row] of rows.entries()) {
      const place = places[at];
      const bytes = bytesOf(row);
      const isLarge = bytes.length > MAX_PAYLOAD_BYTES;
      const isHere = place?.threadId === threadId;
      const role = isHere ? place.role : logRoleOf(row);
      messages.push(loggedOf(row, bytes, role));
      const owned = { ...ownedBy(userId), mediaType: JSON_TYPE };
      const time = row.createdAt.getTime();
      const value: PlaceFacts = { threadId, role, time, ...(isLarge ? { isLarge } : {}) };
      const demand = place === undefined ? { exists: false } : { version: place.version };
      const name = placeName(row.id);
      operations.push({ put: { ...name, ...owned, ...demand, value: JSON.stringify(value) } });
      const content = contentName(threadId, row.id);
      if (isLarge) {
        operations.push({ put: { ...content, ...owned, value: bytes } });
      } else if (isHere && place.isLarge) {
        operations.push({ delete: { ...content, allowMissing: true } });
      }
    }
    const session = { ...this.#attributes, ...(userId ? { userId } : {}) };
    const options = { createSession: true, session, onExisting: "update" } as const;
    const answer = await attempt(this.#client, operations, (recordOperations) => {
      const all = { ...options, recordOperations };
      return this.#client.append(sessionIdOf(threadId), messages, all);
    });
    if (answer === undefined) return false;
    // A place without its message is left of an interrupted deletion.
    const isBack = answer.messages.some(
      ({ outcome }, at) => places[at]?.threadId === threadId && outcome === AppendOutcome.APPENDED,
    );
    if (isBack) await this.#threads.markUnsorted(threadId);
    return true;
  }

  /** Marks a message as leaving its thread; its place record tells when it has left. */
  async #mark(threadId: string, id: string): Promise<void> {
    const changes = { messageId: messageIdOf(id), labels: { [LEAVING]: "1" } };
    await this.#client
      .updateMessage(sessionIdOf(threadId), changes, { updateMask: ["labels"] })
      .catch(passOver("SESSION_NOT_FOUND", "MESSAGE_NOT_FOUND"));
  }

  /** Deletes messages from a log, with the records of the large ones. */
  async #drop(threadId: string, ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += PAGE) {
      const names = ids.slice(start, start + PAGE).map(messageIdOf);
      await this.#client
        .batchDeleteMessages(sessionIdOf(threadId), names, { allowMissing: true })
        .catch(passOver("SESSION_NOT_FOUND"));
    }
    const contents = ids.map((id) => ({
      delete: { ...contentName(threadId, id), allowMissing: true },
    }));
    await write(this.#client, contents);
  }

  /** Deletes the places of messages, but those that another writer has changed since. */
  async #forget(gone: readonly { readonly id: string; readonly place: Place }[]): Promise<void> {
    const deletions = gone.map(({ id, place: { version } }) => ({
      delete: { ...placeName(id), version },
    }));
    for (let start = 0; start < deletions.length; start += MAX_OPERATIONS) {
      const batch = deletions.slice(start, start + MAX_OPERATIONS);
      if (await tryWrite(this.#client, batch)) continue;
      for (const one of batch) await tryWrite(this.#client, [one]);
    }
  }

  async #places(ids: readonly string[]): Promise<(Place | undefined)[]> {
    return (await lookUp(this.#client, ids.map(placeName))).map(placeFrom);
  }

  /** Reads the rows of messages; leaves out those that have gone to another thread. */
  async #rows(threadId: string, messages: readonly Message[], resourceId?: string): Promise<Row[]> {
    const kept = messages.map((message) => keptIn(message, threadId, resourceId));
    const recorded = kept.flatMap((one) => ("recordedId" in one ? [one.recordedId] : []));
    const names = recorded.map((id) => contentName(threadId, id));
    const records = recorded.length === 0 ? [] : await lookUp(this.#client, names);
    const large = new Map(recorded.map((id, index) => [id, records[index]]));
    const rows = kept.map((one) => rowIn(one, large));
    const leaving = messages.flatMap(({ labels }, index) => {
      const id = rows[index]?.id;
      return labels[LEAVING] === undefined || id === undefined ? [] : [id];
    });
    const places = leaving.length === 0 ? [] : await this.#places(leaving);
    const gone = new Set(leaving.filter((_, index) => places[index]?.threadId !== threadId));
    return rows.flatMap((row) => (row === undefined || gone.has(row.id) ? [] : [row]));
  }
}

/** The facts about a log to which rows are written. */
function factsWith(
  log: LogFacts | undefined,
  threadId: string,
  rows: readonly Row[],
  places: readonly (Place | undefined)[],
): LogFacts {
  let { isSorted, newest } = log ?? { isSorted: true, newest: Number.NEGATIVE_INFINITY };
  for (const [index, row] of rows.entries()) {
    const place = places[index];
    const time = row.createdAt.getTime();
    if (place?.threadId === threadId) isSorted &&= place.time === time;
    else isSorted &&= time >= newest;
    newest = Math.max(newest, time);
  }
  return { isSorted, newest };
}

/** The row of a message; undefined if it was in a record that is gone by now. */
function rowIn(kept: Kept, large: ReadonlyMap<string, Stored | undefined>): Row | undefined {
  if ("row" in kept) return kept.row;
  const record = large.get(kept.recordedId);
  return record && rowFrom(record.value);
}

function placeFrom(record: Stored | undefined): Place | undefined {
  if (record === undefined) return undefined;
  const facts = JSON.parse(record.value.toString()) as PlaceFacts;
  return { ...facts, version: record.version };
}
