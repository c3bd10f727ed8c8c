// The storage interface: what the layers above may ask of an engine, in terms of sessions,
// messages, events and consumers. It names no engine; lmdb/ and memory/ implement it, and
// test/storage runs one conformance suite over both.
//
// Writes are optimistic: the engine loads what the change needs, calls the caller's pure `decide`
// function with it, and saves the plan it returns if nothing of it changed meanwhile; else it loads
// and decides again. So `decide` may run more than once, must not await, and must have no effect.
// A promise of a change settles only when everything the decision was based on and everything it
// saved is on stable storage; that holds for a thrown AppError as well.
//
// Reads see what is durable and never anything else.

import type { EventPosition, EventType } from "../domain/event.ts";
import type { Session, SessionFields, SessionHead, SessionRef } from "../domain/session.ts";
import type { SummaryRecord } from "../domain/summaries/summary.ts";
import type { Task, TaskState, TaskUsage } from "../domain/tasks/task.ts";
import type { Role, SeqRange, WindowEntry, WindowFacts } from "../domain/window/types.ts";

/** A message as stored. */
export interface StoredMessage {
  readonly seq: number;
  readonly messageId: string;
  readonly role: Role;
  readonly tokenCount: number;
  /** The wire form of the public message. Never changed in place; safe to keep. */
  readonly bytes: Uint8Array;
}

/** A window entry with its message. */
export interface StoredEntry extends WindowEntry {
  readonly bytes: Uint8Array;
}

/** An answer given earlier to a request id. */
export interface StoredReply {
  readonly method: string;
  readonly digest: Uint8Array;
  readonly bytes: Uint8Array;
  readonly createMs: number;
}

/** An event with what filters need. */
export interface StoredEvent {
  readonly revision: number;
  readonly index: number;
  readonly type: EventType;
  readonly namespace: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly createMs: number;
  /** The wire form of the public event. */
  readonly body: Uint8Array;
}

/** An event of a plan: the engine knows revision and index. */
export type NewEvent = Omit<StoredEvent, "revision" | "index">;

/** A new or changed message of a plan. */
export type NewMessage = StoredEntry;

/** What a change of a session wants to see. */
export interface SessionChange extends SessionRef {
  /** Messages to load by id. */
  readonly messageIds?: readonly string[];
  /** Loads only the first of them that exists. Default false. */
  readonly firstMessageOnly?: boolean;
  /** Loads the window at once; else only when decide asks for it. */
  readonly needWindow?: boolean;
  /** Looks up the answer to this request id. Empty or unset means none. */
  readonly requestId?: string;
  /** Lets the change through when the disk is below its floor, because it frees space. */
  readonly allowWhenFull?: boolean;
}

/** What decide gets to see. */
export interface SessionView {
  /** The revision the change will have if it is saved. */
  readonly revision: number;
  readonly session: Session | undefined;
  /** The stored window by rising seq; undefined unless asked for. Empty without a session. */
  readonly window: readonly StoredEntry[] | undefined;
  /** Those of the messages asked for that exist, by id. */
  readonly messages: ReadonlyMap<string, StoredEntry>;
  readonly reply: StoredReply | undefined;
  /**
   * The tasks of the session by rising number, dead ones too. Read when it is asked for: costs
   * nothing else. Empty without a session.
   */
  readonly tasks: () => readonly Task[];
  /** What a hook took in an hour for the namespace of the session. Read when it is asked for. */
  readonly usage: (hook: string, hour: number) => TaskUsage;
  /** A summary of the session by its version. Read when it is asked for. */
  readonly summary: (version: number) => SummaryRecord | undefined;
}

/** What a plan does to the tasks of its session. */
export interface TaskPlan {
  /** New and changed tasks. */
  readonly put?: readonly Task[];
  /** The numbers of tasks to delete. */
  readonly remove?: readonly number[];
  /** What a hook has taken now in an hour, for the namespace of the session. */
  readonly usage?: { readonly hook: string; readonly hour: number; readonly usage: TaskUsage };
}

/** What a plan does to the summaries of its session. */
export interface SummaryPlan {
  /** New summaries by rising version. */
  readonly put: readonly SummaryRecord[];
  /** Versions to delete. */
  readonly remove?: readonly number[];
}

/** What decide wants done. */
export type SessionDecision<T> =
  /** Load the window too, then decide again. */
  | { readonly kind: "need-window" }
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
   * Erases the log with its window history and its summaries; those of `summaries` are then all. The messages of `append` are then the new log, with the
   * seqs they have; they need not be dense.
   */
  readonly resetLog?: boolean;
  /** New messages by rising seq, from the last one on without gaps. */
  readonly append?: readonly NewMessage[];
  /** Changed messages: the seq and the id stay. */
  readonly replace?: readonly NewMessage[];
  /**
   * Messages to erase, none of them among `replace`: of the log, or of `append`, of which only the
   * seq is then taken. Not together with `resetLog`.
   */
  readonly erase?: readonly { readonly seq: number; readonly messageId: string }[];
  /**
   * The stored window after the change, by rising seq; set whenever it was loaded. When unset the
   * window becomes the old one plus `append`. Must agree with `head.windowRanges`.
   */
  readonly window?: readonly StoredEntry[];
  /** The window lost or regained messages: remember it as the window of `head.lastSeq`. */
  readonly windowTrimmed?: boolean;
  /** At least one, in order. */
  readonly events: readonly NewEvent[];
  /** The answer to remember under the request id of the change. */
  readonly reply?: StoredReply;
  /** What becomes of the session's tasks. */
  readonly tasks?: TaskPlan;
  /** What becomes of the session's summaries. */
  readonly summaries?: SummaryPlan;
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

/** What the decide function of a copy gets to see; it runs first, then again before publishing. */
export interface CopyView {
  readonly revision: number;
  readonly source: Session | undefined;
  readonly target: Session | undefined;
  readonly reply: StoredReply | undefined;
  /** What the source's log holds up to the seq, once copied. */
  readonly copied?: {
    readonly log: { readonly messageCount: number; readonly tokenCount: number };
    /** The window of the source as it was at the seq. */
    readonly window: readonly StoredEntry[];
  };
}

/** What decide wants done about a copy. */
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

/** What the decide function of an import gets to see. */
export type ImportView = Omit<CopyView, "source" | "copied">;

/** What decide wants done about an import; a target that exists is replaced. */
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

export interface SessionQuery {
  readonly namespace: string;
  readonly userId?: string;
  readonly agentId?: string;
  readonly labels?: ReadonlyMap<string, string>;
  readonly createdFromMs?: number;
  readonly createdBeforeMs?: number;
  readonly updatedFromMs?: number;
  readonly updatedBeforeMs?: number;
  readonly order: "asc" | "desc";
  /** Goes on after the session with this number, in the order of the query. */
  readonly after?: number;
  readonly limit: number;
  /** Leaves out sessions whose time has run out. */
  readonly nowMs: number;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  /** Where the next page starts; undefined at the end. */
  readonly next: number | undefined;
}

export interface MessageQuery {
  /** Both included. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly order: "asc" | "desc";
  /** Undefined means every role. */
  readonly roles?: ReadonlySet<Role>;
  readonly limit: number;
}

export interface MessagePage {
  readonly messages: readonly StoredMessage[];
  /** The seq the next page starts at, in the order of the query; undefined at the end. */
  readonly next: number | undefined;
}

export interface EventQuery {
  readonly namespace: string;
  readonly after: EventPosition;
  readonly sessionId?: string;
  readonly userId?: string;
  readonly types?: ReadonlySet<EventType>;
  readonly limit: number;
  /** Ends the page once this many bytes of bodies are on it; at least one event is given. */
  readonly maxBytes: number;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** Everything up to here was looked at: goes on from here. */
  readonly position: EventPosition;
  /** The page reaches the newest durable event. */
  readonly atEnd: boolean;
}

export interface ConsumerRef {
  readonly namespace: string;
  readonly consumerId: string;
}

export interface Consumer {
  readonly consumerId: string;
  readonly position: EventPosition;
  readonly createMs: number;
  readonly updateMs: number;
}

/** What the decide function of a consumer change gets to see. */
export interface ConsumerView {
  readonly consumer: Consumer | undefined;
  /** How many consumers the namespace has. */
  readonly count: number;
  readonly reply: StoredReply | undefined;
}

export type ConsumerDecision<T> =
  | { readonly kind: "answer"; readonly result: T }
  | {
      readonly kind: "save";
      readonly result: T;
      /** Undefined deletes the consumer. */
      readonly consumer: Consumer | undefined;
      readonly reply?: StoredReply;
    };

export interface TaskQuery {
  readonly namespace: string;
  readonly sessionId?: string;
  readonly hook?: string;
  readonly state?: TaskState;
  /** Goes on after the task with this number. */
  readonly after?: number;
  readonly limit: number;
}

export interface TaskPage {
  /** By rising number. */
  readonly tasks: readonly Task[];
  /** The number to go on after; undefined at the end. */
  readonly next: number | undefined;
}

/** Asks for the tasks of a hook that are due: ready ones, and leases that have ended. */
export interface DueQuery {
  readonly hook: string;
  /** Undefined means every namespace, see `afterNamespace`. */
  readonly namespace?: string;
  /**
   * With every namespace: begins behind this one, in the order of their bytes, and goes on from the
   * start, so that each gets its turn. Default: begins with the first.
   */
  readonly afterNamespace?: string;
  readonly nowMs: number;
  /** Of each namespace at most `perNamespace`, the longest due first. */
  readonly limit: number;
  readonly perNamespace: number;
}

export interface DueTask {
  readonly taskNo: number;
  readonly namespace: string;
  readonly dueMs: number;
}

/** Asks for a change of one task, apart from its session. */
export interface TaskChange {
  readonly namespace: string;
  readonly taskNo: number;
  /** The hour whose usage decide gets to see. */
  readonly hour: number;
  readonly requestId?: string;
  readonly allowWhenFull?: boolean;
}

/** What the decide function of a task change gets to see. */
export interface TaskView {
  /** Undefined as well when the task is of another namespace. */
  readonly task: Task | undefined;
  /** What the hook of the task took in the hour for its namespace. */
  readonly usage: TaskUsage;
  readonly reply: StoredReply | undefined;
}

export type TaskDecision<T> =
  | { readonly kind: "answer"; readonly result: T }
  | {
      readonly kind: "save";
      readonly result: T;
      /** Undefined deletes the task. */
      readonly task: Task | undefined;
      readonly usage?: TaskUsage;
      readonly reply?: StoredReply;
    };

export interface SummaryQuery {
  /** `asc` gives the oldest first. */
  readonly order: "asc" | "desc";
  /** Goes on after the summary of this version, in the order of the query. */
  readonly after?: number;
  readonly limit: number;
  /** Ends the page once this many bytes of texts and runs are on it; at least one is given. */
  readonly maxBytes: number;
}

export interface SummaryPage {
  readonly summaries: readonly SummaryRecord[];
  /** The version to go on after; undefined at the end. */
  readonly next: number | undefined;
}

/**
 * What keeps the store small; every step does a bounded piece of the work. Events are dropped by
 * whole revisions. Replies may be kept for a while longer.
 */
export interface MaintenancePlan {
  readonly nowMs: number;
  /** Events older than this are dropped. */
  readonly eventAgeMsMax: number;
  /** Events beyond this number are dropped, the oldest first. */
  readonly eventCountMax: number;
  /** Replies older than this are dropped. */
  readonly replyAgeMsMax: number;
  /** What hooks took in hours before this one is dropped. */
  readonly usageHourMin: number;
}

/** How an engine reads what it must know of a message it loads. */
export type ReadFacts = (bytes: Uint8Array) => WindowFacts;

/** A store. */
export interface Store {
  /** 16 hexadecimal digits; made with the store. */
  readonly storeId: string;
  readonly format: number;
  /** The newest durable revision. */
  revision(): number;
  /** The oldest revision whose events are kept; one above `revision()` when there are none. */
  oldestRevision(): number;
  /** Where a stream from now starts: the newest durable event. */
  newestPosition(): EventPosition;
  /** Where a stream of everything kept starts: just before the oldest event. */
  oldestPosition(): EventPosition;

  readSession(ref: SessionRef): Promise<Session | undefined>;
  listSessions(query: SessionQuery): Promise<SessionPage>;
  /** Sessions whose time has run out; at most `limit`. */
  expiredSessions(nowMs: number, limit: number): Promise<readonly SessionRef[]>;
  readMessage(ref: SessionRef, messageId: string): Promise<StoredMessage | undefined>;
  /** Undefined when there is no session. */
  listMessages(ref: SessionRef, query: MessageQuery): Promise<MessagePage | undefined>;
  /** The session and its stored window, both of one moment. Undefined when there is no session. */
  readWindow(
    ref: SessionRef,
  ): Promise<{ session: Session; window: readonly StoredEntry[] } | undefined>;
  /**
   * The window as it was when `seq` was the newest, without messages erased since, and held under
   * the ceiling by fitCeiling where messages have grown since. `window` is undefined when the seq
   * does not lie between firstSeq - 1 and lastSeq.
   */
  readWindowAt(
    ref: SessionRef,
    seq: number,
  ): Promise<
    | {
        session: Session;
        window: readonly StoredEntry[] | undefined;
        ranges: readonly SeqRange[];
      }
    | undefined
  >;
  changeSession<T>(
    change: SessionChange,
    decide: (view: SessionView) => SessionDecision<T>,
  ): Promise<T>;
  copySession<T>(copy: SessionCopy, decide: (view: CopyView) => CopyDecision<T>): Promise<T>;
  /** Undefined when there is no session. */
  openSnapshot(ref: SessionRef): Promise<SnapshotReader | undefined>;
  /** Starts a log with these seqs. Below the first only messages are that a reset kept. */
  importLog(seqs: { readonly firstSeq: number; readonly lastSeq: number }): Promise<LogImport>;

  readConsumer(ref: ConsumerRef): Promise<Consumer | undefined>;
  /** By id, byte for byte, after the id given. */
  listConsumers(namespace: string, after: string, limit: number): Promise<readonly Consumer[]>;
  changeConsumer<T>(
    change: ConsumerRef & { readonly requestId?: string; readonly allowWhenFull?: boolean },
    decide: (view: ConsumerView) => ConsumerDecision<T>,
  ): Promise<T>;

  /** Undefined when there is none of this number in the namespace. */
  readTask(namespace: string, taskNo: number): Promise<Task | undefined>;
  listTasks(query: TaskQuery): Promise<TaskPage>;
  /** Reads no task: what is due may have been taken meanwhile. */
  dueTasks(query: DueQuery): Promise<readonly DueTask[]>;
  /**
   * When the next task of a hook is due that is not due now; undefined when there is none. Tasks
   * may be left out that are due later than a minute from now.
   */
  nextDueMs(hook: string, nowMs: number): Promise<number | undefined>;
  changeTask<T>(change: TaskChange, decide: (view: TaskView) => TaskDecision<T>): Promise<T>;
  /** Hears, after each change that is durable, of the hooks that have new or changed tasks. */
  onTasks(listener: (hooks: ReadonlySet<string>) => void): () => void;
  readUsage(namespace: string, hook: string, hour: number): Promise<TaskUsage>;
  /** Undefined when there is no session. */
  listSummaries(ref: SessionRef, query: SummaryQuery): Promise<SummaryPage | undefined>;
  /** Undefined when there is no session, or no such summary. */
  readSummary(ref: SessionRef, version: number): Promise<SummaryRecord | undefined>;

  /**
   * A page of events after a position. Throws RESUME_TOKEN_EXPIRED when events after the position
   * are no longer kept, of whatever namespace, and RESUME_TOKEN_INVALID when the position lies
   * after the newest event.
   */
  listEvents(query: EventQuery): Promise<EventPage>;
  /** Calls back with every event once it is durable, in order. Returns how to stop. */
  onEvents(listener: (events: readonly StoredEvent[]) => void): () => void;

  /** Does one bounded step of upkeep; true when there is more to do. */
  maintain(plan: MaintenancePlan): Promise<boolean>;
  /** Stops taking writes, waits for those under way, and closes. */
  close(): Promise<void>;
}
