// Lists what a namespace has, one page at a time: first its collections, then its
// scopes of memories, then its sessions.

import type { MemoryScope } from "../../domain/memories/memory.ts";
import type { ContainerRef } from "../../recall/port.ts";
import { factsOf, type Source } from "./source.ts";

const LIST_PAGE = 100;

/** A session, collection or scope that was found. */
export interface Listed {
  readonly ref: ContainerRef;
  /** How many records it has, and when it changed last. */
  readonly count: number;
  readonly updateMs: number;
  /** Of a scope. */
  readonly scope?: MemoryScope;
}

/** Lists a namespace once. */
export class Lister {
  readonly #source: Source;
  #collection = "";
  #session: number | undefined;
  #hasCollections = false;
  #scope = "";
  #hasScopes = false;
  #isDone = false;

  constructor(source: Source) {
    this.#source = source;
  }

  get hasCollections(): boolean {
    return this.#hasCollections;
  }

  get hasScopes(): boolean {
    return this.#hasScopes;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The next page. */
  next(): Promise<readonly Listed[]> {
    if (!this.#hasCollections) return this.#collections();
    return this.#hasScopes ? this.#sessions() : this.#scopes();
  }

  async #collections(): Promise<readonly Listed[]> {
    const { store, namespace } = this.#source;
    const found = await store.listCollections(namespace, this.#collection, LIST_PAGE);
    this.#collection = found.at(-1)?.collectionId ?? "";
    this.#hasCollections = found.length < LIST_PAGE;
    return found.map(({ collectionId: id, documentCount: count, updateMs }) => {
      return { ref: { kind: "collection", id }, count, updateMs };
    });
  }

  async #scopes(): Promise<readonly Listed[]> {
    const { store, namespace } = this.#source;
    const found = await store.listMemoryScopes(namespace, this.#scope, LIST_PAGE);
    this.#scope = found.at(-1)?.scopeId ?? "";
    this.#hasScopes = found.length < LIST_PAGE;
    return found.map(({ scopeId: id, scope, memoryCount: count, updateMs }) => {
      return { ref: { kind: "scope", id }, count, updateMs, scope };
    });
  }

  /** The newest first: those that are made meanwhile are known by their events. */
  async #sessions(): Promise<readonly Listed[]> {
    const { store, namespace, nowMs } = this.#source;
    const page = await store.listSessions({
      ...{ namespace, order: "desc", limit: LIST_PAGE, nowMs: nowMs() },
      ...(this.#session === undefined ? {} : { after: this.#session }),
    });
    this.#session = page.next;
    this.#isDone = page.next === undefined;
    return page.sessions.map((session) => {
      const { count, updateMs } = factsOf(session);
      return { ref: { kind: "session", id: session.sessionId }, count, updateMs };
    });
  }
}
