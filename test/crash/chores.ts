// The large changes: filling, copying, importing and deleting sessions, which take more than one
// transaction inside. After a crash each of them is there as a whole or not at all. They happen in
// a namespace of their own, one after the other.

import { isMemorySidecarError, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import type { Journal, Known } from "./journal.ts";

const MESSAGES = 600;
const BATCH = 200;

interface Chore {
  readonly sessionId: string;
  /** Texts that the session must hold if it exists. */
  readonly texts: readonly string[];
  there: Known;
}

/** Does chores and remembers what must have come of them. */
export class Chores {
  static readonly namespace = "chores";
  readonly #journal: Journal;
  readonly #known = new Map<string, Chore>();
  used = false;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Fills, copies and deletes sessions until the server is gone. */
  async run(client: MemorySidecar): Promise<void> {
    this.used = true;
    try {
      for (;;) await this.#once(client);
    } catch (error) {
      if (isMemorySidecarError(error) && ["", "SHUTTING_DOWN"].includes(error.reason)) return;
      this.#journal.complaints.push(`a chore failed: ${error}`);
    }
  }

  async #once(client: MemorySidecar): Promise<void> {
    const { namespace } = Chores;
    const name = `chore-${this.#journal.number()}`;
    const texts: string[] = [];
    for (let at = 0; at < MESSAGES; at += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, i) => `${name} ${at + i} ${"y".repeat(100)}`);
      const options = { namespace, createSession: true };
      // A session that was not filled yet is not known of: it may hold any number of batches.
      await client.append(name, batch, options);
      texts.push(...batch);
    }
    this.#known.set(name, { sessionId: name, texts, there: "yes" });
    const copy: Chore = { sessionId: `${name}-copy`, texts, there: "maybe" };
    this.#known.set(copy.sessionId, copy);
    await client.forkSession(name, { namespace, sessionId: copy.sessionId });
    copy.there = "yes";
    const brought: Chore = { sessionId: `${name}-import`, texts, there: "maybe" };
    this.#known.set(brought.sessionId, brought);
    const snapshot = client.exportSession(copy.sessionId, { namespace });
    await client.importSession(snapshot, { namespace, sessionId: brought.sessionId });
    brought.there = "yes";
    const original = this.#known.get(name);
    if (original === undefined) return;
    original.there = "maybe";
    await client.deleteSession(name, { namespace });
    original.there = "no";
  }

  /** Looks at every session of the chores; returns what is wrong. */
  async check(client: MemorySidecar): Promise<string[]> {
    const wrong: string[] = [];
    for (const chore of this.#known.values()) {
      const texts = await this.#read(client, chore.sessionId);
      if (texts === undefined) {
        if (chore.there === "yes") wrong.push(`LOST session ${chore.sessionId}`);
        chore.there = "no";
        continue;
      }
      if (chore.there === "no") wrong.push(`${chore.sessionId} was deleted and is there`);
      if (texts.join("\n") !== chore.texts.join("\n")) {
        wrong.push(`${chore.sessionId} holds ${texts.length} of ${chore.texts.length} messages`);
      }
      chore.there = "yes";
    }
    return wrong;
  }

  async #read(client: MemorySidecar, sessionId: string): Promise<string[] | undefined> {
    const { namespace } = Chores;
    const texts: string[] = [];
    try {
      const pages = client.listMessages(sessionId, { namespace, pageSize: 1_000 });
      for await (const message of pages) texts.push(message.text);
      return texts;
    } catch (error) {
      if (isMemorySidecarError(error, "SESSION_NOT_FOUND")) return undefined;
      throw error;
    }
  }
}
