// Erasures in the storage interface.

import type { Erasure } from "../erase/rules/erasure.ts";
import type { StoredReply } from "./stored.ts";

/** Names an erasure. */
export interface ErasureRef {
  readonly namespace: string;
  readonly erasureId: string;
}

/**
 * The next state of an erasure, as part of a plan: the receipt counts what the same transaction
 * erases, so that it is exact whenever the process is killed.
 */
export interface ErasureProgress {
  readonly erasure: Erasure;
  /** Marks of what the transaction erases, for later steps. */
  readonly marks?: readonly string[];
}

/** A change of an erasure alone. */
export interface ErasureChange extends ErasureRef {
  readonly requestId?: string;
}

/** The view for its decide function. */
export interface ErasureView {
  readonly erasure: Erasure | undefined;
  /** Number of erasures of the namespace that are under way. */
  readonly running: number;
  readonly reply: StoredReply | undefined;
}

/** The decision. Gives no revision: an erasure is no change of the data of its namespace. */
export type ErasureDecision<T> =
  | { readonly kind: "answer"; readonly result: T }
  | (ErasureProgress & {
      readonly kind: "save";
      readonly result: T;
      readonly reply?: StoredReply;
    });

/** Asks for a step over the remembered answers of a namespace. */
export interface AnswersQuery {
  readonly namespace: string;
  /** Goes on after this request id. Default: from the start. */
  readonly after?: string;
  /** Tells by its marks whether an answer is meant; undefined: the answer has none. */
  readonly isMeant: (about: readonly string[] | undefined) => boolean;
  /** Gives the state of the erasure with so many more answers. Undefined only counts. */
  readonly progress: ((count: number) => ErasureProgress) | undefined;
}

/** The outcome of such a step. */
export interface AnswersStep {
  readonly count: number;
  /** Goes on after this request id; undefined at the end. */
  readonly next: string | undefined;
}

/** The calls on erasures; part of Store. */
export interface ErasureStore {
  readErasure(ref: ErasureRef): Promise<Erasure | undefined>;
  /** Those under way, over all namespaces, by namespace and id. */
  runningErasures(): Promise<readonly ErasureRef[]>;
  /**
   * Saves an erasure. A new one makes room among the receipts: a namespace keeps at most
   * LIMITS.erasureReceipts, the newest.
   */
  changeErasure<T>(
    change: ErasureChange,
    decide: (view: ErasureView) => ErasureDecision<T>,
  ): Promise<T>;
  /** The marks of an erasure under way. */
  erasureMarks(ref: ErasureRef): Promise<ReadonlySet<string>>;
  /** Forgets some of these marks; true when there are more. */
  dropErasureMarks(ref: ErasureRef): Promise<boolean>;
  /**
   * Empties the answers that are meant, a bounded number in one step: a repeat of such a call is
   * ANSWER_ERASED for as long as the answer would have been kept.
   */
  eraseAnswers(query: AnswersQuery): Promise<AnswersStep>;
  /**
   * Whether everything that was deleted before a mark is erased; without a mark, gives one. Deleted
   * logs are erased by `maintain`.
   */
  purgedBefore(purgeMark?: number): Promise<{ readonly mark: number; readonly isPurged: boolean }>;
  /**
   * Waits until the journal holds nothing that was removed before, not even its key. False on a
   * full disk, which keeps what is there.
   */
  clearJournal(): Promise<boolean>;
}
