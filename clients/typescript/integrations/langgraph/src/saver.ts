// The checkpointer.

import { isDeepStrictEqual } from "node:util";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";
import { isMemorySidecarError, type MemorySidecar, type RecordInput } from "@memory-sidecar/client";
import {
  deleteBelow,
  existing,
  lookUp,
  readWhole,
  type Stored,
  write,
} from "@memory-sidecar/client/adapters";
import { fromBytes, type Typed, toBytes } from "./bundle.ts";
import {
  type CheckpointFacts,
  configOf,
  KINDS,
  Names,
  type Place,
  placeOf,
  type WriteFacts,
  withoutValues,
} from "./checkpoints.ts";
import { listed } from "./list.ts";

const PAGE = 1_000;

/** Options of a saver. */
export interface SidecarSaverOptions {
  /** Makes bytes of values. Default: that of LangGraph. */
  readonly serde?: SerializerProtocol;
  /** First segment of all paths. Savers with the same root share their threads. */
  readonly root?: string;
  /**
   * The entry of `configurable` whose value owns the records, so that `eraseSubject({ userId })`
   * erases them. Default `user_id`.
   */
  readonly userKey?: string;
}

/**
 * Keeps the checkpoints of graphs in Memory Sidecar.
 *
 * Everything is a record: checkpoints by thread and namespace, values of channels by version,
 * pending writes by task. A checkpoint and its new values are one transaction unless they take more
 * than 3 MiB; then the values are durable before the checkpoint refers to them. The client stays
 * the caller's: the saver never closes it.
 */
export class SidecarSaver extends BaseCheckpointSaver {
  readonly client: MemorySidecar;
  readonly #names: Names;
  readonly #userKey: string;

  constructor(client: MemorySidecar, options: SidecarSaverOptions = {}) {
    super(options.serde);
    this.client = client;
    this.#names = new Names(options.root ?? "langgraph-js");
    this.#userKey = options.userKey ?? "user_id";
  }

  /** Gets a checkpoint, or the newest of its thread and namespace. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.["thread_id"] === undefined) return undefined;
    const place = placeOf(config);
    const id = getCheckpointId(config);
    if (id !== "") {
      const [record] = await lookUp(this.client, [this.#names.checkpoint(place, id)]);
      return record && (await this.#tupleOf(record));
    }
    const path = this.#names.path("checkpoints", place.thread, place.ns);
    const options = { order: "desc", includeValues: true, pageSize: 1 } as const;
    for await (const record of this.client.listRecords(path, options)) {
      const whole = await this.#whole(record);
      if (whole !== undefined) return await this.#tupleOf(whole);
    }
    return undefined;
  }

  /** Lists checkpoints, newest first. */
  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    const filter = Object.entries(options.filter ?? {});
    const records = listed({ client: this.client, names: this.#names, config, ...options });
    for await (const record of records) {
      const whole = await this.#whole(record);
      if (whole === undefined) continue;
      if (filter.length > 0) {
        const metadata: Record<string, unknown> = await this.#metadataOf(whole);
        if (!filter.every(([key, value]) => isDeepStrictEqual(metadata[key], value))) continue;
      }
      yield await this.#tupleOf(whole);
      left -= 1;
      if (left <= 0) return;
    }
  }

  /** Stores a checkpoint with the values of the channels that have new versions. */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const place = placeOf(config);
    const owner = this.#owner(config);
    const puts: RecordInput[] = [];
    for (const [channel, version] of Object.entries(newVersions)) {
      const has = Object.hasOwn(checkpoint.channel_values, channel);
      const values = has ? [await this.serde.dumpsTyped(checkpoint.channel_values[channel])] : [];
      const value = toBytes({ facts: {}, values });
      puts.push({ ...this.#names.blob(place, channel, version), ...owner, value });
    }
    const parent = getCheckpointId(config);
    const facts: CheckpointFacts = { ...place, ...(parent === "" ? {} : { parent }) };
    const stored = withoutValues(checkpoint);
    const values = [await this.serde.dumpsTyped(stored), await this.serde.dumpsTyped(metadata)];
    const value = toBytes({ facts, values });
    // Last: what a checkpoint refers to is there before it.
    puts.push({ ...this.#names.checkpoint(place, checkpoint.id), ...owner, value });
    await write(
      this.client,
      puts.map((put) => ({ put })),
    );
    return configOf(place, checkpoint.id);
  }

  /** Stores the writes of a task. Of those that exist, the first stays, but for special ones. */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const place = placeOf(config);
    const id = getCheckpointId(config);
    if (id === "") throw new Error("the config has no checkpoint_id in configurable");
    const owner = this.#owner(config);
    const wanted = new Map<string, RecordInput>();
    for (const [position, [channel, value]] of writes.entries()) {
      const index = WRITES_IDX_MAP[channel] ?? position;
      const facts: WriteFacts = { taskPath, taskId, index, channel };
      const bytes = toBytes({ facts, values: [await this.serde.dumpsTyped(value)] });
      const demand = index >= 0 ? { exists: false } : {};
      const name = this.#names.write(place, id, taskId, index);
      wanted.set(name.key, { ...name, ...owner, ...demand, value: bytes });
    }
    await this.#writeNew(wanted);
  }

  /** Deletes all that a thread has. */
  override async deleteThread(threadId: string): Promise<void> {
    for (const kind of KINDS) await deleteBelow(this.client, this.#names.path(kind, threadId));
  }

  /**
   * Counts versions; the fraction tells those of different branches of a thread apart, whose values
   * are kept beside each other.
   */
  override getNextVersion(current: number | undefined): number {
    return Math.floor(current ?? 0) + 1 + Math.random();
  }

  /**
   * Writes what does not exist yet. Usually nothing does, which the transaction itself checks; a
   * task that runs again asks which of its writes exist.
   */
  async #writeNew(wanted: Map<string, RecordInput>): Promise<void> {
    while (wanted.size > 0) {
      const puts = [...wanted.values()];
      try {
        await write(
          this.client,
          puts.map((put) => ({ put })),
        );
        return;
      } catch (error) {
        if (!isMemorySidecarError(error, "RECORD_ALREADY_EXISTS")) throw error;
      }
      for (const [index, exists] of (await existing(this.client, puts)).entries()) {
        const put = puts[index];
        if (exists && put?.exists === false) wanted.delete(put.key);
      }
    }
  }

  /** Reads the values of the channels and the pending writes of a checkpoint. */
  async #tupleOf(record: Stored): Promise<CheckpointTuple> {
    const { facts, values } = fromBytes<CheckpointFacts>(record.value);
    const [stored, metadata] = await Promise.all(values.map((one) => this.#load(one)));
    const checkpoint: Checkpoint = {
      ...stored,
      channel_values: await this.#valuesOf(facts, stored),
    };
    const { parent } = facts;
    if (checkpoint.v < 4 && parent !== undefined)
      await this.#movePending(checkpoint, facts, parent);
    return {
      config: configOf(facts, checkpoint.id),
      checkpoint,
      metadata,
      pendingWrites: await this.#writesOf(facts, checkpoint.id),
      ...(parent === undefined ? {} : { parentConfig: configOf(facts, parent) }),
    };
  }

  async #valuesOf(
    place: Place,
    { channel_versions: versions }: Omit<Checkpoint, "channel_values">,
  ) {
    const channels = Object.entries(versions);
    const names = channels.map(([channel, version]) => this.#names.blob(place, channel, version));
    const found: Record<string, unknown> = {};
    for (const [index, record] of (await lookUp(this.client, names)).entries()) {
      const [value] = record === undefined ? [] : fromBytes(record.value).values;
      const channel = channels[index]?.[0];
      if (value !== undefined && channel !== undefined) found[channel] = await this.#load(value);
    }
    return found;
  }

  async #writesOf(place: Place, id: string): Promise<CheckpointPendingWrite[]> {
    const path = this.#names.path("writes", place.thread, place.ns, id);
    const options = { includeValues: true, pageSize: PAGE };
    const writes = [];
    for await (const record of this.client.listRecords(path, options)) {
      const whole = await this.#whole(record);
      if (whole === undefined) continue;
      const { facts, values } = fromBytes<WriteFacts>(whole.value);
      const [value] = values;
      const key = writesSortKey(facts.taskPath, facts.taskId, facts.index);
      writes.push({ key, facts, value: value && (await this.#load(value)) });
    }
    writes.sort((a, b) => compareWritesSortKeys(a.key, b.key));
    return writes.map(({ facts, value }) => [facts.taskId, facts.channel, value]);
  }

  /** Old checkpoints kept what they send in the writes of their parent. */
  async #movePending(checkpoint: Checkpoint, place: Place, parent: string): Promise<void> {
    const pending = await this.#writesOf(place, parent);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values[TASKS] = pending
      .filter(([, channel]) => channel === TASKS)
      .map(([, , value]) => value);
    checkpoint.channel_versions = {
      ...checkpoint.channel_versions,
      [TASKS]:
        versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined),
    };
  }

  async #metadataOf(record: Stored) {
    const [, metadata] = fromBytes(record.value).values;
    return metadata === undefined ? {} : await this.#load(metadata);
  }

  async #load([type, data]: Typed) {
    return await this.serde.loadsTyped(type, data);
  }

  /**
   * A record with its value, which a list leaves out when it is large; undefined if it is gone
   * meanwhile.
   */
  async #whole(record: Stored): Promise<Stored | undefined> {
    if (record.value.length === record.valueSize) return record;
    return await readWhole(this.client, record.path, record.key);
  }

  #owner(config: RunnableConfig) {
    const user: unknown = config.configurable?.[this.#userKey];
    return user === undefined || user === null ? {} : { owner: { userId: String(user) } };
  }
}
