// The records of threads.

import type { StorageThreadType } from "@mastra/core/memory";
import type { MemorySidecar, RecordOperationInput } from "@memory-sidecar/client";
import { lookUp, readWhole, type Stored, tryWrite, write } from "@memory-sidecar/client/adapters";
import { listingName, pathOfResource, THREADS, threadName } from "./names.ts";

const PAGE = 1_000;
const JSON_TYPE = "application/json";

/** Facts about the log of a thread. */
export interface LogFacts {
  /** The greatest time of a message, in milliseconds. */
  readonly newest: number;
  /** Whether the messages are in the order of their times. */
  readonly isSorted: boolean;
  /** The user that owns the messages. */
  readonly userId?: string | undefined;
}

/** Content of the record of a thread. */
export interface ThreadState {
  readonly id: string;
  /** Unset while the thread has messages but was never saved. */
  readonly thread?: StorageThreadType | undefined;
  /** Unset while the thread has no messages. */
  readonly log?: LogFacts | undefined;
  /** Set while messages may not have followed the thread to its user. */
  readonly passing?: Passing | undefined;
}

/**
 * Says what of the messages of a thread is left behind when it changes hands: that they belong to
 * the user before, or also that they name this user as their resource.
 */
export type Passing = "owner" | "resource";

/** The record of a thread as it is stored, or what stands for one that is not. */
export interface StoredThread {
  readonly state: ThreadState;
  /** Unset when there is no record. */
  readonly version?: bigint | number | undefined;
}

/** The threads of a client's namespace. */
export class Threads {
  readonly #client: MemorySidecar;

  constructor(client: MemorySidecar) {
    this.#client = client;
  }

  async get(threadId: string): Promise<StoredThread> {
    const [record] = await lookUp(this.#client, [threadName(threadId)]);
    return storedThread(threadId, record);
  }

  /** Gives the threads of a resource, or all. */
  async list(resourceId?: string): Promise<StorageThreadType[]> {
    const states = resourceId ? await this.#ofResource(resourceId) : await this.#all();
    const threads = states.flatMap(({ thread }) => thread ?? []);
    return resourceId ? threads.filter((thread) => thread.resourceId === resourceId) : threads;
  }

  /** Gives the ids of all threads. */
  async ids(): Promise<string[]> {
    return (await this.#all()).map(({ id }) => id);
  }

  /** Gives the ids of the threads that have something of a resource. */
  async idsOfResource(resourceId: string): Promise<string[]> {
    const found = [];
    const options = { includeValues: true, pageSize: PAGE };
    for await (const record of this.#client.listRecords(pathOfResource(resourceId), options)) {
      found.push(record.value.toString());
    }
    return found;
  }

  /**
   * Changes a thread, whose new state a function makes of the stored one; undefined changes
   * nothing. The function is called again when another writer was faster. Gives the last state.
   */
  async change(
    threadId: string,
    next: (state: ThreadState) => StorageThreadType | undefined,
  ): Promise<StorageThreadType | undefined> {
    for (;;) {
      const stored = await this.get(threadId);
      const thread = next(stored.state);
      if (thread === undefined) return stored.state.thread;
      const operations = this.puts(stored, { ...stored.state, thread });
      if (await tryWrite(this.#client, operations)) return thread;
    }
  }

  /**
   * Saves a thread. If its messages may belong to another user, notes that, until `settle`, and
   * tells what has to follow. Messages that are saved from now on belong to the user of the thread.
   */
  async save(thread: StorageThreadType): Promise<Passing | undefined> {
    for (;;) {
      const stored = await this.get(thread.id);
      const { log, passing: before, thread: old } = stored.state;
      const isOther = before !== undefined || ownerOf(stored.state) !== thread.resourceId;
      const isSame = old?.resourceId === thread.resourceId;
      const left = isSame && before === "resource" ? before : "owner";
      const passing = log !== undefined && isOther ? left : undefined;
      const operations = this.puts(stored, { ...stored.state, thread, passing });
      if (await tryWrite(this.#client, operations)) return passing;
    }
  }

  /**
   * Gives a thread to a resource, and tells what has to follow; noted until `settle`. A thread that
   * has this resource stays as it is.
   */
  async give(threadId: string, resourceId: string) {
    for (;;) {
      const stored = await this.get(threadId);
      const { log, passing: before, thread: old } = stored.state;
      if (old === undefined) throw new Error(`Thread "${threadId}" not found`);
      const isSame = old.resourceId === resourceId;
      if (isSame && before === undefined) return { thread: old, passing: before };
      const thread = isSame ? old : { ...old, resourceId, updatedAt: new Date() };
      const passing: Passing | undefined = log && "resource";
      const operations = this.puts(stored, { ...stored.state, thread, passing });
      if (await tryWrite(this.#client, operations)) return { thread, passing };
    }
  }

  /** Notes what has followed a thread to this user, if it still has the thread. */
  async settle(threadId: string, userId: string, done: Passing): Promise<void> {
    for (;;) {
      const stored = await this.get(threadId);
      const { passing, ...state } = stored.state;
      if (passing === undefined || state.thread?.resourceId !== userId) return;
      if (passing === "resource" && done === "owner") return;
      if (await tryWrite(this.#client, this.puts(stored, state))) return;
    }
  }

  /** Notes the time of a change of these threads, as far as they were saved. */
  async touch(threadIds: readonly string[]): Promise<void> {
    for (const threadId of threadIds) await this.change(threadId, ({ thread }) => touched(thread));
  }

  /** Notes that the messages of a thread are not in the order of their times. */
  async markUnsorted(threadId: string): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const stored = await this.get(threadId);
      const { log } = stored.state;
      if (log === undefined) return;
      const state = { ...stored.state, log: { ...log, isSorted: false } };
      isDone = await tryWrite(this.#client, this.puts(stored, state));
    }
  }

  /** Makes the operations that store a state in the place of the one that was read. */
  puts(
    { state: before, version }: StoredThread,
    state: ThreadState,
    others: readonly string[] = [],
  ): RecordOperationInput[] {
    const resourceId = state.thread?.resourceId;
    const put = {
      ...{ ...threadName(state.id), ...ownedBy(ownerOf(state)), mediaType: JSON_TYPE },
      ...(version === undefined ? { exists: false } : { version }),
      value: JSON.stringify(state),
    };
    const isListed = before.thread?.resourceId === resourceId;
    const listed = new Set([...others, ...(resourceId && !isListed ? [resourceId] : [])]);
    const listings = [...listed].map((one) => ({
      put: { ...listingName(one, state.id), ...ownedBy(one), value: state.id },
    }));
    return [{ put }, ...listings];
  }

  /** Deletes the record of a thread; false if it has changed since it was read. */
  async remove({ state, version }: StoredThread, resources: ReadonlySet<string>): Promise<boolean> {
    if (version !== undefined) {
      const deletion = { ...threadName(state.id), version };
      if (!(await tryWrite(this.#client, [{ delete: deletion }]))) return false;
    }
    const listings = [...resources].map((one) => listingName(one, state.id));
    await write(
      this.#client,
      listings.map((name) => ({ delete: { ...name, allowMissing: true } })),
    );
    return true;
  }

  async #ofResource(resourceId: string): Promise<ThreadState[]> {
    const ids = await this.idsOfResource(resourceId);
    const records = await lookUp(this.#client, ids.map(threadName));
    return ids.map((id, index) => storedThread(id, records[index]).state);
  }

  async #all(): Promise<ThreadState[]> {
    const found = [];
    const options = { includeValues: true, pageSize: PAGE };
    for await (const record of this.#client.listRecords(THREADS, options)) {
      const isWhole = record.value.length === record.valueSize;
      const whole = isWhole ? record : await readWhole(this.#client, record.path, record.key);
      // The thread may be gone by now.
      if (whole !== undefined) found.push(stateFrom(whole.value));
    }
    return found;
  }
}

/** The state in the record of a thread. */
export function storedThread(threadId: string, record: Stored | undefined): StoredThread {
  if (record === undefined) return { state: { id: threadId } };
  return { state: stateFrom(record.value), version: record.version };
}

/** The thread with a new time of its last change, which is later than the one before. */
export function touched(thread: StorageThreadType | undefined): StorageThreadType | undefined {
  if (thread === undefined) return undefined;
  return { ...thread, updatedAt: new Date(Math.max(Date.now(), thread.updatedAt.getTime() + 1)) };
}

/** The user that owns the messages of a thread; undefined for messages of nobody. */
export function ownerOf({ log, thread }: ThreadState): string | undefined {
  return thread?.resourceId || log?.userId;
}

/** The field of a record that names the user that owns it. */
export function ownedBy(resourceId: string | undefined) {
  return resourceId ? { owner: { userId: resourceId } } : {};
}

function stateFrom(value: Uint8Array): ThreadState {
  const { thread, ...state } = JSON.parse(Buffer.from(value).toString()) as ThreadState;
  if (thread === undefined) return state;
  const createdAt = new Date(thread.createdAt);
  return { ...state, thread: { ...thread, createdAt, updatedAt: new Date(thread.updatedAt) } };
}
