// The views and plans of sessions: changes, copies, snapshots and imports.

import type { MemoryJob } from "../memory/rules/job.ts";
import type { Session, SessionFields, SessionHead, SessionRef } from "../session/rules/session.ts";
import type { SummaryRecord } from "../summary/rules/summary.ts";
import type { Task, TaskUsage } from "../tasks/rules/task.ts";
import type { DocumentChange, DocumentPlan, DocumentView } from "./document-records.ts";
import type { ErasureProgress } from "./erasure-records.ts";
import type { RecordChange, RecordPlan, RecordView } from "./kept-records.ts";
import type { MemoryJobPlan, MemoryPlan, MemoryReads } from "./memory-records.ts";
import type { NewEvent, NewMessage, StoredEntry, StoredMessage, StoredReply } from "./stored.ts";
import type { SummaryPlan, TaskPlan } from "./task-records.ts";

/** A change of a session, and the parts that it needs to see. */
export interface SessionChange extends SessionRef {
  /** Messages to load by id. */
  readonly messageIds?: readonly string[];
  /** Loads only the first of them that exists. Default false. */
  readonly firstMessageOnly?: boolean;
  /** Loads none of them beyond the one with which they have more bytes together. */
  readonly messageBytesMax?: number;
  /** Looks up the answer to this request id. Empty or unset means none. */
  readonly requestId?: string;
  /** Lets the change through when the disk is below its floor, because it frees space. */
  readonly allowWhenFull?: boolean;
}

/** The view of a session for decide. */
export interface SessionView {
  /** The revision the change will have if it is saved. */
  readonly revision: number;
  readonly session: Session | undefined;
  /** The stored window by rising seq. Read when it is asked for. Empty without a session. */
  readonly window: () => readonly StoredEntry[];
  /** Those of the messages asked for that exist, by id. */
  readonly messages: ReadonlyMap<string, StoredEntry>;
  readonly reply: StoredReply | undefined;
  /**
   * The tasks of the session by rising number, dead ones too. Read when it is asked for: costs
   * nothing else. Empty without a session.
   */
  readonly tasks: () => readonly Task[];
  /** The usage of a hook in an hour for the namespace. Read when it is asked for. */
  readonly usage: (hook: string, hour: number) => TaskUsage;
  /** A summary of the session by its version. Read when it is asked for. */
  readonly summary: (version: number) => SummaryRecord | undefined;
  /**
   * Messages of the log as they are before the change, in the order given, without those that do
   * not exist. Read when they are asked for.
   */
  readonly messagesAt: (seqs: readonly number[]) => readonly StoredMessage[];
  /** The memories of the namespace. */
  readonly memories: MemoryReads;
  /** The jobs on memories that the session waits for. Read when it is asked for. */
  readonly memoryJobs: () => readonly MemoryJob[];
  /** The view that a change of documents would get. Read when it is asked for. */
  readonly documents: (change: DocumentChange) => DocumentView;
  /** Those of some records and uploads that are stored, as a change of them would see them. */
  readonly records: (
    asked: Pick<RecordChange, "names" | "uploadIds">,
  ) => Pick<RecordView, "records" | "uploads" | "collectionCountWith">;
}

/** The decision about a session. */
export type SessionDecision<T> =
  /** Change nothing but the answer remembered under the request id, if there is one. */
  | { readonly kind: "answer"; readonly result: T; readonly reply?: StoredReply }
  | { readonly kind: "save"; readonly result: T; readonly plan: SessionPlan };

/** A change of one session. Saved in one transaction or not at all. */
export interface SessionPlan {
  /** The session's new fields; unset leaves them. Required when the session is new. */
  readonly fields?: SessionFields;
  /** The session's new head; required unless the session is deleted. */
  readonly head?: SessionHead;
  /** Deletes the session with its tasks and erases its log. */
  readonly remove?: boolean;
  /**
   * Erases the log with its window history and its summaries; those of `summaries` are then all.
   * The messages of `append` are then the new log, with the
   * seqs they have; they need not be dense.
   */
  readonly resetLog?: boolean;
  /** New messages by rising seq, from the last one on without gaps. */
  readonly append?: readonly NewMessage[];
  /** Changed messages: the seq and the id stay. */
  readonly replace?: readonly NewMessage[];
  /**
   * Messages to erase, none of them among `replace`: of the log, or of `append`, of which only the
   * seq is then taken; with `resetLog` only of these.
   */
  readonly erase?: readonly { readonly seq: number; readonly messageId: string }[];
  /**
   * The stored window after the change, by rising seq; when unset, it becomes the old one plus
   * `append`. Must agree with `head.windowRanges`.
   */
  readonly window?: readonly StoredEntry[];
  /** The window lost or regained messages: remember it as the window of `head.lastSeq`. */
  readonly windowTrimmed?: boolean;
  /** At least one, in order. */
  readonly events: readonly NewEvent[];
  /** The answer to remember under the request id of the change. */
  readonly reply?: StoredReply;
  /** The next state of the erasure that the change is a part of. */
  readonly erasure?: ErasureProgress;
  /** Changes of the session's tasks. */
  readonly tasks?: TaskPlan;
  /** Changes of the session's summaries. */
  readonly summaries?: SummaryPlan;
  /** Changes of memories of the namespace. */
  readonly memories?: MemoryPlan;
  /** Changes of the session's jobs on memories; all are removed with the session. */
  readonly memoryJobs?: MemoryJobPlan;
  /** Changes of documents of one collection; their events stand among those of the plan. */
  readonly documents?: DocumentChange & {
    readonly plan: Pick<DocumentPlan, "put" | "remove" | "nowMs">;
  };
  /** Changes of records of the namespace; their events stand among those of the plan. */
  readonly records?: Pick<RecordPlan, "put" | "remove" | "nowMs">;
}

/** Asks for a copy of a session's log up to a seq. */
export interface SessionCopy {
  readonly source: SessionRef;
  readonly target: SessionRef;
  /** Unset means the newest. */
  readonly atSeq?: number;
  readonly requestId?: string;
  /** Stops the copying between two chunks. */
  readonly signal?: AbortSignal;
}

/** The view for the decide function of a copy; it runs first, then again before publishing. */
export interface CopyView {
  readonly revision: number;
  readonly source: Session | undefined;
  readonly target: Session | undefined;
  readonly reply: StoredReply | undefined;
  /** The log of the source up to the seq, once copied. */
  readonly copied?: {
    readonly log: { readonly messageCount: number; readonly tokenCount: number };
    /** The window of the source as it was at the seq. */
    readonly window: readonly StoredEntry[];
  };
}

/** The decision about a copy. */
export type CopyDecision<T> =
  /** Do not copy. */
  | { readonly kind: "answer"; readonly result: T }
  /** Copy up to this seq, then decide again with what was copied. */
  | { readonly kind: "copy"; readonly atSeq: number }
  /** Publish the copy under these fields and head; its window may hold less than was copied. */
  | {
      readonly kind: "save";
      readonly result: T;
      readonly fields: SessionFields;
      readonly head: SessionHead;
      readonly events: readonly NewEvent[];
      readonly reply?: StoredReply;
      /** The summaries that the copy begins with, by rising version. Default: none. */
      readonly summaries?: readonly SummaryRecord[];
    };

/** A session as it was at one moment, and its log, read piece by piece. */
export interface SnapshotReader {
  readonly session: Session;
  /**
   * The next messages by rising seq, about 256 KiB or one message; none at the end. Throws
   * SESSION_CHANGED when a message of the log was changed or erased since, or the session was
   * reset, replaced or deleted. Appends do not matter, but a change of what was appended may.
   */
  next(): Promise<readonly StoredMessage[]>;
  /** Must be called in the end. */
  close(): void;
}

/** The view for the decide function of an import. */
export type ImportView = Omit<CopyView, "source" | "copied">;

/** The decision about an import; a target that exists is replaced. */
export type ImportDecision<T> = Exclude<CopyDecision<T>, { readonly kind: "copy" }>;

/**
 * A log that is built from outside and belongs to no session yet. Of one that is not published
 * nothing is left, also after a crash.
 */
export interface LogImport {
  /**
   * Adds messages by rising seq, all above those added before; seqs in between have no message.
   * Throws MESSAGE_ALREADY_EXISTS when an id comes twice; after any error only `abandon` is left.
   */
  add(messages: readonly NewMessage[]): Promise<void>;
  /**
   * Makes the log that of a session, in one transaction. The head of the decision must have the
   * seqs of the log. Once at most.
   */
  publish<T>(
    target: SessionRef & { readonly requestId?: string },
    decide: (view: ImportView) => ImportDecision<T>,
  ): Promise<T>;
  /** Gives the log up, unless it was published. */
  abandon(): void;
}
