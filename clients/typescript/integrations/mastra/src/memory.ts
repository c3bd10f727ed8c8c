// The memory storage of Mastra.

import { randomUUID } from "node:crypto";
import { MessageList } from "@mastra/core/agent";
import type { MastraDBMessage, StorageThreadType } from "@mastra/core/memory";
import {
  jsonValueEquals,
  MemoryStorage,
  type StorageCloneThreadInput,
  type StorageCopyThreadOutput,
  type StorageListMessagesByResourceIdInput,
  type StorageListMessagesInput,
  type StorageListMessagesOutput,
  type StorageListThreadsInput,
  type StorageListThreadsOutput,
  type StorageResourceType,
} from "@mastra/core/storage";
import type { MemorySidecar, SessionFields } from "@memory-sidecar/client";
import { deleteBelow, digestOf } from "@memory-sidecar/client/adapters";
import { around, conditionOf, type Direction, pageOf, sorted } from "./listing.ts";
import { changed, type MessageUpdate } from "./merging.ts";
import { Messages } from "./messages.ts";
import { ROOT, sessionIdOf } from "./names.ts";
import { Observations, type Owner } from "./observations.ts";
import { Resources } from "./resources.ts";
import { messageOf, type Row, rowOf } from "./rows.ts";
import { type Passing, Threads, touched } from "./threads.ts";

const THREADS_PER_PAGE = 100;

/** Options of a memory. The fields are those of the sessions that it creates. */
export interface SidecarMemoryOptions
  extends Pick<SessionFields, "agentId" | "labels" | "memoryPolicy" | "metadata" | "policy"> {
  /**
   * Gives agents the window of a thread instead of its newest `lastMessages`: what fits the policy,
   * and the summary of what left it. Lists for programs still show the whole log. Default false.
   */
  readonly window?: boolean;
}

type Include = StorageListMessagesInput["include"];
type Ids = { readonly threadId: string; readonly resourceId?: string | undefined };
type Methods = { [Name in keyof MemoryStorage]: NonNullable<MemoryStorage[Name]> };
type Call = (input: never, ...rest: never[]) => unknown;
/** The first argument of a method of the framework's class. */
type Of<Name extends keyof Methods> = Parameters<Extract<Methods[Name], Call>>[0];

/**
 * Keeps the memory of Mastra's agents: threads, messages, working and observational memory.
 *
 * A thread is a session of the server with the same id, and each message a message of its log; the
 * rest is in records. Every write is acknowledged once it is on disk. The client stays the
 * caller's: the memory never closes it.
 */
export class SidecarMemory extends MemoryStorage {
  override readonly supportsPartialThreadUpdate: boolean = true;
  override readonly supportsObservationalMemory: boolean = true;
  readonly #client: MemorySidecar;
  readonly #messages: Messages;
  readonly #observations: Observations;
  readonly #resources: Resources;
  readonly #threads: Threads;
  readonly #window: boolean;

  constructor(client: MemorySidecar, options: SidecarMemoryOptions = {}) {
    super();
    const { window = false, ...attributes } = options;
    this.#client = client;
    this.#window = window;
    this.#threads = new Threads(client);
    this.#messages = new Messages(client, this.#threads, attributes);
    this.#resources = new Resources(client);
    this.#observations = new Observations(client);
  }

  /** Deletes everything that memories keep in the namespace. */
  async dangerouslyClearAll(): Promise<void> {
    for (const threadId of await this.#threads.ids()) {
      await this.#client.deleteSession(sessionIdOf(threadId), { allowMissing: true });
    }
    await deleteBelow(this.#client, [ROOT]);
  }

  async getThreadById({ threadId, resourceId }: Ids): Promise<StorageThreadType | null> {
    const { thread } = (await this.#threads.get(threadId)).state;
    const isOther = resourceId !== undefined && thread?.resourceId !== resourceId;
    return thread === undefined || isOther ? null : thread;
  }

  async saveThread({ thread }: Of<"saveThread">): Promise<StorageThreadType> {
    await this.#pass(thread, await this.#threads.save(thread));
    return thread;
  }

  /** Gives a thread to another resource. A repeat completes a change that was interrupted. */
  override async updateThreadResourceId({
    resourceId,
    threadId,
  }: Of<"updateThreadResourceId">): Promise<StorageThreadType> {
    const { passing, thread } = await this.#threads.give(threadId, resourceId);
    await this.#pass(thread, passing);
    return thread;
  }

  /** Lets the messages of a thread follow it. What is left is noted until all of it is done. */
  async #pass({ id: threadId, resourceId }: StorageThreadType, passing: Passing | undefined) {
    if (passing === undefined) return;
    await this.#messages.pass(threadId, resourceId);
    if (passing === "resource") {
      const rows = await this.#rowsOf([threadId]);
      const others = rows.filter((row) => row.resourceId !== resourceId);
      await this.updateMessages({ messages: others.map(({ id }) => ({ id, resourceId })) });
    }
    await this.#threads.settle(threadId, resourceId, passing);
  }

  async updateThread({ id, title, metadata }: Of<"updateThread">): Promise<StorageThreadType> {
    const thread = await this.#threads.change(id, ({ thread: before }) => {
      const renamed = title === undefined ? before : before && { ...before, title };
      return touched(renamed && { ...renamed, metadata: { ...before?.metadata, ...metadata } });
    });
    if (thread === undefined) throw new Error(`Thread with id ${id} not found`);
    return thread;
  }

  /** Changes the metadata of a thread. Repeats the change if another program was faster. */
  override async updateThreadMetadata({
    id,
    resourceId,
    update,
  }: Of<"updateThreadMetadata">): Promise<StorageThreadType | null> {
    let isMeant = true;
    const thread = await this.#threads.change(id, ({ thread: before }) => {
      isMeant = resourceId === undefined || before?.resourceId === resourceId;
      const metadata = before && isMeant ? update(before) : undefined;
      const merged = { ...before?.metadata, ...metadata };
      return metadata && touched(before && { ...before, metadata: merged });
    });
    return isMeant ? (thread ?? null) : null;
  }

  async deleteThread({ threadId }: Of<"deleteThread">): Promise<void> {
    await this.#messages.removeThread(threadId);
  }

  async listThreads(args: StorageListThreadsInput): Promise<StorageListThreadsOutput> {
    const { page = 0, perPage: wanted, filter } = args;
    const { field, direction } = this.parseOrderBy(args.orderBy);
    this.validatePaginationInput(page, wanted ?? THREADS_PER_PAGE);
    this.validateMetadataKeys(filter?.metadata);
    const { offset, perPage, shown } = pageOf(args, THREADS_PER_PAGE);
    // Stored metadata has become JSON, so the filter must be JSON as well.
    const metadata = Object.entries(JSON.parse(JSON.stringify(filter?.metadata ?? {})));
    const threads = (await this.#threads.list(filter?.resourceId)).filter((thread) =>
      metadata.every(([key, value]) => jsonValueEquals(thread.metadata?.[key], value)),
    );
    const sign = direction === "ASC" ? 1 : -1;
    threads.sort((a, b) => sign * (a[field].getTime() - b[field].getTime()));
    return {
      threads: threads.slice(offset, offset + perPage),
      ...{ total: threads.length, page, perPage: shown },
      hasMore: offset + perPage < threads.length,
    };
  }

  async listMessages(args: StorageListMessagesInput): Promise<StorageListMessagesOutput> {
    const { include = [], resourceId, threadId } = args;
    const ids = Array.isArray(threadId) ? threadId : [threadId];
    if (ids.length === 0 || ids.some((id) => !id.trim())) {
      throw new TypeError("threadId must be a non-empty string or array of non-empty strings");
    }
    const isMeant = conditionOf(args);
    const { direction } = this.parseOrderBy(args.orderBy, "ASC");
    const page = pageOf(args);
    const [only = ""] = ids;
    const head = { page: page.page, perPage: page.shown };
    if (page.perPage === 0) {
      const around = await this.#included(include, resourceId);
      return { ...head, ...this.#answer(sorted(around, direction)), total: 0, hasMore: false };
    }
    if (ids.length === 1 && this.#isRead(args, direction)) {
      if (this.#window) return { ...head, ...(await this.#windowOf(only, isMeant)) };
      const read = await this.#newest(only, args, isMeant);
      if (read !== undefined) return { ...head, ...read };
    }
    const rows = sorted((await this.#rowsOf(ids)).filter(isMeant), direction);
    const shown = rows.slice(page.offset, page.offset + page.perPage);
    const there = new Set(shown.map(({ id }) => id));
    const added = await this.#included(include, resourceId);
    const inOrder = direction === "ASC" ? shown : shown.toReversed();
    const all = sorted([...inOrder, ...added.filter(({ id }) => !there.has(id))], direction);
    const isFiltered = Object.keys(args.filter?.metadata ?? {}).length > 0;
    const isPlain = isFiltered || include.length === 0;
    const count = isPlain
      ? page.offset + shown.length
      : all.filter((row) => ids.includes(row.threadId)).length;
    return { ...head, ...this.#answer(all), total: rows.length, hasMore: count < rows.length };
  }

  /** Lists the messages of a resource in all threads. */
  override async listMessagesByResourceId(
    args: StorageListMessagesByResourceIdInput,
  ): Promise<StorageListMessagesOutput> {
    const isMeant = conditionOf(args);
    const { direction } = this.parseOrderBy(args.orderBy, "ASC");
    const { offset, page, perPage, shown } = pageOf(args);
    const ids = await this.#threads.idsOfResource(args.resourceId);
    const rows = sorted((await this.#rowsOf(ids)).filter(isMeant), direction);
    const given = rows.slice(offset, offset + perPage);
    const there = new Set(given.map(({ id }) => id));
    const added = await this.#included(args.include, args.resourceId);
    const inOrder = direction === "ASC" ? given : given.toReversed();
    const all = [...inOrder, ...added.filter(({ id }) => !there.has(id))];
    // Mastra's list puts the oldest first.
    const messages = listed(sorted(all, "ASC").map(messageOf));
    return {
      messages: direction === "ASC" ? messages : messages.reverse(),
      ...{ total: rows.length, page, perPage: shown },
      hasMore: offset + given.length < rows.length,
    };
  }

  async listMessagesById({ messageIds }: Of<"listMessagesById">) {
    const found = await this.#messages.find(messageIds);
    return { messages: listed(found.map(({ row }) => messageOf(row))) };
  }

  async saveMessages({ messages }: Of<"saveMessages">) {
    await this.#messages.save(messages.map(rowOf));
    return { messages: listed(messages) };
  }

  async updateMessages({ messages: updates }: Of<"updateMessages">): Promise<MastraDBMessage[]> {
    const results: MastraDBMessage[] = [];
    // A later update of a message sees the result of an earlier one.
    let batch = new Map<string, MessageUpdate>();
    for (const update of updates) {
      if (batch.has(update.id)) {
        results.push(...(await this.#update(batch)));
        batch = new Map();
      }
      batch.set(update.id, update);
    }
    results.push(...(await this.#update(batch)));
    return results;
  }

  override async deleteMessages(messageIds: string[]): Promise<void> {
    await this.#threads.touch(await this.#messages.remove([...new Set(messageIds)]));
  }

  override async copyThread(args: StorageCloneThreadInput): Promise<StorageCopyThreadOutput> {
    const { newThreadId = randomUUID(), options, sourceThreadId } = args;
    const source = await this.getThreadById({ threadId: sourceThreadId });
    if (source === null) throw new Error(`Source thread with id ${sourceThreadId} not found`);
    const existing = await this.getThreadById({ threadId: newThreadId });
    if (existing !== null) throw new Error(`Thread with id ${newThreadId} already exists`);
    const rows = chosen(sorted(await this.#rowsOf([sourceThreadId]), "ASC"), options);
    const messageIdMap = Object.fromEntries(rows.map(({ id }) => [id, copyId(newThreadId, id)]));
    const copies = rows.map((row) => ({
      ...{ ...row, id: messageIdMap[row.id] ?? "", threadId: newThreadId },
      resourceId: args.resourceId || row.resourceId,
    }));
    await this.#messages.save(copies);
    const now = new Date();
    const lastMessageId = rows.at(-1)?.id;
    const clone = { sourceThreadId, clonedAt: now, ...(lastMessageId ? { lastMessageId } : {}) };
    const title = args.title || (source.title ? `Clone of ${source.title}` : undefined);
    const thread = {
      ...{ id: newThreadId, resourceId: args.resourceId || source.resourceId },
      ...(title === undefined ? {} : { title }),
      ...{ metadata: { ...args.metadata, clone }, createdAt: now, updatedAt: now },
    };
    // The thread comes last, so that an interrupted copy is no thread and can be repeated.
    await this.saveThread({ thread });
    return { thread, messageIdMap };
  }

  override async getResourceById({
    resourceId,
  }: Of<"getResourceById">): Promise<StorageResourceType | null> {
    return await this.#resources.get(resourceId);
  }

  override async saveResource({ resource }: Of<"saveResource">): Promise<StorageResourceType> {
    await this.#resources.save(resource);
    return resource;
  }

  override async updateResource(args: Of<"updateResource">): Promise<StorageResourceType> {
    return await this.#resources.update(args);
  }

  override async getObservationalMemory(threadId: string | null, resourceId: string) {
    return await this.#observations.newest({ threadId, resourceId });
  }

  override async getObservationalMemoryHistory(
    ...[threadId, resourceId, limit, options]: Parameters<
      MemoryStorage["getObservationalMemoryHistory"]
    >
  ) {
    return await this.#observations.history({ threadId, resourceId }, limit, options);
  }

  override async initializeObservationalMemory(input: Of<"initializeObservationalMemory">) {
    return await this.#observations.begin(input, (one) => one.initializeObservationalMemory(input));
  }

  override async insertObservationalMemoryRecord(record: Of<"insertObservationalMemoryRecord">) {
    const work = async (one: MemoryStorage) => {
      // The framework may keep the object; what it stores must not change with it.
      await one.insertObservationalMemoryRecord(structuredClone(record));
    };
    await this.#observations.add(record, work, "all");
  }

  override async createReflectionGeneration(input: Of<"createReflectionGeneration">) {
    const owner: Owner = input.currentRecord;
    return await this.#observations.add(owner, (one) => one.createReflectionGeneration(input));
  }

  override async updateActiveObservations(input: Of<"updateActiveObservations">) {
    await this.#observations.change(input.id, (one) => one.updateActiveObservations(input));
  }

  override async updateBufferedObservations(input: Of<"updateBufferedObservations">) {
    await this.#observations.change(input.id, (one) => one.updateBufferedObservations(input));
  }

  override async swapBufferedToActive(input: Of<"swapBufferedToActive">) {
    return await this.#observations.change(input.id, (one) => one.swapBufferedToActive(input));
  }

  override async updateBufferedReflection(input: Of<"updateBufferedReflection">) {
    await this.#observations.change(input.id, (one) => one.updateBufferedReflection(input));
  }

  override async swapBufferedReflectionToActive(input: Of<"swapBufferedReflectionToActive">) {
    const { id } = input.currentRecord;
    const work = (one: MemoryStorage) => one.swapBufferedReflectionToActive(input);
    return await this.#observations.change(id, work);
  }

  override async setReflectingFlag(id: string, isOn: boolean): Promise<void> {
    await this.#observations.change(id, (one) => one.setReflectingFlag(id, isOn));
  }

  override async setObservingFlag(id: string, isOn: boolean): Promise<void> {
    await this.#observations.change(id, (one) => one.setObservingFlag(id, isOn));
  }

  override async setBufferingObservationFlag(id: string, isOn: boolean, tokens?: number) {
    const work = (one: MemoryStorage) => one.setBufferingObservationFlag(id, isOn, tokens);
    await this.#observations.change(id, work);
  }

  override async setBufferingReflectionFlag(id: string, isOn: boolean): Promise<void> {
    await this.#observations.change(id, (one) => one.setBufferingReflectionFlag(id, isOn));
  }

  override async setPendingMessageTokens(id: string, tokenCount: number): Promise<void> {
    await this.#observations.change(id, (one) => one.setPendingMessageTokens(id, tokenCount));
  }

  override async updateObservationalMemoryConfig(input: Of<"updateObservationalMemoryConfig">) {
    await this.#observations.change(input.id, (one) => one.updateObservationalMemoryConfig(input));
  }

  override async clearObservationalMemory(threadId: string | null, resourceId: string) {
    await this.#observations.clear({ threadId, resourceId });
  }

  /** Tells whether a list is the read of an agent: the newest messages, without their number. */
  #isRead({ include, includeTotal }: StorageListMessagesInput, direction: Direction): boolean {
    return includeTotal === false && direction === "DESC" && !include?.length;
  }

  /** The window, newest first. */
  async #windowOf(threadId: string, isMeant: (row: Row) => boolean) {
    const { thread } = (await this.#threads.get(threadId)).state;
    const rows = await this.#messages.window(threadId, thread?.resourceId);
    const shown = rows.filter(isMeant).reverse();
    return { ...this.#answer(shown), total: shown.length, hasMore: false };
  }

  /**
   * Reads a page from the new end of a log, without what is before it; undefined if the log is not
   * in the order of times.
   */
  async #newest(threadId: string, args: StorageListMessagesInput, isMeant: (row: Row) => boolean) {
    const { log, thread } = (await this.#threads.get(threadId)).state;
    if (log?.isSorted === false) return undefined;
    const { offset, perPage } = pageOf(args);
    const { start, end } = args.filter?.dateRange ?? {};
    const timeFrom = start && new Date(start);
    const timeBefore = end && new Date(new Date(end).getTime() + 1);
    // The server refuses a range that can have no messages; Mastra answers with none.
    if (timeFrom && timeBefore && timeFrom >= timeBefore) {
      return { messages: [], total: 0, hasMore: false };
    }
    const part = {
      ...{ order: "newest-first" as const, pageSize: Math.min(offset + perPage + 1, 1_000) },
      ...{ timeFrom, timeBefore },
    };
    const rows: Row[] = [];
    for await (const row of this.#messages.list(threadId, part, thread?.resourceId)) {
      if (isMeant(row)) rows.push(row);
      if (rows.length > offset + perPage) break;
    }
    const shown = rows.slice(offset, offset + perPage);
    const hasMore = rows.length > offset + perPage;
    return { ...this.#answer(shown), total: rows.length, hasMore };
  }

  async #rowsOf(threadIds: readonly string[]): Promise<Row[]> {
    const rows: Row[] = [];
    for (const threadId of new Set(threadIds)) {
      const { thread } = (await this.#threads.get(threadId)).state;
      for await (const row of this.#messages.list(threadId, {}, thread?.resourceId)) rows.push(row);
    }
    return rows;
  }

  /** The messages that a list includes beside its own, with those around them in their threads. */
  async #included(include: Include = [], resourceId?: string): Promise<Row[]> {
    const found = await this.#messages.find(include.map(({ id }) => id));
    const threadOf = new Map(found.map(({ row, place }) => [row.id, place.threadId]));
    const threads = new Map<string, Row[]>();
    for (const threadId of threadOf.values()) {
      if (threads.has(threadId)) continue;
      const rows = sorted(await this.#rowsOf([threadId]), "ASC");
      threads.set(
        threadId,
        rows.filter((row) => !resourceId || row.resourceId === resourceId),
      );
    }
    const included = new Map<string, Row>();
    for (const { id, withNextMessages = 0, withPreviousMessages = 0 } of include) {
      const rows = threads.get(threadOf.get(id) ?? "") ?? [];
      const some = around(rows, id, withPreviousMessages, withNextMessages);
      for (const row of some) included.set(row.id, row);
    }
    return [...included.values()];
  }

  #answer(rows: readonly Row[]): { messages: MastraDBMessage[] } {
    return { messages: rows.map(messageOf) };
  }

  /** Updates different messages. */
  async #update(updates: ReadonlyMap<string, MessageUpdate>): Promise<MastraDBMessage[]> {
    for (let isDone = updates.size === 0; !isDone; ) {
      const found = await this.#messages.find([...updates.keys()]);
      const rows = found.map(({ row }) => changed(row, updates.get(row.id) ?? { id: row.id }));
      const seen = new Map(found.map(({ row, place }) => [row.id, place]));
      isDone = await this.#messages.save(rows, { seen });
      if (!isDone) continue;
      const left = found.filter(({ row }, index) => row.threadId !== rows[index]?.threadId);
      await this.#threads.touch([...new Set(left.map(({ row }) => row.threadId))]);
      return rows.map(messageOf);
    }
    return [];
  }
}

/** Messages as Mastra's own stores give them. */
function listed(messages: MastraDBMessage[]): MastraDBMessage[] {
  return new MessageList().add(messages, "memory").get.all.db();
}

/** The messages to copy. */
function chosen(rows: readonly Row[], options: StorageCloneThreadInput["options"]): Row[] {
  const { messageFilter = {}, messageLimit = 0 } = options ?? {};
  const { endDate, messageIds = [], startDate } = messageFilter;
  const all = rows.filter(
    ({ createdAt, id }) =>
      (messageIds.length === 0 || messageIds.includes(id)) &&
      (!startDate || createdAt >= startDate) &&
      (!endDate || createdAt <= endDate),
  );
  return messageLimit > 0 ? all.slice(-messageLimit) : all;
}

/** The id of a copy: a UUID, the same when the copy is made again. */
function copyId(threadId: string, id: string): string {
  const hex = digestOf(JSON.stringify([threadId, id]));
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join("-");
}
