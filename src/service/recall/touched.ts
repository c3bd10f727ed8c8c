// Which sessions, collections and scopes of memories were written to since the server started. A
// search that takes what the index has at the moment must find these all the same, also in a
// namespace that was never searched before.

/** Names kept for one namespace, and for all of them; beyond that everything counts as written. */
const KEYS_MAX = 10_000;
const ALL_KEYS_MAX = 100_000;
/** Namespaces whose names are kept. */
const NAMESPACES_MAX = 20_000;

/** What was written to in one namespace. */
export interface Touched {
  readonly keys: ReadonlySet<string>;
  /** Too many to keep: anything may have been. */
  readonly isOver: boolean;
}

const NOTHING: Touched = { keys: new Set(), isOver: false };
const ANYTHING: Touched = { keys: new Set(), isOver: true };

/** Remembers what was written to. */
export class TouchedKeys {
  readonly #namespaces = new Map<string, Touched & { readonly keys: Set<string> }>();
  #count = 0;
  /** There is no room for another namespace: those that are not kept may have been written to. */
  #isFull = false;

  add(namespace: string, key: string): void {
    let touched = this.#namespaces.get(namespace);
    if (touched === undefined) {
      if (this.#namespaces.size >= NAMESPACES_MAX) this.#isFull = true;
      if (this.#isFull) return;
      touched = { keys: new Set(), isOver: false };
      this.#namespaces.set(namespace, touched);
    }
    if (touched.isOver || touched.keys.has(key)) return;
    if (touched.keys.size < KEYS_MAX && this.#count < ALL_KEYS_MAX) {
      touched.keys.add(key);
      this.#count += 1;
      return;
    }
    this.#count -= touched.keys.size;
    this.#namespaces.set(namespace, { keys: new Set(), isOver: true });
  }

  of(namespace: string): Touched {
    return this.#namespaces.get(namespace) ?? (this.#isFull ? ANYTHING : NOTHING);
  }
}
