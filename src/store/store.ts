// The storage interface: what the layers above may ask of an engine, in terms of sessions,
// messages, events and consumers. lmdb/ and test/model implement it, and test/storage runs one
// conformance suite over both.
//
// Writes are optimistic: the engine loads what the change needs, calls the caller's pure `decide`
// function with it, and saves the plan it returns if nothing of it changed meanwhile; else it loads
// and decides again. So `decide` may run more than once, must not await, and must have no effect.
// A promise of a change settles only when everything the decision was based on and everything it
// saved is on stable storage; that holds for a thrown AppError as well.
//
// A decision sees the parts of a session that its change names, and may ask for the window or for
// more messages; no more of the log is in reach. What it looks up beside them (tasks, summaries,
// memories, documents) it asks for by key or with a limit. An engine that cannot read in place
// loads what was named and asked for, decides again, and saves if none of it changed meanwhile.
//
// Reads see what is durable and never anything else.

import type { EventPosition } from "../events/rules/event.ts";
import type { EventFilter } from "../events/rules/event-filter.ts";
import type { AppError } from "../kit/errors.ts";
import type { MemoryScope } from "../memory/rules/memory.ts";
import type { Session, SessionRef } from "../session/rules/session.ts";
import type { SummaryRecord } from "../summary/rules/summary.ts";
import type { Task, TaskUsage } from "../tasks/rules/task.ts";
import type { Role, SeqRange, WindowFacts } from "../window/rules/types.ts";
import type {
  CollectionQuery,
  CollectionRef,
  DocumentChange,
  DocumentDecision,
  DocumentPage,
  DocumentParts,
  DocumentQuery,
  DocumentView,
  ListedCollection,
  NewVectors,
  StoredDocument,
  VectorPlace,
  VectorRecord,
} from "./document-records.ts";
import type { ErasureStore } from "./erasure-records.ts";
import type { RecordStore } from "./kept-records.ts";
import type { MemoryStore } from "./memory-records.ts";
import type {
  CopyDecision,
  CopyView,
  LogImport,
  SessionChange,
  SessionCopy,
  SessionDecision,
  SessionView,
  SnapshotReader,
} from "./session-changes.ts";
import type { StoredEntry, StoredEvent, StoredMessage, StoredReply } from "./stored.ts";
import type {
  DueQuery,
  DueTask,
  SummaryPage,
  SummaryQuery,
  TaskChange,
  TaskDecision,
  TaskPage,
  TaskQuery,
  TaskView,
} from "./task-records.ts";

export type * from "./document-records.ts";
export type * from "./erasure-records.ts";
export type * from "./kept-records.ts";
export type * from "./memory-records.ts";
export type * from "./session-changes.ts";
export type * from "./stored.ts";
export type * from "./task-records.ts";

/** A session in a list: where the next page goes on. */
export interface SessionPlace {
  readonly sessionNo: number;
  /** The time of its last change; 0 in the order of creation. */
  readonly updateMs: number;
}

export interface SessionQuery {
  readonly namespace: string;
  readonly userId?: string;
  readonly agentId?: string;
  readonly sessionIdPrefix?: string;
  readonly labels?: ReadonlyMap<string, string>;
  readonly createdFromMs?: number;
  readonly createdBeforeMs?: number;
  readonly updatedFromMs?: number;
  readonly updatedBeforeMs?: number;
  /** A pure test of what the fields above do not say. */
  readonly where?: (session: Session) => boolean;
  /** The time that sessions are listed by; those of one time in the order of creation. */
  readonly by?: "create" | "update";
  readonly order: "asc" | "desc";
  /** Goes on after this session, in the order of the query. */
  readonly after?: SessionPlace;
  readonly limit: number;
  /** Leaves out sessions whose time has run out. */
  readonly nowMs: number;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  /** The place of each. */
  readonly places: readonly SessionPlace[];
  /** Start of the next page; undefined at the end. */
  readonly next: SessionPlace | undefined;
}

/** Looks for messages by their ids in the sessions that a filter names, the newest one first. */
export interface MessageSearch extends Omit<SessionQuery, "by" | "order" | "after"> {
  /** At least one, all different. */
  readonly messageIds: readonly string[];
  readonly start?: FoundPlace;
}

/** A place of a search: this session from this seq on, then older sessions. */
export interface FoundPlace {
  readonly sessionNo: number;
  readonly seq: number;
}

export interface FoundMessage extends StoredMessage {
  readonly sessionId: string;
}

export interface FoundPage {
  /** Those of a session by rising seq. */
  readonly messages: readonly FoundMessage[];
  /** Start of the next page; undefined at the end. A page with each id may end early. */
  readonly next: FoundPlace | undefined;
}

export interface ListedNamespace {
  readonly namespace: string;
  /** That of its last change. */
  readonly revision: number;
}

/** A count of entries; those beyond the bound of one call are not counted. */
export interface ListTotal {
  readonly count: number;
  /** There may be more. */
  readonly isAtLeast: boolean;
}

export interface MessageQuery {
  /** Both included. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly order: "asc" | "desc";
  /** Undefined means every role. */
  readonly roles?: ReadonlySet<Role>;
  /** A pure test of the wire form. A page that has one also ends after 3 MiB that it examined. */
  readonly where?: (bytes: Uint8Array) => boolean;
  readonly limit: number;
  /** Messages that the page may examine. Default 10,000. */
  readonly looks?: number;
}

export interface MessagePage {
  readonly messages: readonly StoredMessage[];
  /** The seq the next page starts at, in the order of the query; undefined at the end. */
  readonly next: number | undefined;
}

export interface EventQuery extends EventFilter {
  readonly namespace: string;
  readonly after: EventPosition;
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
  /** The history of the store that the position is of. Missing: that of its making. */
  readonly historyId?: string;
  readonly position: EventPosition;
  readonly createMs: number;
  readonly updateMs: number;
}

/** The view for the decide function of a consumer change. */
export interface ConsumerView {
  readonly consumer: Consumer | undefined;
  /** Number of consumers of the namespace. */
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

/**
 * Limits that keep the store small; every step does a bounded piece of the work. Events go by
 * whole revisions, the oldest of the store first. Replies may be kept for a while longer.
 */
export interface MaintenancePlan {
  readonly nowMs: number;
  /** Events older than this are dropped. */
  readonly eventAgeMsMax: number;
  /** Events beyond this number are dropped, the oldest first. */
  readonly eventCountMax: number;
  /** Replies older than this are dropped. */
  readonly replyAgeMsMax: number;
  /** The usage of hooks in hours before this one is dropped. */
  readonly usageHourMin: number;
}

/** Reader of the facts that an engine needs about a message it loads. */
export type ReadFacts = (bytes: Uint8Array) => WindowFacts;

/** First and last events of a namespace. */
export interface StreamPositions {
  /** Start of a stream from now: the newest durable event. Its revision is the namespace's. */
  readonly newest: EventPosition;
  /** Start of a stream of everything retained: just before the oldest event. */
  readonly oldest: EventPosition;
}

/** The changes of one commit. Several calls may share a commit; a call never spans two. */
export interface Commit {
  /** Those of a namespace in order. */
  readonly events: readonly StoredEvent[];
  /** The hooks that have new or changed tasks with something to do. */
  readonly taskHooks: ReadonlySet<string>;
  /** Documents that were written or deleted. */
  readonly documents: readonly ChangedDocuments[];
  /** Memories that were written or deleted. */
  readonly memories: readonly ChangedMemory[];
  /** A job on memories was made or changed that does not wait for the end of a turn. */
  readonly memoryJobsDue: boolean;
}

/** Documents of a collection that a commit wrote or deleted. */
export interface ChangedDocuments extends CollectionRef {
  /** Their numbers; "all" when the collection was cleared. */
  readonly numbers: readonly number[] | "all";
}

/** A memory that a commit wrote or deleted. */
export interface ChangedMemory {
  readonly namespace: string;
  readonly scope: MemoryScope;
  readonly memoryNo: number;
}

/** A state of a store: how many commits it has, and the start of the server that made the last. */
export interface StateMark {
  /** 16 hexadecimal digits. */
  readonly epoch: string;
  readonly commitNo: number;
}

/**
 * The states that led to the one of now. Those of a future that was lost, because a copy from
 * before it was put back, are not among them.
 */
export interface Lineage {
  /** Names the state of now. */
  mark(): StateMark;
  includes(mark: StateMark): boolean;
}

/** The reads that an index of recall is made of. */
export type Lists = Pick<
  Store,
  | "listSessions"
  | "listMessages"
  | "listDocuments"
  | "listCollections"
  | "listMemoryScopes"
  | "listMemories"
  | "readVectors"
>;

/**
 * A store. Every namespace has revisions of its own: one for each saved change of its sessions,
 * documents, memories and records, each one above the one before. Nothing orders changes of several
 * namespaces.
 */
export interface Store extends MemoryStore, ErasureStore, RecordStore, DocumentParts {
  /** 16 hexadecimal digits; made with the store. */
  readonly storeId: string;
  /**
   * 16 hexadecimal digits that name the past of the store. Revisions and positions mean something
   * within one history only: a store whose past is replaced has another one from then on.
   */
  readonly historyId: string;
  /** States that led to this one. Undefined when the store cannot tell. */
  readonly lineage?: Lineage | undefined;
  /** 16 hexadecimal digits that name this server among those that serve the store. */
  readonly instanceId: string;
  readonly format: number;
  positions(namespace: string): Promise<StreamPositions>;
  /** Number of retained revisions of a namespace after that of a position. */
  countRevisions(namespace: string, after: EventPosition): Promise<number>;

  /** By name, byte for byte, after the name given; also those whose records are all gone. */
  listNamespaces(after: string, limit: number): Promise<readonly ListedNamespace[]>;

  readSession(ref: SessionRef): Promise<Session | undefined>;
  listSessions(query: SessionQuery): Promise<SessionPage>;
  /** Finds messages by their ids. Ids are unique within a session only. */
  findMessages(query: MessageSearch): Promise<FoundPage>;
  /** Counts the sessions of a list on all its pages. */
  countSessions(query: Omit<SessionQuery, "after" | "limit">): Promise<ListTotal>;
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

  /**
   * Lists for an index of recall: they pass over what is damaged, and tell it to `onDamage`.
   * Missing where nothing can be damaged.
   */
  passingOver?(onDamage: (damage: AppError) => void): Lists;

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
  /** The hooks that have ready or leased tasks, due at whatever time. In no order. */
  taskHooks(): Promise<readonly string[]>;
  changeTask<T>(change: TaskChange, decide: (view: TaskView) => TaskDecision<T>): Promise<T>;
  readUsage(namespace: string, hook: string, hour: number): Promise<TaskUsage>;
  /** Undefined when there is no session. */
  listSummaries(ref: SessionRef, query: SummaryQuery): Promise<SummaryPage | undefined>;
  /** Undefined when there is no session, or no such summary. */
  readSummary(ref: SessionRef, version: number): Promise<SummaryRecord | undefined>;

  changeDocuments<T>(
    change: DocumentChange,
    decide: (view: DocumentView) => DocumentDecision<T>,
  ): Promise<T>;
  readDocument(ref: CollectionRef, documentId: string): Promise<StoredDocument | undefined>;
  /** Ends a page before its limit when it has many bytes. */
  listDocuments(query: DocumentQuery): Promise<DocumentPage>;
  /** Those that hold documents, or stand for some that do. */
  listCollections(query: CollectionQuery): Promise<readonly ListedCollection[]>;
  /**
   * Keeps vectors, all in one transaction; gives how many were kept: those of records that are gone
   * or have changed are dropped. They go with their record, also when it changes, and a copy of a
   * session begins without. No revision. At most 1,024 records and 32 MiB of vectors; an Error
   * beyond that, and when the vectors of a record have several lengths.
   */
  saveVectors(vectors: readonly NewVectors[]): Promise<number>;
  /**
   * The vectors of some records, in their order; undefined where there are none. All are read in
   * one turn: a caller asks for a bounded number.
   */
  readVectors(places: readonly VectorPlace[]): Promise<readonly (VectorRecord | undefined)[]>;
  /** The namespaces that were recalled, with when, the newest first. */
  recalledNamespaces(): Promise<readonly { readonly namespace: string; readonly ms: number }[]>;
  /** Remembers that a namespace was recalled: of the last 4,096. No revision. */
  noteRecalled(namespace: string, ms: number): Promise<void>;

  /**
   * A page of events after a position. Throws RESUME_TOKEN_EXPIRED when events of the namespace
   * after the position are no longer kept, and RESUME_TOKEN_INVALID when the position lies after
   * its newest event.
   */
  listEvents(query: EventQuery): Promise<EventPage>;
  /**
   * Calls back after each commit that changed something: when it can be read, and before the calls
   * whose changes it holds are answered. So whoever marks what it hears knows of a write before the
   * writer does. A listener must be quick and must not throw. Returns how to stop.
   */
  onCommit(listener: (commit: Commit) => void): () => void;

  /** Does one bounded step of upkeep; true when there is more to do. */
  maintain(plan: MaintenancePlan): Promise<boolean>;
  /** Stops taking writes, waits for those under way, and closes. */
  close(): Promise<void>;
}
