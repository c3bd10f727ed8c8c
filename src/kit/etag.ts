// Etags: opaque to callers. Made of the history of the store and the revision that last changed
// what they stand for, so that two states never share one, not even when a copy of the store was
// put back and has counted on to the same revision.

/** Makes and reads the etags of one history of a store. */
export class Etags {
  readonly #suffix: string;

  /** @param historyId - 16 hexadecimal digits. */
  constructor(historyId: string) {
    this.#suffix = `.${BigInt(`0x${historyId}`).toString(36)}`;
  }

  /** The etag of a state that a revision made. */
  of(revision: number): string {
    return `r${revision.toString(36)}${this.#suffix}`;
  }

  /** Whether an etag from a request allows a change; an empty one always does. */
  allows(given: string, revision: number): boolean {
    return given === "" || given === this.of(revision);
  }

  /** The revision that an etag from a request names; undefined when it is none of this history. */
  revisionOf(given: string): number | undefined {
    const revision = Number.parseInt(given.slice(1), 36);
    return Number.isSafeInteger(revision) && given === this.of(revision) ? revision : undefined;
  }
}
