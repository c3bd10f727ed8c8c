// Expected documents of a store that is written and killed: the acknowledged state, and the one
// call without an answer, which took effect completely or not at all.

import type { StoredDocument } from "../../src/store/store.ts";
import type { DocumentAction } from "../support/store/documents.ts";

/** A collection: the next number, and its documents in words, by id. */
export interface AccountState {
  readonly next: number;
  readonly documents: ReadonlyMap<string, string>;
}

const EMPTY: AccountState = { next: 1, documents: new Map() };

function wordsOf(documentNo: number, rest: readonly (string | number)[]): string {
  return [documentNo, ...rest].join("|");
}

function numberOf(words: string): number {
  return Number(words.slice(0, words.indexOf("|")));
}

/** A stored document in the same words. */
function wordsOfStored(document: StoredDocument) {
  const { bytes, documentId, documentNo, embedding, payloadBytes, sourceId } = document;
  const text = Buffer.from(bytes).toString();
  const size = payloadBytes === 0 ? [] : [payloadBytes];
  return wordsOf(documentNo, [documentId, sourceId, embedding?.values.length ?? 0, ...size, text]);
}

/** The state after an action. */
export function applyAction(state: AccountState, action: DocumentAction): AccountState {
  if (action.clear) return { next: state.next, documents: new Map() };
  const documents = new Map(state.documents);
  let { next } = state;
  for (const { dimensions = 0, documentId, payload, sourceId = "", text } of action.put) {
    const known = documents.get(documentId);
    const documentNo = known === undefined ? next++ : numberOf(known);
    const size = payload === undefined ? [] : [Buffer.byteLength(payload)];
    const words = [documentId, sourceId, dimensions, ...size, text];
    documents.set(documentId, wordsOf(documentNo, words));
  }
  for (const documentId of action.remove) documents.delete(documentId);
  return { next, documents };
}

interface Known {
  state: AccountState;
  open: DocumentAction | undefined;
}

/** Expected state of all collections. Each has one writer, which makes one call at a time. */
export class DocumentAccount {
  readonly #known = new Map<string, Known>();
  answered = 0;
  /** Number of calls without an answer when the writer was killed. */
  open = 0;

  collectionIds(): readonly string[] {
    return [...this.#known.keys()];
  }

  /** Notes a call that is made. */
  intend(action: DocumentAction): void {
    const known = this.#of(action.sessionId);
    known.open = action;
  }

  /** Notes that the call of a collection was answered. */
  answer(collectionId: string): void {
    const known = this.#of(collectionId);
    if (known.open === undefined) throw new Error("An answer to no call.");
    known.state = applyAction(known.state, known.open);
    known.open = undefined;
    this.answered += 1;
  }

  /** Holds what is stored against what is known, and goes on from it; says what is wrong. */
  check(collectionId: string, documents: readonly StoredDocument[]): readonly string[] {
    return this.checkShort(collectionId, documents.map(wordsOfStored));
  }

  /** The same with documents in words. */
  checkShort(collectionId: string, documents: readonly string[]): readonly string[] {
    const known = this.#of(collectionId);
    const found = documents.join("\n");
    const textOf = ({ documents: all }: AccountState) =>
      [...all.values()].sort((a, b) => numberOf(a) - numberOf(b)).join("\n");
    if (known.open !== undefined) {
      this.open += 1;
      const after = applyAction(known.state, known.open);
      known.open = undefined;
      if (found === textOf(after)) {
        known.state = after;
        return [];
      }
    }
    if (found === textOf(known.state)) return [];
    const { size } = known.state.documents;
    const word = documents.length < size ? "LOST" : "WRONG";
    return [
      `${word} documents of ${collectionId}: ${documents.length} where ${size} were answered`,
    ];
  }

  #of(collectionId: string): Known {
    let known = this.#known.get(collectionId);
    if (known === undefined) {
      known = { state: EMPTY, open: undefined };
      this.#known.set(collectionId, known);
    }
    return known;
  }
}
