// Observational memory.
//
// The framework's own rules apply: each operation runs in Mastra's `InMemoryMemory`, loaded with
// the records concerned; its changes are stored in one transaction.

import {
  InMemoryDB,
  InMemoryMemory,
  type ObservationalMemoryHistoryOptions,
  type ObservationalMemoryRecord,
} from "@mastra/core/storage";
import type { MemorySidecar, RecordOperationInput } from "@memory-sidecar/client";
import { deleteBelow, lookUp, type Stored, tryWrite, write } from "@memory-sidecar/client/adapters";
import { keyOf, observationsPath, observedName } from "./names.ts";
import { ownedBy } from "./threads.ts";

/** Key of the list. Keys made of ids begin with other characters. */
const LIST = "list";
const JSON_TYPE = "application/json";

/** A thread, or without one a resource. */
export interface Owner {
  readonly threadId: string | null;
  readonly resourceId: string;
}

/** The ids of an owner's records, newest first. */
interface List {
  readonly ids: readonly string[];
  /** Unset when there is no record yet. */
  readonly version?: bigint | number;
}

type Work<T> = (memory: InMemoryMemory) => Promise<T>;

/** The observational memory of a client's namespace. */
export class Observations {
  readonly #client: MemorySidecar;

  constructor(client: MemorySidecar) {
    this.#client = client;
  }

  /** Gives the newest record of an owner. */
  async newest(owner: Owner): Promise<ObservationalMemoryRecord | null> {
    const { ids } = await this.#list(owner);
    const [record] = await this.#records(owner, ids.slice(0, 1));
    return record ? recordFrom(record) : null;
  }

  /** Gives the records of an owner, newest first. */
  async history(
    owner: Owner,
    limit: number | undefined,
    options: ObservationalMemoryHistoryOptions | undefined,
  ): Promise<ObservationalMemoryRecord[]> {
    const { threadId, resourceId } = owner;
    const { ids } = await this.#list(owner);
    const records = (await this.#records(owner, ids)).flatMap((one) =>
      one === undefined ? [] : recordFrom(one),
    );
    const { memory } = loaded(owner, records);
    return await memory.getObservationalMemoryHistory(threadId, resourceId, limit, options);
  }

  /** Adds records to those of an owner. With `sees`, the work sees all that there are. */
  async add<T>(owner: Owner, work: Work<T>, sees: "all" | "none" = "none"): Promise<T> {
    for (;;) {
      const list = await this.#list(owner);
      const done = await this.#run(owner, list, sees === "all" ? list.ids : [], work);
      if (done !== undefined) return done.result;
    }
  }

  /**
   * Adds a record that begins the memory of an owner. Of two programs that add the first one at the
   * same time, the slower gets the record of the faster: its own would hide the other's.
   */
  async begin(
    owner: Owner,
    work: Work<ObservationalMemoryRecord>,
  ): Promise<ObservationalMemoryRecord> {
    let list = await this.#list(owner);
    const isFirst = list.ids.length === 0;
    for (;;) {
      const done = await this.#run(owner, list, [], work);
      if (done !== undefined) return done.result;
      const first = isFirst ? await this.newest(owner) : null;
      if (first !== null) return first;
      list = await this.#list(owner);
    }
  }

  /** Changes the record with an id. Throws if there is none. */
  async change<T>(id: string, work: Work<T>): Promise<T> {
    for (;;) {
      const [observed] = await lookUp(this.#client, [observedName(id)]);
      if (observed === undefined) throw new Error(`Observational memory record not found: ${id}`);
      const owner = JSON.parse(observed.value.toString()) as Owner;
      const done = await this.#run(owner, await this.#list(owner), [id], work);
      if (done !== undefined) return done.result;
    }
  }

  /** Deletes all records of an owner. */
  async clear(owner: Owner): Promise<void> {
    const { ids } = await this.#list(owner);
    const names = ids.map((id) => ({ delete: { ...observedName(id), allowMissing: true } }));
    await write(this.#client, names);
    await deleteBelow(this.#client, pathOf(owner));
  }

  /**
   * Works on these records of an owner, whose list was read before, and stores what has changed;
   * undefined if another writer was faster.
   */
  async #run<T>(
    owner: Owner,
    list: List,
    wanted: readonly string[],
    work: Work<T>,
  ): Promise<{ readonly result: T } | undefined> {
    const stored = await this.#records(owner, wanted);
    const before = new Map(wanted.map((id, index) => [id, stored[index]]));
    const records = stored.flatMap((one) => (one === undefined ? [] : recordFrom(one)));
    const { memory, current } = loaded(owner, records);
    const result = await work(memory);
    const after = current();
    const operations: RecordOperationInput[] = [];
    for (const record of after) {
      const old = before.get(record.id);
      const value = Buffer.from(JSON.stringify(record));
      if (old !== undefined && value.equals(old.value)) continue;
      const demand = old === undefined ? {} : { version: old.version };
      const owned = { ...ownedBy(owner.resourceId), mediaType: JSON_TYPE };
      const name = { path: pathOf(owner), key: keyOf(record.id) };
      operations.push({ put: { ...name, ...owned, ...demand, value } });
      if (old !== undefined) continue;
      const { threadId, resourceId } = owner;
      const observed = JSON.stringify({ threadId, resourceId });
      operations.push({ put: { ...observedName(record.id), ...owned, value: observed } });
    }
    const ids = after.map(({ id }) => id);
    if (new Set(ids).size < ids.length) throw new Error("there is a record with this id already");
    const others = list.ids.filter((id) => !ids.includes(id));
    const isNew = ids.some((id) => !list.ids.includes(id));
    if (isNew) {
      const demand = list.version === undefined ? { exists: false } : { version: list.version };
      const name = { path: pathOf(owner), key: LIST, ...demand, ...ownedBy(owner.resourceId) };
      const value = JSON.stringify(placed(ids, others, list.ids));
      operations.push({ put: { ...name, mediaType: JSON_TYPE, value } });
    }
    if (operations.length === 0) return { result };
    const isDone = await tryWrite(this.#client, operations);
    return isDone ? { result } : undefined;
  }

  async #list(owner: Owner): Promise<List> {
    const [record] = await lookUp(this.#client, [{ path: pathOf(owner), key: LIST }]);
    if (record === undefined) return { ids: [] };
    return { ids: JSON.parse(record.value.toString()), version: record.version };
  }

  async #records(owner: Owner, ids: readonly string[]): Promise<(Stored | undefined)[]> {
    const path = pathOf(owner);
    return await lookUp(
      this.#client,
      ids.map((id) => ({ path, key: keyOf(id) })),
    );
  }
}

/** The order of all records: new ones where the work has put them, the others where they were. */
function placed(ids: readonly string[], others: readonly string[], old: readonly string[]) {
  const isNew = (id: string) => !old.includes(id);
  if (others.length === 0) return ids;
  // The work saw some of the records only, so it has put new ones before these.
  return [...ids.filter(isNew), ...old];
}

/** Makes a memory that holds these records. */
function loaded(owner: Owner, records: ObservationalMemoryRecord[]) {
  const db = new InMemoryDB();
  const key = owner.threadId ? `thread:${owner.threadId}` : `resource:${owner.resourceId}`;
  db.observationalMemory.set(key, records);
  const memory = new InMemoryMemory({ db });
  return { memory, current: () => db.observationalMemory.get(key) ?? [] };
}

function pathOf({ threadId, resourceId }: Owner): string[] {
  return observationsPath(threadId, resourceId);
}

function recordFrom({ value }: Stored): ObservationalMemoryRecord {
  const record = JSON.parse(value.toString()) as ObservationalMemoryRecord;
  const { bufferedObservationChunks: chunks, lastBufferedAtTime, lastObservedAt } = record;
  return {
    ...record,
    ...{ createdAt: new Date(record.createdAt), updatedAt: new Date(record.updatedAt) },
    ...(lastObservedAt ? { lastObservedAt: new Date(lastObservedAt) } : {}),
    ...(lastBufferedAtTime ? { lastBufferedAtTime: new Date(lastBufferedAtTime) } : {}),
    ...(chunks
      ? {
          bufferedObservationChunks: chunks.map((chunk) => ({
            ...chunk,
            ...{ lastObservedAt: new Date(chunk.lastObservedAt) },
            ...{ createdAt: new Date(chunk.createdAt) },
          })),
        }
      : {}),
  };
}
