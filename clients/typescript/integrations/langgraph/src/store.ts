// The store.

import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  validateNamespace,
} from "@langchain/langgraph-checkpoint";
import type {
  DocumentInput,
  MemorySidecar,
  RecordNameInput,
  RecordOperationInput,
} from "@memory-sidecar/client";
import {
  isDigest,
  lookUp,
  MAX_KEY_BYTES,
  passOver,
  readWhole,
  type Stored,
  segment,
  textOf,
  write,
} from "@memory-sidecar/client/adapters";
import { matches } from "./filters.ts";
import { textsAt } from "./texts.ts";

const PAGE = 100;
const NAMES_PAGE = 1_000;
const HITS = 100;
const MAX_TEXTS = 256;
const MODEL = "langgraph";
const NESTED = { allowReservedRoot: true };

/** Options of a store. */
export interface SidecarStoreOptions {
  /**
   * Makes items found by their texts. Without `embeddings` the server embeds the texts, and
   * searches go by words as well. Default: searches ignore the query.
   */
  readonly index?: {
    readonly embeddings?: EmbeddingsInterface;
    /** Paths of the texts, such as `text` or `notes[*].text`. Default: the whole value. */
    readonly fields?: readonly string[];
  };
  /** First segment of all paths. Stores with the same root share their items. */
  readonly root?: string;
  /** Life of an item after its last change, in milliseconds. Default: without limit. */
  readonly ttlMs?: number;
  /**
   * Gives the user that owns the items of a namespace, so that `eraseSubject({ userId })` erases
   * them.
   */
  readonly userOf?: (namespace: readonly string[]) => string | undefined;
}

/**
 * Keeps the items of agents in Memory Sidecar.
 *
 * An item is a record, and the texts by which searches find it are documents of this record: the
 * server writes, expires and deletes them with it. The puts of a batch are one transaction unless
 * they take more than 3 MiB. The client stays the caller's: the store never closes it.
 */
export class SidecarStore extends BaseStore {
  readonly client: MemorySidecar;
  readonly #options: SidecarStoreOptions;
  readonly #root: string;

  constructor(client: MemorySidecar, options: SidecarStoreOptions = {}) {
    super();
    this.client = client;
    this.#options = options;
    this.#root = options.root ?? "langgraph-js";
  }

  /** Hides the client when a graph with the store is logged. */
  toJSON(): string {
    return "[SidecarStore]";
  }

  /**
   * Does the reads, which see the state before the puts, then the puts. The last put of a key
   * counts.
   */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const all: Operation[] = operations;
    for (const operation of all) check(operation);
    const gets = all.filter(isGet);
    const names = gets.map(({ namespace, key }) => this.#name(namespace, key));
    const records = await lookUp(this.client, names);
    const found = new Map(gets.map((get, index) => [get as Operation, records[index]]));
    const results: unknown[] = [];
    for (const operation of all) {
      const record = found.get(operation);
      if ("namespacePrefix" in operation) results.push(await this.#search(operation));
      else if (!("namespace" in operation)) results.push(await this.#namespaces(operation));
      else if (isPut(operation)) results.push(undefined);
      else results.push(record === undefined ? null : itemOf(record));
    }
    const puts = new Map(
      all.filter(isPut).map((put) => [JSON.stringify([put.namespace, put.key]), put]),
    );
    await this.#write([...puts.values()]);
    return results as OperationResults<Op>;
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { limit = 10, namespacePrefix, offset = 0, query = "" } = operation;
    const end = offset + limit;
    const isRanked = query !== "" && this.#options.index !== undefined;
    const { items, seen } = isRanked
      ? await this.#ranked(operation, query, end)
      : { items: [], seen: new Set<string>() };
    if (items.length < end) {
      // Items without texts follow those that have some.
      const options = { recursive: true, includeValues: true, pageSize: PAGE };
      for await (const record of this.client.listRecords(this.#path(namespacePrefix), options)) {
        if (seen.has(idOf(record))) continue;
        const whole = await this.#whole(record);
        if (whole === undefined) continue;
        const item = itemOf(whole);
        if (matches(item.value, operation.filter)) items.push(item);
        if (items.length >= end) break;
      }
    }
    return items.slice(offset, end);
  }

  /** Gives the best items by their texts, and the ids of all that were looked at. */
  async #ranked({ filter, namespacePrefix }: SearchOperation, query: string, count: number) {
    const { embeddings } = this.#options.index ?? {};
    const values = await embeddings?.embedQuery(query);
    const own = values && { embedding: { model: MODEL, values }, scoring: "cosine" };
    const equals = namespacePrefix.join(".");
    const metadata = namespacePrefix.length === 0 ? [] : [{ path: "prefixes", equals }];
    const request = {
      filter: { kinds: ["document" as const], collectionIds: [this.#collection], metadata },
      ...{ pageSize: HITS, includeRecords: true, bestOfRecord: true, ...own },
    };
    const everyone = { ...request.filter, everyone: true };
    const items: SearchItem[] = [];
    const seen = new Set<string>();
    for (let pageToken = ""; ; ) {
      const answer = await this.client
        .recall(query, { ...request, filter: everyone, pageToken })
        .catch((error: unknown) => this.#noneYet(error));
      if (answer === undefined) return { items, seen };
      for (const { foundRecord, record: hit, relevance, score } of answer.hits) {
        const of = hit?.$case === "document" ? hit.value.record : undefined;
        if (of === undefined) continue;
        // The record may be gone by now, or the answer had no room for its value.
        const isThere = foundRecord?.record !== undefined && !foundRecord.valueOmitted;
        const [record] = isThere ? [foundRecord.record] : await lookUp(this.client, [of]);
        if (record === undefined) continue;
        seen.add(idOf(record));
        const item = { ...itemOf(record), score: embeddings === undefined ? relevance : score };
        if (matches(item.value, filter)) items.push(item);
      }
      pageToken = answer.nextPageToken;
      if (pageToken === "" || items.length >= count) return { items, seen };
    }
  }

  /** Passes over a mismatch of vectors while no item has one, and throws any other error. */
  async #noneYet(error: unknown): Promise<undefined> {
    passOver("EMBEDDING_MISMATCH")(error);
    const documents = this.client.listDocuments({
      collectionId: this.#collection,
      filter: { everyone: true },
      includeEmbeddings: true,
      pageSize: PAGE,
    });
    for await (const { embedding } of documents) if (embedding?.model === MODEL) throw error;
  }

  async #namespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { limit = 100, matchConditions = [], maxDepth, offset = 0 } = operation;
    const options = { prefix: [this.#root, "items"], pageSize: NAMES_PAGE };
    const chosen = new Map<string, string[]>();
    for await (const path of this.client.listRecordPaths(options)) {
      const labels = path.slice(2).map(textOf);
      if (!matchConditions.every((condition) => fits(labels, condition))) continue;
      const cut = labels.slice(0, maxDepth);
      chosen.set(JSON.stringify(cut), cut);
    }
    const sorted = [...chosen.values()].sort((a, b) => a.join(":").localeCompare(b.join(":")));
    return sorted.slice(offset, offset + limit);
  }

  async #write(puts: readonly PutOperation[]): Promise<void> {
    const texts = puts.map((put) => this.#texts(put));
    const { embeddings } = this.#options.index ?? {};
    const different = [...new Set(texts.flat())];
    const vectors = different.length > 0 ? await embeddings?.embedDocuments(different) : undefined;
    const vectorOf = new Map(different.map((text, index) => [text, vectors?.[index]]));
    const operations: RecordOperationInput[] = [];
    for (const [index, { key, namespace, value }] of puts.entries()) {
      const name = this.#name(namespace, key);
      if (value === null) {
        operations.push({ delete: { ...name, allowMissing: true } });
        continue;
      }
      const documents = (texts[index] ?? []).map((text): DocumentInput => {
        const values = vectorOf.get(text);
        const isUsed = values?.some((number) => number !== 0) === true;
        const embedding = isUsed ? { embedding: { model: MODEL, values } } : {};
        const prefixes = namespace.map((_, end) => namespace.slice(0, end + 1).join("."));
        return { text, metadata: { prefixes }, ...embedding };
      });
      operations.push({
        put: {
          ...{ ...name, ...this.#fields(namespace), mediaType: "application/json" },
          value: JSON.stringify({ key, value }),
          ...(documents.length > 0
            ? { search: { documents, collectionId: this.#collection } }
            : {}),
        },
      });
    }
    await write(this.client, operations);
  }

  /** The texts by which searches find an item. */
  #texts({ index, key, value }: PutOperation): string[] {
    if (value === null || index === false || this.#options.index === undefined) return [];
    const paths = index ?? this.#options.index.fields ?? ["$"];
    const texts = [...new Set(paths.flatMap((path) => textsAt(value, path)))].filter(Boolean);
    if (texts.length <= MAX_TEXTS) return texts;
    throw new RangeError(`"${key}" has ${texts.length} texts to search by; at most ${MAX_TEXTS}`);
  }

  #fields(namespace: readonly string[]) {
    const { ttlMs, userOf } = this.#options;
    const userId = userOf?.(namespace);
    return {
      ...(userId === undefined ? {} : { owner: { userId } }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    };
  }

  /** A record of a list with its value; undefined if it is gone meanwhile. */
  async #whole(record: Stored): Promise<Stored | undefined> {
    if (record.value.length === record.valueSize) return record;
    return await readWhole(this.client, record.path, record.key);
  }

  get #collection(): string {
    return `${this.#root}.store`;
  }

  #path(namespace: readonly string[]): string[] {
    const labels = namespace.map((label) => segment(label));
    if (labels.some(isDigest))
      throw new RangeError("a label of a namespace takes at most 254 bytes");
    return [this.#root, "items", ...labels];
  }

  #name(namespace: readonly string[], key: string): RecordNameInput {
    return { path: this.#path(namespace), key: segment(key, MAX_KEY_BYTES) };
  }
}

function isGet(operation: Operation): operation is GetOperation {
  return "namespace" in operation && !("value" in operation);
}

function isPut(operation: Operation): operation is PutOperation {
  return "namespace" in operation && "value" in operation;
}

function check(operation: Operation): void {
  if ("namespace" in operation) validateNamespace(operation.namespace, NESTED);
  if ("namespacePrefix" in operation) {
    validateNamespace(operation.namespacePrefix, { ...NESTED, allowEmpty: true });
  }
}

function idOf({ path, key }: { readonly path: readonly string[]; readonly key: string }): string {
  return JSON.stringify([path, key]);
}

/** Makes the item of a record. The value holds the key, as the record's key may be a digest. */
function itemOf(record: Stored): Item {
  const { key, value } = JSON.parse(record.value.toString()) as Pick<Item, "key" | "value">;
  const namespace = record.path.slice(2).map(textOf);
  const [createdAt, updatedAt] = [record.createTime, record.updateTime].map((time) =>
    time === undefined ? new Date(0) : new Date(time),
  ) as [Date, Date];
  return { value, key, namespace, createdAt, updatedAt };
}

function fits(labels: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > labels.length) return false;
  const part = matchType === "prefix" ? labels.slice(0, path.length) : labels.slice(-path.length);
  return path.every((wanted, index) => wanted === "*" || wanted === part[index]);
}
