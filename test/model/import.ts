// Logs that come from outside: gathered apart, and made a session's in one go.

import { marksOf } from "../../src/erase/rules/erasure.ts";
import { messageAlreadyExists } from "../../src/kit/errors.ts";
import type { SessionRef } from "../../src/session/rules/session.ts";
import type { ImportDecision, ImportView, LogImport, NewMessage } from "../../src/store/store.ts";
import { logMessage, saveImport } from "./changes.ts";
import {
  type LogMessage,
  type MemoryParts,
  marked,
  nextRevision,
  rememberReply,
  replyOf,
  sessionOf,
} from "./state.ts";

/** A log that belongs to no session yet. */
export class ImportedLog implements LogImport {
  readonly #parts: MemoryParts;
  readonly #seqs: { readonly firstSeq: number; readonly lastSeq: number };
  readonly #ids = new Set<string>();
  #log = new Map<number, LogMessage>();
  #newest = 0;

  constructor(parts: MemoryParts, seqs: { readonly firstSeq: number; readonly lastSeq: number }) {
    this.#parts = parts;
    this.#seqs = seqs;
  }

  add(messages: readonly NewMessage[]): Promise<void> {
    return this.#parts.run(() => {
      for (const message of messages) {
        const { messageId, seq } = message;
        if (seq <= this.#newest || seq > this.#seqs.lastSeq) {
          throw new Error(`The import is faulty: seq ${seq} follows seq ${this.#newest}.`);
        }
        if (this.#ids.has(messageId)) throw messageAlreadyExists(messageId);
        this.#ids.add(messageId);
        this.#log.set(seq, logMessage(message));
        this.#newest = seq;
      }
    });
  }

  publish<T>(
    target: SessionRef & { readonly requestId?: string },
    decide: (view: ImportView) => ImportDecision<T>,
  ): Promise<T> {
    const { publish, readFacts, run, state } = this.#parts;
    return run(() => {
      const { namespace, requestId } = target;
      const decision = decide({
        revision: nextRevision(state, namespace),
        target: sessionOf(state, target)?.session,
        reply: replyOf(state, namespace, requestId),
      });
      if (decision.kind === "answer") return decision.result;
      const { events, fields, head, reply, result, summaries = [] } = decision;
      const { firstSeq, lastSeq } = this.#seqs;
      if (head.firstSeq !== firstSeq || head.lastSeq !== lastSeq) {
        throw new Error("The import is faulty: the head has other seqs.");
      }
      saveImport(state, readFacts, target, { fields, head, log: this.#log, summaries });
      rememberReply(state, namespace, requestId, marked(reply, marksOf({ ...fields, ...target })));
      publish(namespace, events);
      return result;
    });
  }

  abandon(): void {
    this.#log = new Map();
  }
}
