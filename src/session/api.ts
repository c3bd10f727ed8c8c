// The interface between the edge and the use cases: the inputs and results of every use case, in
// domain terms. Wire bytes pass through as opaque Uint8Arrays; only the transport reads them.
//
// Every mutation takes an `encode` function for its result: the answer is made inside the decision,
// so that it can be stored under the request id in the same transaction, and the caller gets bytes.

import type { MessageDraft } from "../core/codec.ts";
import type { WantedCall } from "../forms/forms.ts";
import type { RecordOperation, RecordOutcome } from "../records/rules/record.ts";
import type {
  FoundPlace,
  ListTotal,
  MessagePage,
  MessageSearch,
  SessionPage,
  SessionQuery,
  StoredMessage,
} from "../store/store.ts";
import type { Policy } from "../window/policy/policy.ts";
import type { SeqRange, StageRun, ToolOutcome, Totals, Trim } from "../window/rules/types.ts";
import type { AppendedEntry, AppendOutcome, OnExisting } from "./log/existing-messages.ts";
import type { Session, SessionPath, SessionRef, SessionSettings } from "./rules/session.ts";

export type { AppendOutcome, OnExisting };

/** Values of a session from a caller, who may leave out any of them. */
export interface SessionInput extends Partial<SessionSettings> {
  readonly summaryText?: string;
}

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
export interface ListSessionsInput extends Omit<SessionQuery, "nowMs"> {
  readonly includeTotal?: boolean;
}

/** A page of sessions, and how many all pages have, if that was asked for. */
export interface ListedSessions extends SessionPage {
  readonly total: ListTotal | undefined;
}

/** Attributes of a session that an append creates or changes. */
export interface AttributesInput {
  readonly input: SessionInput;
  /** The paths to change of an existing session; none leaves it as it is. */
  readonly paths: readonly SessionPath[];
  /** Empty means any. */
  readonly etag: string;
}

export interface AppendInput extends SessionRef {
  readonly drafts: readonly MessageDraft[];
  /** Calls that results among the drafts answer and the window must have; unset for none. */
  readonly wantedCalls?: readonly WantedCall[];
  readonly expectedLastSeq?: number;
  readonly createSession: boolean;
  readonly turnEnd: boolean;
  readonly modelInputTokens?: number;
  readonly toolOutcomes: readonly ToolOutcome[];
  /** On different records. */
  readonly recordOperations: readonly RecordOperation[];
  readonly onExisting: OnExisting;
  readonly attributes?: AttributesInput;
  /** The policy of a reply that follows: it is refused before anything is written. */
  readonly replyPolicy?: Policy;
  readonly encode: (result: AppendResult) => Uint8Array;
}

export interface AppendResult {
  /** In the order of the drafts. */
  readonly messages: readonly AppendedEntry[];
  /** Messages that the call erased. */
  readonly deleted: Totals;
  readonly revision: number;
  readonly trims: readonly Trim[];
  readonly window: Totals;
  readonly lastSeq: number;
  readonly runs: readonly StageRun[];
  readonly overLimit: boolean;
  /** Empty unless the append came with attributes. */
  readonly sessionEtag: string;
  /** Memories that the append made; unset for none. */
  readonly given?: {
    readonly episodeId: string;
    readonly promotedIds: readonly string[];
    readonly evictedIds: readonly string[];
  };
  readonly recordOutcomes: readonly RecordOutcome[];
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

/** Messages by their ids and seqs. */
export interface MessageNames {
  readonly messageIds: readonly string[];
  readonly ranges: readonly SeqRange[];
}

export interface BatchGetInput extends SessionRef, MessageNames {
  /** Start of the page: `next` of an earlier page. */
  readonly startSeq?: number;
  readonly limit: number;
}

export interface BatchGetResult extends MessagePage {
  /** The ids without a message. */
  readonly missing: readonly string[];
}

/** Result of a call that deletes several messages. */
export interface DeletedMessages {
  /** By rising seq. */
  readonly messages: readonly StoredMessage[];
  /** 0 when there was nothing to delete. */
  readonly revision: number;
  readonly trims: readonly Trim[];
  readonly window: Totals;
}

/** As the store's query, without the time, which the service adds. */
export type FindMessagesInput = Omit<MessageSearch, "nowMs">;

/** A message that was deleted without its session being named. */
export interface DeletedFound {
  readonly sessionId: string;
  readonly messageId: string;
  readonly seq: number;
  readonly revision: number;
}

export interface DeleteFoundInput extends Omit<FindMessagesInput, "limit"> {
  readonly encode: (result: {
    readonly messages: readonly DeletedFound[];
    readonly next: FoundPlace | undefined;
  }) => Uint8Array;
}

export interface BatchDeleteInput extends SessionRef, MessageNames {
  /** One of several changes of a call, whose answer is remembered with another one. */
  readonly isPart?: boolean;
  readonly allowMissing: boolean;
  readonly expectedLastSeq?: number;
  readonly encode: (result: DeletedMessages) => Uint8Array;
}

export interface ReplaceInput extends SessionRef {
  readonly drafts: readonly MessageDraft[];
  /** Calls that results among the drafts answer and the rest of the window must have. */
  readonly wantedCalls?: readonly WantedCall[];
  /** Undefined replaces the whole log. */
  readonly fromSeq: number | undefined;
  readonly keepCommonPrefix: boolean;
  readonly expectedLastSeq?: number;
  readonly createSession: boolean;
  readonly encode: (result: AppendResult) => Uint8Array;
}

export interface PopInput extends SessionRef {
  readonly count: number;
  readonly expectedLastSeq?: number;
  readonly encode: (result: DeletedMessages) => Uint8Array;
}
