// The oracle for the contents of a store after a crash: a journal of every intended write and every
// answer. It lives in the test process, which is never killed. A write without an answer took
// effect completely or not at all.

/** Whether something is so, as far as the answers tell. */
export type Known = "yes" | "no" | "maybe";

/** The written part of a message, which must come back byte for byte. */
export interface Content {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly payload: Uint8Array | undefined;
  readonly toolCallId: string;
  readonly toolCallIds: readonly string[];
}

/** Two contents are equal when these are. */
export function fingerprint(content: Content): string {
  const payload = content.payload === undefined ? "" : Buffer.from(content.payload).toString("hex");
  const calls = content.toolCallIds.join(",");
  return [content.role, content.text, payload, content.toolCallId, calls].join("\u0000");
}

/** One call that was made. */
export interface Operation {
  readonly requestId: string;
  readonly kind: "append" | "update" | "delete";
  readonly sessionId: string;
  readonly messageIds: readonly string[];
  /** The new content of an update. */
  readonly content?: Content;
  outcome: Known;
  /** The revision that the answer named. */
  revision?: number;
}

/** State of one message. */
export interface Entry {
  readonly messageId: string;
  readonly sessionId: string;
  readonly append: Operation;
  /** Every content it may have: one, unless an update had no answer. */
  contents: Content[];
  deleted: Known;
  /** Known once an answer or a reader has told it. */
  seq?: number;
}

/** The journal of one data directory. */
export class Journal {
  readonly sessionIds: readonly string[];
  readonly operations = new Map<string, Operation>();
  readonly entries = new Map<string, Entry>();
  /** Appended content of each message, from which an append can be repeated exactly. */
  readonly originals = new Map<string, Content>();
  /** Events that a watcher has seen: they must be there for ever. */
  readonly seenEvents = new Set<string>();
  /** Errors while writing. */
  readonly complaints: string[] = [];
  acknowledged = 0;
  unanswered = 0;
  refused = 0;
  #number = 0;

  constructor(sessionIds: readonly string[]) {
    this.sessionIds = sessionIds;
  }

  /** A number never given before. */
  number(): number {
    this.#number += 1;
    return this.#number;
  }

  /** Notes an intended append. */
  intendAppend(
    sessionId: string,
    messages: readonly { messageId: string; content: Content }[],
  ): Operation {
    const messageIds = messages.map((message) => message.messageId);
    const operation = this.#intend({ kind: "append", sessionId, messageIds });
    for (const { messageId, content } of messages) {
      const contents = [content];
      const entry: Entry = { messageId, sessionId, append: operation, contents, deleted: "no" };
      this.entries.set(messageId, entry);
      this.originals.set(messageId, content);
    }
    return operation;
  }

  /** Notes an intended change of a message. */
  intendUpdate(entry: Entry, content: Content): Operation {
    const { sessionId, messageId } = entry;
    entry.contents = [...entry.contents, content];
    return this.#intend({ kind: "update", sessionId, messageIds: [messageId], content });
  }

  /** Notes an intended deletion. */
  intendDelete(entry: Entry): Operation {
    const { sessionId, messageId } = entry;
    entry.deleted = "maybe";
    return this.#intend({ kind: "delete", sessionId, messageIds: [messageId] });
  }

  #intend(fields: Omit<Operation, "requestId" | "outcome">): Operation {
    const requestId = `r-${this.number()}`;
    const operation: Operation = { ...fields, requestId, outcome: "maybe" };
    this.operations.set(requestId, operation);
    return operation;
  }

  /** Notes that an operation was acknowledged. */
  acknowledge(operation: Operation, answer: { revision: number; seqs?: readonly number[] }): void {
    this.acknowledged += 1;
    operation.outcome = "yes";
    operation.revision = answer.revision;
    operation.messageIds.forEach((messageId, i) => {
      const entry = this.entries.get(messageId);
      if (entry === undefined) return;
      const seq = answer.seqs?.[i];
      if (seq !== undefined) entry.seq = seq;
      if (operation.kind === "delete") entry.deleted = "yes";
      if (operation.content !== undefined) entry.contents = [operation.content];
    });
  }

  /** Notes that an operation was refused: it must have had no effect. */
  refuse(operation: Operation): void {
    this.refused += 1;
    operation.outcome = "no";
    for (const messageId of operation.messageIds) {
      const entry = this.entries.get(messageId);
      if (entry === undefined) continue;
      if (operation.kind === "delete") entry.deleted = "no";
      if (operation.content !== undefined) entry.contents = entry.contents.slice(0, -1);
    }
  }

  /** The operations whose answer never came. */
  unknown(): Operation[] {
    return [...this.operations.values()].filter((operation) => operation.outcome === "maybe");
  }
}
