// What the transport calls and what it must provide: the inputs and results of every use case, in
// domain terms. Wire bytes pass through as opaque Uint8Arrays; only the transport reads them.
//
// Every mutation takes an `encode` function for its result: the answer is made inside the decision,
// so that it can be stored under the request id in the same transaction, and the caller gets bytes.

import type { EventPosition, EventType } from "../domain/event.ts";
import type { MemoryPolicy } from "../domain/memories/policy.ts";
import type { Policy } from "../domain/policy.ts";
import type { Session, SessionRef } from "../domain/session.ts";
import type { Role, StageRun, ToolOutcome, Totals, Trim } from "../domain/window/types.ts";
import type {
  Consumer,
  ConsumerRef,
  MessagePage,
  SessionPage,
  SessionQuery,
  SnapshotReader,
  StoredEvent,
  StoredMessage,
} from "../storage/store.ts";
import type { Call } from "./call.ts";
import type { MessageDraft } from "./codec.ts";
import type { MemoryServiceApi } from "./memory-api.ts";
import type { RecallServiceApi } from "./recall-api.ts";
import type { ExportedWindow, ImportChunk } from "./snapshot-api.ts";
import type { HookServiceApi, SummaryServiceApi } from "./tasks-api.ts";
import type {
  FillToolResultsInput,
  ListSummaryInputsInput,
  PreviewInput,
  PreviewResult,
  RestoreMessagesInput,
  SearchSessionsInput,
  SessionMatches,
  SetSummaryInput,
  SummaryInputs,
  TrimSessionInput,
  WindowInput,
  WindowResult,
} from "./window-api.ts";

export type { CountedContent } from "../domain/token-rules.ts";
export type { Call } from "./call.ts";
export type {
  Codec,
  MadeMessage,
  MergedMessage,
  MessageDraft,
  MessageStamp,
  Speech,
} from "./codec.ts";

/** Randomness and time, handed in. */
export interface World {
  nowMs(): number;
  /** Fresh random bytes. */
  random(length: number): Uint8Array;
  /**
   * Calls back when the clock has moved this far, and gives how to cancel. Default: a timer that
   * does not keep the process alive.
   */
  readonly later?: (callback: () => void, ms: number) => () => void;
}

/** What of a session a caller may set. `undefined` means not set. */
export interface SessionInput {
  readonly userId?: string;
  readonly agentId?: string;
  /** Sorted by key. */
  readonly labels?: ReadonlyMap<string, string>;
  readonly metadata?: Uint8Array;
  readonly policy?: Policy;
  /** 0 means for ever. */
  readonly ttlMs?: number;
  readonly summaryText?: string;
  readonly memoryPolicy?: MemoryPolicy;
}

/** The paths of UpdateSession. */
export type SessionPath =
  | "user_id"
  | "agent_id"
  | "labels"
  | "metadata"
  | "policy"
  | "ttl"
  | "memory_policy";

export interface CreateSessionInput extends SessionRef {
  readonly input: SessionInput;
  readonly encode: (session: Session) => Uint8Array;
}

export interface UpdateSessionResult {
  readonly session: Session;
  readonly trims: readonly Trim[];
  readonly runs: readonly StageRun[];
  readonly overLimit: boolean;
}

export interface UpdateSessionInput extends SessionRef {
  readonly input: SessionInput;
  /** The paths to change; one that is not set in `input` is cleared. */
  readonly paths: readonly SessionPath[];
  /** Empty means any. */
  readonly etag: string;
  readonly encode: (result: UpdateSessionResult) => Uint8Array;
}

export interface DeleteSessionInput extends SessionRef {
  readonly etag: string;
  readonly allowMissing: boolean;
  readonly encode: (result: { revision: number }) => Uint8Array;
}

export interface ForkSessionInput {
  readonly namespace: string;
  readonly sourceSessionId: string;
  /** Empty asks the server for one. */
  readonly sessionId: string;
  readonly atSeq?: number;
  readonly encode: (session: Session) => Uint8Array;
}

export interface ResetSessionInput extends SessionRef {
  readonly keepSystemMessages: boolean;
  readonly keepFirstSystemMessage: boolean;
  readonly keepSummary: boolean;
  readonly etag: string;
  readonly encode: (result: { session: Session; deleted: Totals }) => Uint8Array;
}

/** As the store's query, without the time, which the service adds. */
export type ListSessionsInput = Omit<SessionQuery, "nowMs">;

export interface AppendInput extends SessionRef {
  readonly drafts: readonly MessageDraft[];
  readonly expectedLastSeq?: number;
  readonly createSession: boolean;
  readonly turnEnd: boolean;
  readonly modelInputTokens?: number;
  readonly toolOutcomes: readonly ToolOutcome[];
  readonly encode: (result: AppendResult) => Uint8Array;
}

export interface AppendResult {
  readonly messages: readonly {
    readonly messageId: string;
    readonly seq: number;
    readonly tokenCount: number;
  }[];
  readonly revision: number;
  readonly trims: readonly Trim[];
  readonly window: Totals;
  readonly lastSeq: number;
  readonly runs: readonly StageRun[];
  readonly overLimit: boolean;
  /** What long-term memory got; unset for nothing. */
  readonly given?: {
    readonly episodeId: string;
    readonly promotedIds: readonly string[];
    readonly evictedIds: readonly string[];
  };
}

export interface ListMessagesInput extends SessionRef {
  readonly roles?: ReadonlySet<Role>;
  /** 0 means from the start. */
  readonly firstSeq: number;
  /** 0 means to the end. */
  readonly lastSeq: number;
  readonly order: "asc" | "desc";
  /** Where the page starts, from an earlier page's `next`. */
  readonly startSeq?: number;
  readonly limit: number;
}

export interface UpdateMessageInput extends SessionRef {
  readonly messageId: string;
  readonly draft: MessageDraft;
  /** The paths to change, as UpdateMessage names them, without `*`. */
  readonly paths: readonly string[];
  readonly etag: string;
  readonly encode: (result: {
    message: Uint8Array;
    revision: number;
    trims: readonly Trim[];
    window: Totals;
  }) => Uint8Array;
}

export interface DeleteMessageInput extends SessionRef {
  readonly messageId: string;
  readonly etag: string;
  readonly allowMissing: boolean;
  readonly encode: (result: {
    revision: number;
    trims: readonly Trim[];
    window: Totals;
  }) => Uint8Array;
}

export interface EventFilter {
  readonly sessionId?: string;
  readonly userId?: string;
  readonly types?: ReadonlySet<EventType>;
}

/** Where a stream starts. Positions come from resume tokens that the transport has checked. */
export type StreamStart =
  | { readonly kind: "after"; readonly position: EventPosition }
  | { readonly kind: "now" }
  | { readonly kind: "oldest" }
  | { readonly kind: "revision"; readonly revision: number }
  | { readonly kind: "consumer"; readonly consumerId: string };

/** Where a list or a consumer starts. */
export type FixedStart = Exclude<StreamStart, { kind: "consumer" }>;

export interface WatchInput {
  readonly namespace: string;
  readonly start: StreamStart;
  readonly filter: EventFilter;
}

/** An open stream of events; the reader pulls. */
export interface Watcher {
  /** Everything up to here was given out or did not match. */
  readonly position: EventPosition;
  /**
   * Waits for matching events. Gives a few of them, at most 32 KiB or one event; an empty list
   * after `timeoutMs` without any. Throws RESUME_TOKEN_EXPIRED when the reader fell behind what is
   * kept, SHUTTING_DOWN when the server stops. Never called twice at once. After each call
   * `position` is that of the last event given, or later when the rest did not match.
   */
  next(timeoutMs: number): Promise<readonly StoredEvent[]>;
  close(): void;
}

export interface ListEventsInput {
  readonly namespace: string;
  readonly start: FixedStart;
  readonly filter: EventFilter;
  readonly limit: number;
}

export interface CreateConsumerInput extends ConsumerRef {
  readonly start: FixedStart;
  readonly encode: (view: ConsumerView) => Uint8Array;
}

export interface DeleteConsumerInput extends ConsumerRef {
  readonly allowMissing: boolean;
  readonly encode: () => Uint8Array;
}

/** A consumer with its distance from the newest event. */
export interface ConsumerView extends Consumer {
  readonly historyId: string;
  readonly lag: number;
}

export interface SessionServiceApi {
  createSession(call: Call, input: CreateSessionInput): Promise<Uint8Array>;
  getSession(call: Call, ref: SessionRef): Promise<Session>;
  listSessions(call: Call, input: ListSessionsInput): Promise<SessionPage>;
  updateSession(call: Call, input: UpdateSessionInput): Promise<Uint8Array>;
  deleteSession(call: Call, input: DeleteSessionInput): Promise<Uint8Array>;
  forkSession(call: Call, input: ForkSessionInput): Promise<Uint8Array>;
  resetSession(call: Call, input: ResetSessionInput): Promise<Uint8Array>;
  appendMessages(call: Call, input: AppendInput): Promise<Uint8Array>;
  listMessages(call: Call, input: ListMessagesInput): Promise<MessagePage>;
  getMessage(
    call: Call,
    input: SessionRef & { readonly messageId: string },
  ): Promise<{ message: StoredMessage; inWindow: boolean }>;
  updateMessage(call: Call, input: UpdateMessageInput): Promise<Uint8Array>;
  deleteMessage(call: Call, input: DeleteMessageInput): Promise<Uint8Array>;
  getWindow(call: Call, input: WindowInput): Promise<WindowResult>;
  previewPolicy(call: Call, input: PreviewInput): Promise<PreviewResult>;
  trimSession(call: Call, input: TrimSessionInput): Promise<Uint8Array>;
  restoreMessages(call: Call, input: RestoreMessagesInput): Promise<Uint8Array>;
  listSummaryInputs(call: Call, input: ListSummaryInputsInput): Promise<SummaryInputs>;
  setSummary(call: Call, input: SetSummaryInput): Promise<Uint8Array>;
  fillToolResults(call: Call, input: FillToolResultsInput): Promise<Uint8Array>;
  searchSessions(call: Call, input: SearchSessionsInput): Promise<SessionMatches>;
}

/** Exports and imports. */
export interface SnapshotServiceApi {
  /** Opens a session for a native export; the caller must close the reader. */
  openSnapshot(call: Call, ref: SessionRef): Promise<SnapshotReader>;
  /** The stored window with what stands in it, as no view changes it. */
  exportWindow(call: Call, ref: SessionRef): Promise<ExportedWindow>;
  importChunk(call: Call, chunk: ImportChunk): Promise<Uint8Array>;
}

export interface EventServiceApi {
  watch(call: Call, input: WatchInput): Promise<Watcher>;
  listEvents(
    call: Call,
    input: ListEventsInput,
  ): Promise<{ events: readonly StoredEvent[]; position: EventPosition; atEnd: boolean }>;
  createConsumer(call: Call, input: CreateConsumerInput): Promise<Uint8Array>;
  getConsumer(call: Call, ref: ConsumerRef): Promise<ConsumerView>;
  listConsumers(
    call: Call,
    input: { readonly namespace: string; readonly after: string; readonly limit: number },
  ): Promise<{ consumers: readonly ConsumerView[]; next: string | undefined }>;
  deleteConsumer(call: Call, input: DeleteConsumerInput): Promise<Uint8Array>;
  ackEvents(
    call: Call,
    input: ConsumerRef & { readonly position: EventPosition },
  ): Promise<ConsumerView>;
}

/** What AdminService tells of the store. */
export interface AdminServiceApi {
  storeInfo(): {
    storeId: string;
    storeFormat: number;
  };
}

/** Every use case, and how to stop. */
export interface Services {
  readonly sessions: SessionServiceApi;
  readonly snapshots: SnapshotServiceApi;
  readonly summaries: SummaryServiceApi;
  readonly hooks: HookServiceApi;
  readonly recall: RecallServiceApi;
  readonly memories: MemoryServiceApi;
  readonly events: EventServiceApi;
  readonly admin: AdminServiceApi;
  /** Ends every watcher with SHUTTING_DOWN; no new one can be opened. */
  endWatches(): void;
  /** Stops the background work. The store is closed by its owner. */
  stop(): Promise<void>;
}

/** What an operator may change about the services. */
export interface ServiceSettings {
  /** How long a request id is remembered. */
  readonly idempotencyWindowMs: number;
  readonly eventAgeMsMax: number;
  readonly eventCountMax: number;
  /** Default: confidence does not fade by itself. */
  readonly memoryDecay?: MemoryDecay;
}

/** How the confidence of memories fades by itself. */
export interface MemoryDecay {
  /** What is left of it after a period; below 1. */
  readonly factor: number;
  readonly periodMs: number;
  /** Memories below this are deleted, unless they are persistent; 0 deletes none. */
  readonly floor: number;
}
