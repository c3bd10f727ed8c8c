// Reads sessions, collections and scopes of memories for the index, in small pieces.

import type { AppError } from "../../kit/errors.ts";
import type { Memory, MemoryScope } from "../../memory/rules/memory.ts";
import { expireMs, isExpired, type Session } from "../../session/rules/session.ts";
import type {
  Lists,
  SessionPlace,
  Store,
  StoredDocument,
  StoredScope,
  VectorPlace,
} from "../../store/store.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import type { ContainerInfo, ContainerRef, IndexItem, IndexModel } from "../index/port.ts";

/** The source of the records of a namespace. */
export interface Source {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly namespace: string;
  /** Vectors of this model are read with the items when the index does not make them itself. */
  readonly model: IndexModel;
  /** The wire form of a memory. */
  readonly encodeMemory: (memory: Memory) => Uint8Array;
  /** Records that are damaged are passed over, and told. */
  readonly onDamage: (damage: AppError) => void;
}

/** The lists of a source without what is damaged. */
export function listsOf({ onDamage, store }: Pick<Source, "onDamage" | "store">): Lists {
  return store.passingOver?.(onDamage) ?? store;
}

/** A container as the store has it now. */
export interface ContainerFacts {
  readonly info: ContainerInfo;
  /** Number of its records. */
  readonly count: number;
  /** The highest position; undefined when it is not known. */
  readonly last: number | undefined;
  readonly updateMs: number;
}

/** The records of a container at some positions. */
export interface Piece {
  /** Everything of this range is in the piece. */
  readonly range: SeqRange;
  readonly items: readonly IndexItem[];
  /** Start of the next piece, in the direction of the reading; undefined at the end. */
  readonly next: number | undefined;
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();
/** Above every position. */
export const POSITION_MAX = Number.MAX_SAFE_INTEGER;

/** The facts of a session. */
export function factsOf(session: Session): ContainerFacts {
  const { fields, head } = session;
  return {
    info: {
      kind: "session",
      id: session.sessionId,
      userId: fields.userId,
      agentId: fields.agentId,
      labels: fields.labels,
      expireMs: expireMs(session),
    },
    count: head.log.messageCount,
    last: head.lastSeq,
    updateMs: head.updateMs,
  };
}

/** The facts of a scope, whose owner never changes. */
function scopeFactsOf({ scopeId, scope, memoryCount, updateMs }: StoredScope): ContainerFacts {
  const { userId, agentId, sessionId } = scope;
  const names = { userId, agentId, sessionId, labels: NO_LABELS, expireMs: undefined };
  const info = { kind: "scope", id: scopeId, ...names } as const;
  return { info, count: memoryCount, last: undefined, updateMs };
}

/** The facts of a container; undefined when the session is missing or has expired. */
export async function readFacts(
  source: Source,
  ref: ContainerRef,
): Promise<ContainerFacts | undefined> {
  if (ref.kind === "collection") {
    const blank = { userId: "", agentId: "", labels: NO_LABELS, expireMs: undefined };
    return { info: { ...ref, ...blank }, count: 0, last: undefined, updateMs: 0 };
  }
  const { store, namespace } = source;
  if (ref.kind === "scope") {
    const found = await store.readMemoryScope(namespace, ref.id);
    return found && scopeFactsOf(found);
  }
  const session = await store.readSession({ namespace, sessionId: ref.id });
  if (session === undefined || isExpired(session, source.nowMs())) return undefined;
  return factsOf(session);
}

/** Reads upward from the first position of a range. */
export async function readUp(
  source: Source,
  ref: ContainerRef,
  range: SeqRange,
  limit: number,
): Promise<Piece> {
  const { namespace } = source;
  const lists = listsOf(source);
  if (ref.kind === "session") {
    const query = { firstSeq: range.first, lastSeq: range.last, order: "asc", limit } as const;
    const page = await lists.listMessages({ namespace, sessionId: ref.id }, query);
    const last = page?.next === undefined ? range.last : page.next - 1;
    const items = (page?.messages ?? []).map(({ seq, bytes }) => ({ position: seq, bytes }));
    const piece = { first: range.first, last };
    return { range: piece, items: await withVectors(source, ref, items), next: page?.next };
  }
  if (ref.kind === "scope") return await readMemories(source, ref, range, limit);
  const query = { namespace, collectionId: ref.id, after: range.first - 1, limit };
  const page = await lists.listDocuments({
    ...query,
    ...(range.last === POSITION_MAX ? {} : { last: range.last }),
  });
  const items = page.documents.map(documentItem);
  const next = page.next === undefined ? undefined : page.next + 1;
  const last = next === undefined ? range.last : next - 1;
  const piece = { first: range.first, last };
  return { range: piece, items: await withVectors(source, ref, items), next };
}

/** Those whose time has run out are among them: a search leaves them out. */
async function readMemories(
  source: Source,
  ref: ContainerRef,
  range: SeqRange,
  limit: number,
): Promise<Piece> {
  const { store, namespace, encodeMemory } = source;
  const found = await store.readMemoryScope(namespace, ref.id);
  if (found === undefined) return { range, items: [], next: undefined };
  const page = await listsOf(source).listMemories({
    ...{ namespace, within: { kind: "scope", scope: found.scope }, order: "asc" },
    ...{ after: range.first - 1, limit: Math.min(limit, range.last - range.first + 1) },
  });
  const items = page.memories
    .filter(({ memoryNo }) => memoryNo <= range.last)
    .map((memory) => ({ position: memory.memoryNo, bytes: encodeMemory(memory) }));
  const isDone = page.next === undefined || page.next >= range.last;
  const last = isDone ? range.last : (page.next ?? range.last);
  return {
    range: { first: range.first, last },
    items: await withVectors(source, ref, items),
    next: isDone ? undefined : last + 1,
  };
}

/** Reads a session downward, from a seq or from its end. */
export async function readDown(
  source: Source,
  sessionId: string,
  lastSeq: number,
  limit: number,
): Promise<Piece> {
  const { namespace } = source;
  const query = { firstSeq: 1, lastSeq, order: "desc", limit } as const;
  const page = await listsOf(source).listMessages({ namespace, sessionId }, query);
  const items = (page?.messages ?? []).map(({ seq, bytes }) => ({ position: seq, bytes }));
  items.reverse();
  const range = { first: page?.next === undefined ? 1 : page.next + 1, last: lastSeq };
  const ref = { kind: "session", id: sessionId } as const;
  return { range, items: await withVectors(source, ref, items), next: page?.next };
}

function documentItem(document: StoredDocument): IndexItem {
  const { documentNo, bytes, embedding } = document;
  const given = embedding === undefined ? {} : { given: embedding };
  return { position: documentNo, bytes, ...given };
}

/** Names the place of a record for its vectors. */
export function placeOf(namespace: string, ref: ContainerRef, position: number): VectorPlace {
  if (ref.kind === "scope") return { kind: "memory", namespace, memoryNo: position };
  return ref.kind === "session"
    ? { kind: "message", namespace, sessionId: ref.id, seq: position }
    : { kind: "document", namespace, collectionId: ref.id, documentNo: position };
}

async function withVectors(
  source: Source,
  ref: ContainerRef,
  items: readonly IndexItem[],
): Promise<readonly IndexItem[]> {
  const { namespace, model } = source;
  if (model.isLocal || model.id === "" || items.length === 0) return items;
  const places = items.map(({ position }) => placeOf(namespace, ref, position));
  const records = await listsOf(source).readVectors(places);
  return items.map((item, at) => {
    const record = records[at];
    return record?.model === model.id ? { ...item, vectors: record.vectors } : item;
  });
}

// Lists what a namespace has, one page at a time: first its collections, then its
// scopes of memories, then its sessions.

const LIST_PAGE = 100;

/** A session, collection or scope that was found. */
export interface Listed {
  readonly ref: ContainerRef;
  /** Number of its records, and time of its last change. */
  readonly count: number;
  readonly updateMs: number;
  /** Of a scope. */
  readonly scope?: MemoryScope;
}

/** Lists a namespace once. */
export class Lister {
  readonly #source: Source;
  #collection = "";
  #session: SessionPlace | undefined;
  #scope = "";
  /** All collections were given. */
  hasCollections = false;
  /** All scopes were given. */
  hasScopes = false;
  /** All of the namespace was given. */
  isDone = false;

  constructor(source: Source) {
    this.#source = source;
  }

  /** The next page. */
  next(): Promise<readonly Listed[]> {
    if (!this.hasCollections) return this.#collections();
    return this.hasScopes ? this.#sessions() : this.#scopes();
  }

  async #collections(): Promise<readonly Listed[]> {
    const { namespace } = this.#source;
    const query = { namespace, after: this.#collection, limit: LIST_PAGE };
    const found = await listsOf(this.#source).listCollections(query);
    this.#collection = found.at(-1)?.collectionId ?? "";
    this.hasCollections = found.length < LIST_PAGE;
    return found.map(({ collectionId: id, documentCount: count, updateMs }) => {
      return { ref: { kind: "collection", id }, count, updateMs };
    });
  }

  async #scopes(): Promise<readonly Listed[]> {
    const { namespace } = this.#source;
    const found = await listsOf(this.#source).listMemoryScopes(namespace, this.#scope, LIST_PAGE);
    this.#scope = found.at(-1)?.scopeId ?? "";
    this.hasScopes = found.length < LIST_PAGE;
    return found.map(({ scopeId: id, scope, memoryCount: count, updateMs }) => {
      return { ref: { kind: "scope", id }, count, updateMs, scope };
    });
  }

  /** The newest first: those that are made meanwhile are known by their events. */
  async #sessions(): Promise<readonly Listed[]> {
    const { namespace, nowMs } = this.#source;
    const page = await listsOf(this.#source).listSessions({
      ...{ namespace, order: "desc", limit: LIST_PAGE, nowMs: nowMs() },
      ...(this.#session === undefined ? {} : { after: this.#session }),
    });
    this.#session = page.next;
    this.isDone = page.next === undefined;
    return page.sessions.map((session) => {
      const { count, updateMs } = factsOf(session);
      return { ref: { kind: "session", id: session.sessionId }, count, updateMs };
    });
  }
}
