// Which hooks workers poll, by namespace, so that nobody waits long for workers that are not there.

import type { World } from "../api.ts";

/** A worker that polled so lately is still there: a poll waits up to a minute. */
const LATELY_MS = 90_000;
/** Hooks and namespaces that are remembered. */
const PLACES_MAX = 10_000;

type Listener = (namespace: string) => void;

/** Remembers who polled, and which calls nobody took. */
export class Attendance {
  readonly #world: World;
  readonly #seenMs = new Map<string, number>();
  readonly #away = new Set<string>();
  readonly #listeners = new Map<string, Listener[]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A worker polls a hook. */
  saw(hook: string, namespace: string): void {
    const place = placeOf(hook, namespace);
    this.#seenMs.delete(place);
    this.#seenMs.set(place, this.#world.nowMs());
    forgetOldest(this.#seenMs);
    if (!this.#away.delete(place)) return;
    for (const listener of this.#listeners.get(hook) ?? []) listener(namespace);
  }

  /** Whether a worker polled lately. */
  isLately(hook: string, namespace: string): boolean {
    const seenMs = this.#seenMs.get(placeOf(hook, namespace));
    return seenMs !== undefined && this.#world.nowMs() - seenMs < LATELY_MS;
  }

  /** Nobody took a call: until a worker polls, nobody needs to wait for one. */
  missed(hook: string, namespace: string): void {
    this.#away.add(placeOf(hook, namespace));
    forgetOldest(this.#away);
  }

  /** Whether nobody took the last call, and nobody has polled since. */
  isAway(hook: string, namespace: string): boolean {
    return this.#away.has(placeOf(hook, namespace));
  }

  /** Calls back when workers of a hook that were away are back. */
  onBack(hook: string, listener: Listener): void {
    this.#listeners.set(hook, [...(this.#listeners.get(hook) ?? []), listener]);
  }
}

/** Names of hooks hold no space. */
function placeOf(hook: string, namespace: string): string {
  return `${hook} ${namespace}`;
}

function forgetOldest(places: Map<string, unknown> | Set<string>): void {
  const [oldest] = places.keys();
  if (places.size > PLACES_MAX && oldest !== undefined) places.delete(oldest);
}
