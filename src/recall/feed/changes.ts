// Changes of commits to the index: marks for namespaces with a feed, and the names of everything
// that was written to since the server started.

import { EVENT_TYPE } from "../../events/rules/event.ts";
import type { StoredEvent } from "../../store/store.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import type { NamespaceFeed } from "./feed.ts";

/** Events about memories; their session is the one that the memories are for. */
export const OF_MEMORIES: ReadonlySet<number> = new Set([
  ...[EVENT_TYPE.memoriesRemembered, EVENT_TYPE.memoryUpdated, EVENT_TYPE.memoriesReinforced],
  ...[EVENT_TYPE.memoriesDecayed, EVENT_TYPE.memoriesDeleted],
]);

/**
 * Whether an event may change the container of its session. The session of an event about memories
 * is the one that they are for.
 */
export function isOfSession({ sessionId, type }: StoredEvent): boolean {
  return sessionId !== "" && !OF_MEMORIES.has(type);
}

/** Marks what an event may have changed. `seqsOf` gives its messages; undefined for all. */
export function markEvent(
  feed: NamespaceFeed,
  event: StoredEvent,
  seqsOf: (event: StoredEvent) => readonly SeqRange[] | undefined,
): void {
  const ref = { kind: "session", id: event.sessionId } as const;
  switch (event.type) {
    case EVENT_TYPE.sessionCreated:
      feed.markNew(ref);
      break;
    case EVENT_TYPE.sessionDeleted:
    case EVENT_TYPE.sessionForked:
    case EVENT_TYPE.sessionReset:
    case EVENT_TYPE.sessionImported:
      feed.mark(ref, undefined);
      break;
    case EVENT_TYPE.messagesAppended:
    case EVENT_TYPE.messageUpdated:
    case EVENT_TYPE.messageDeleted:
    // A trim may discard what it removes.
    case EVENT_TYPE.messagesTrimmed:
      for (const run of seqsOf(event) ?? [undefined]) feed.mark(ref, run);
      // The idle expiry of the session starts again.
      feed.markInfo(ref);
      break;
    default:
      feed.markInfo(ref);
  }
}

/** The most keys kept for one namespace, and for all of them; then everything counts as written. */
const KEYS_MAX = 10_000;
const ALL_KEYS_MAX = 100_000;
/** The most namespaces whose keys are kept. */
const NAMESPACES_MAX = 20_000;

/** The containers of one namespace that were written to. */
export interface Written {
  readonly keys: ReadonlySet<string>;
  /** There were too many to keep: any container may have been written to. */
  readonly isOver: boolean;
}

const NOTHING: Written = { keys: new Set(), isOver: false };
const ANYTHING: Written = { keys: new Set(), isOver: true };

/**
 * Containers written to since the server started. A search that takes what the index
 * holds must still find these, also in a namespace that was never searched before.
 */
export class WrittenKeys {
  readonly #namespaces = new Map<string, Written & { readonly keys: Set<string> }>();
  #count = 0;
  /** There is no room for another namespace: those that are not kept may have been written to. */
  #isFull = false;

  add(namespace: string, key: string): void {
    let written = this.#namespaces.get(namespace);
    if (written === undefined) {
      if (this.#namespaces.size >= NAMESPACES_MAX) this.#isFull = true;
      if (this.#isFull) return;
      written = { keys: new Set(), isOver: false };
      this.#namespaces.set(namespace, written);
    }
    if (written.isOver || written.keys.has(key)) return;
    if (written.keys.size < KEYS_MAX && this.#count < ALL_KEYS_MAX) {
      written.keys.add(key);
      this.#count += 1;
      return;
    }
    this.#count -= written.keys.size;
    this.#namespaces.set(namespace, { keys: new Set(), isOver: true });
  }

  of(namespace: string): Written {
    return this.#namespaces.get(namespace) ?? (this.#isFull ? ANYTHING : NOTHING);
  }
}
