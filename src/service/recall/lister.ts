// Lists what a namespace has, one page at a time: first its collections, then its sessions.

import type { ContainerRef } from "../../recall/port.ts";
import { factsOf, type Source } from "./source.ts";

const LIST_PAGE = 100;

/** A session or collection that was found. */
export interface Listed {
  readonly ref: ContainerRef;
  /** How many records it has, and when it changed last. */
  readonly count: number;
  readonly updateMs: number;
}

/** Lists a namespace once. */
export class Lister {
  readonly #source: Source;
  #collection = "";
  #session: number | undefined;
  #hasCollections = false;
  #isDone = false;

  constructor(source: Source) {
    this.#source = source;
  }

  get hasCollections(): boolean {
    return this.#hasCollections;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The next page. */
  next(): Promise<readonly Listed[]> {
    return this.#hasCollections ? this.#sessions() : this.#collections();
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
