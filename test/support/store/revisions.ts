// Positions of the events of a namespace, in short.

import type { EventPosition } from "../../../src/events/rules/event.ts";
import type { Store } from "../../../src/store/store.ts";

/** The newest durable revision of a namespace. */
export async function revisionOf(store: Store, namespace = "default"): Promise<number> {
  return (await store.positions(namespace)).newest.revision;
}

/** The oldest revision of a namespace whose events are kept; one above the newest for none. */
export async function oldestRevisionOf(store: Store, namespace = "default"): Promise<number> {
  return (await store.positions(namespace)).oldest.revision + 1;
}

/** The position of the newest event of a namespace. */
export async function newestOf(store: Store, namespace = "default"): Promise<EventPosition> {
  return (await store.positions(namespace)).newest;
}

/** The position just before the oldest event of a namespace that is kept. */
export async function oldestOf(store: Store, namespace = "default"): Promise<EventPosition> {
  return (await store.positions(namespace)).oldest;
}
