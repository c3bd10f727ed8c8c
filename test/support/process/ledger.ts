// A simple load for a server that is about to lose its disk: writers that append, one call at a
// time, and what was acknowledged to them.

import type { MemorySidecar } from "../../../clients/typescript/src/index.ts";

const WRITERS = 4;
/** Messages of up to three pages: their records reach the disk in runs of several sizes. */
const BYTES_MAX = 12_000;

/** The writes that a server has acknowledged, over all its lives. */
export class Ledger {
  readonly #acknowledged = new Map<string, string>();
  #number = 0;

  /** The number of acknowledged writes. */
  get count(): number {
    return this.#acknowledged.size;
  }

  /** Appends until every writer was refused. Returns the reasons. */
  async write(client: MemorySidecar): Promise<unknown[]> {
    return await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        try {
          for (;;) await this.append(client, `session-${writer}`);
        } catch (error) {
          return error;
        }
      }),
    );
  }

  /** Appends one message to a session. */
  async append(client: MemorySidecar, sessionId: string): Promise<void> {
    const number = this.#number++;
    const messageId = `${sessionId}-${number}`;
    const text = `${messageId} ${"x".repeat((number * 997) % BYTES_MAX)}`;
    await client.append(sessionId, [{ role: "user", text, messageId }], { createSession: true });
    this.#acknowledged.set(messageId, text);
  }

  /** Says which acknowledged messages a server does not show as they were written. */
  async missing(client: MemorySidecar): Promise<string[]> {
    const found = new Map<string, string>();
    for await (const { sessionId } of client.listSessions()) {
      for await (const { messageId, text } of client.listMessages(sessionId)) {
        found.set(messageId, text);
      }
    }
    return [...this.#acknowledged.keys()].filter(
      (messageId) => found.get(messageId) !== this.#acknowledged.get(messageId),
    );
  }
}
