// Options of `connect` and of the client's methods.

import { CALL_OPTIONS, type CallOptions, MUTATION_OPTIONS, type MutationOptions } from "./call.ts";
import type { ChannelSettings } from "./channel.ts";
import type { SeqInput } from "./choice.ts";
import type { FormName } from "./forms.ts";
import type { RoleInput } from "./message.ts";
import type { MetadataInput } from "./metadata.ts";
import type { PolicyInput } from "./policy.ts";
import type { OccasionName, UnitName } from "./policy-names.ts";
import type { RetryPolicy } from "./retry.ts";
import type { FormatName } from "./snapshot-parts.ts";
import type { EventFilterInput, EventPlace, WatchStart } from "./watch.ts";

export type { SeqInput } from "./choice.ts";

/** Connection options beside the address. */
export interface ConnectOptions extends ChannelSettings {
  /** The namespace of calls that name none. Default `default`. */
  readonly namespace?: string | undefined;
  /** Time limit of a call with all its attempts, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Retry policy. Default: 8 attempts, 100 ms to 2 s apart. */
  readonly retry?: Partial<RetryPolicy> | undefined;
}

export const CONNECT_OPTIONS = {
  ...{ token: true, tls: true, namespace: true, timeoutMs: true, retry: true },
} as const;

/** In which order a list comes. */
export type OrderInput = "newest-first" | "oldest-first";

/** Every list: how many items one call fetches. The iterator hides the pages. */
export interface ListOptions extends CallOptions {
  /** Items in one page; default: the server's. */
  readonly pageSize?: number | undefined;
}

export const LIST_OPTIONS = { ...CALL_OPTIONS, pageSize: true } as const;

/** Filter of sessions. Every condition that is set must hold. */
export interface SessionFilterInput {
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionIdPrefix?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly metadata?: readonly MetadataInput[] | undefined;
  readonly createTimeFrom?: Date | undefined;
  readonly createTimeBefore?: Date | undefined;
  readonly updateTimeFrom?: Date | undefined;
  readonly updateTimeBefore?: Date | undefined;
}

export const SESSION_FILTER = {
  ...{ userId: true, agentId: true, sessionIdPrefix: true, labels: true, metadata: true },
  ...{ createTimeFrom: true, createTimeBefore: true },
  ...{ updateTimeFrom: true, updateTimeBefore: true },
} as const;
export const LIST_SESSIONS_OPTIONS = { ...LIST_OPTIONS, ...SESSION_FILTER, order: true } as const;
export const COUNT_SESSIONS_OPTIONS = { ...CALL_OPTIONS, ...SESSION_FILTER } as const;
export const FIND_MESSAGES_OPTIONS = { ...LIST_OPTIONS, ...SESSION_FILTER } as const;
export const DELETE_FOUND_MESSAGES_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, ...SESSION_FILTER, pageToken: true },
} as const;

/** Options of a list of sessions. */
export interface ListSessionsOptions extends ListOptions, SessionFilterInput {
  /** By the time of creation, or of the last update. Default `newest-first`. */
  readonly order?: OrderInput | "newest-update-first" | "oldest-update-first" | undefined;
}

/** Options of a search of messages by their ids: the sessions to search. */
export interface FindMessagesOptions extends ListOptions, SessionFilterInput {}

/** Options of a deletion of messages by their ids: the sessions to search. */
export interface DeleteFoundMessagesOptions extends MutationOptions, SessionFilterInput {
  /** The `nextPageToken` of an earlier answer. */
  readonly pageToken?: string | undefined;
}

/** Options of a count of sessions. */
export interface CountSessionsOptions extends CallOptions, SessionFilterInput {}

/** Filter of messages. Every condition that is set must hold. */
export interface MessageFilterInput {
  readonly roles?: readonly RoleInput[] | undefined;
  readonly firstSeq?: SeqInput | undefined;
  readonly lastSeq?: SeqInput | undefined;
  /** Sent at this time or later, else stored. */
  readonly timeFrom?: Date | undefined;
  readonly timeBefore?: Date | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly metadata?: readonly MetadataInput[] | undefined;
  /** Any of these names of speakers or tools. */
  readonly names?: readonly string[] | undefined;
  /** With a call of any of these tools. */
  readonly calledTools?: readonly string[] | undefined;
  readonly messageIds?: readonly string[] | undefined;
}

const MESSAGE_FILTER = {
  ...{ roles: true, firstSeq: true, lastSeq: true, timeFrom: true, timeBefore: true },
  ...{ labels: true, metadata: true, names: true, calledTools: true, messageIds: true },
} as const;
export const COUNT_MESSAGES_OPTIONS = { ...CALL_OPTIONS, ...MESSAGE_FILTER } as const;
export const LIST_MESSAGES_OPTIONS = {
  ...{ ...LIST_OPTIONS, ...MESSAGE_FILTER, order: true, form: true },
} as const;

/** Options of a list of messages. */
export interface ListMessagesOptions extends ListOptions, MessageFilterInput {
  /** Default `oldest-first`. */
  readonly order?: OrderInput | undefined;
}

/** Sessions whose messages are listed: those named, in this order, or those of a filter. */
export interface SessionsInput {
  readonly sessionIds?: readonly string[] | undefined;
  /** In the order of their creation; an empty filter means all. */
  readonly sessions?: SessionFilterInput | undefined;
}

/** Options of a list of the messages of several sessions. */
export interface ListSessionMessagesOptions extends ListMessagesOptions, SessionsInput {}

const SESSIONS_INPUT = { sessionIds: true, sessions: true } as const;
export const LIST_SESSION_MESSAGES_OPTIONS = {
  ...{ ...LIST_OPTIONS, ...MESSAGE_FILTER, ...SESSIONS_INPUT, order: true },
} as const;
export const COUNT_SESSION_MESSAGES_OPTIONS = {
  ...{ ...COUNT_MESSAGES_OPTIONS, ...SESSIONS_INPUT },
} as const;

/** Options of a list of events. */
export interface ListEventsOptions extends ListOptions {
  /** Start position. Default: the oldest retained event. */
  readonly from?: EventPlace | undefined;
  readonly filter?: EventFilterInput | undefined;
}

export const LIST_EVENTS_OPTIONS = { ...LIST_OPTIONS, from: true, filter: true } as const;

/** Options of an update. */
export interface UpdateOptions extends MutationOptions {
  /**
   * The fields to change by their names in the contract, for example `user_id`, or `*` for all. A
   * field that is named and not given is cleared. Default: the fields that are given.
   */
  readonly updateMask?: readonly string[] | undefined;
}

export const UPDATE_OPTIONS = { ...MUTATION_OPTIONS, updateMask: true } as const;

/** Options of a delete. */
export interface DeleteOptions extends MutationOptions {
  /** Etag that the deleted object must still have. */
  readonly etag?: string | undefined;
  /** Succeeds when there is nothing to delete. */
  readonly allowMissing?: boolean | undefined;
}

export const DELETE_OPTIONS = { ...MUTATION_OPTIONS, etag: true, allowMissing: true } as const;

/** Options of a fork. */
export interface ForkOptions extends MutationOptions {
  /** The last seq to copy. Default: the newest. */
  readonly atSeq?: SeqInput | undefined;
  /** The id of the copy. Default: made by the server. */
  readonly sessionId?: string | undefined;
}

export const FORK_OPTIONS = { ...MUTATION_OPTIONS, atSeq: true, sessionId: true } as const;

/** Options of a reset. */
export interface ResetOptions extends MutationOptions {
  /** Keeps the system messages that are in the window. Default false. */
  readonly keepSystemMessages?: boolean | undefined;
  /** Keeps the oldest message of the log if it is a system message. Default false. */
  readonly keepFirstSystemMessage?: boolean | undefined;
  /** Keeps the summary of the session. Default false. */
  readonly keepSummary?: boolean | undefined;
  /** The session must still have this etag. */
  readonly etag?: string | undefined;
}

export const RESET_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, keepSystemMessages: true, keepFirstSystemMessage: true },
  ...{ keepSummary: true, etag: true },
} as const;

/** Outcome of a tool. */
export interface ToolOutcomeInput {
  readonly tool: string;
  /** Says that it failed. Default false. */
  readonly error?: boolean;
}

/** Options of a list of messages in the form of a model API. */
export interface FormListOptions extends ListMessagesOptions {
  readonly form: FormName;
}

/** Options of a window in the form of a model API. */
export interface FormWindowOptions extends WindowOptions {
  readonly form: FormName;
}

/** Options of a window. */
export interface WindowOptions extends CallOptions {
  /** Looks through this policy instead of the session's own; nothing changes. */
  readonly policy?: PolicyInput | undefined;
  /** Gets the window as it was when this was the newest seq. */
  readonly asOfSeq?: SeqInput | undefined;
  /** Gives only the newest messages, this many. Default: all. */
  readonly newest?: number | undefined;
  /** Stages on read shape the answer only; none changes the stored window. Default false. */
  readonly readOnly?: boolean | undefined;
}

export const WINDOW_OPTIONS = {
  ...{ ...CALL_OPTIONS, policy: true, asOfSeq: true, newest: true, readOnly: true, form: true },
} as const;

/** Options of a preview. */
export interface PreviewOptions extends CallOptions {
  /** Gives the windows in the form of a model API too: read them with `renderedPreviews`. */
  readonly form?: FormName | undefined;
  /** Stages to run. Default: those on append and on read. */
  readonly occasions?: readonly OccasionName[] | undefined;
  /** Over which messages: the stored window, or the newest of the log. Default `window`. */
  readonly source?: "window" | "log" | undefined;
  /** Tokens of the model's input. Default: the number that the session stores. */
  readonly modelInputTokens?: number | undefined;
  /** Outcomes of tools. Default: as stored in the session. */
  readonly toolOutcomes?: readonly ToolOutcomeInput[] | undefined;
}

export const PREVIEW_OPTIONS = {
  ...{ ...CALL_OPTIONS, form: true, occasions: true, source: true, modelInputTokens: true },
  ...{ toolOutcomes: true },
} as const;

/** Extent of a trim: to tokens, to messages, to the newest units, or as the policy says. */
export type TrimTarget =
  | { readonly maxTokens: number }
  | { readonly maxMessages: number }
  | { readonly keepRecent: number }
  | { readonly runPolicy: true };

/** Options of a trim. The first two are not allowed with `runPolicy`. */
export interface TrimOptions extends MutationOptions {
  /** Unit that is kept or removed as a whole. Default `message`. */
  readonly unit?: UnitName | undefined;
  /** Erases what is removed from the log for good. Default false. */
  readonly discard?: boolean | undefined;
  /** The session must still have this etag. */
  readonly etag?: string | undefined;
}

export const TRIM_OPTIONS = { ...MUTATION_OPTIONS, unit: true, discard: true, etag: true } as const;

/** Options of a restore. */
export interface RestoreOptions extends MutationOptions {
  /** Runs of seqs to restore besides: the first and the last of each. */
  readonly seqRanges?: readonly (readonly [first: SeqInput, last: SeqInput])[] | undefined;
}

export const RESTORE_OPTIONS = { ...MUTATION_OPTIONS, seqRanges: true } as const;

/** Messages to summarize: all but the newest, or those that a stage would remove now. */
export type SummaryChoice = { readonly keepRecent: number } | { readonly stage: string };

/** Options of a summary. */
export interface SummaryOptions extends MutationOptions {
  /** The ids of the messages that the text replaces. Default: none. */
  readonly replacedMessageIds?: readonly string[] | undefined;
  /** Puts the text into the window, in the place of the first of them. Default false. */
  readonly inPlace?: boolean | undefined;
  /** The summary must still have this version; 0 for none yet. */
  readonly expectedVersion?: SeqInput | undefined;
}

export const SUMMARY_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, replacedMessageIds: true, inPlace: true, expectedVersion: true },
} as const;

/** Options of toolResultFill. */
export interface FillToolResultsOptions extends MutationOptions {
  /** The text of the results. Default: that of the policy, or a fixed notice. */
  readonly text?: string | undefined;
  /** Fills for only the newest message with tool calls. Default false. */
  readonly newestOnly?: boolean | undefined;
}

export const FILL_TOOL_RESULTS_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, text: true, newestOnly: true },
} as const;

/** Options of an import. */
export interface ImportOptions extends MutationOptions {
  /** The id of the session to make. Default: the one in the snapshot, or one of the server's. */
  readonly sessionId?: string | undefined;
  /** The format of the snapshot. Default `native`. */
  readonly format?: FormatName | undefined;
  /** Replaces a session of this id. Default false. */
  readonly replace?: boolean | undefined;
}

export const IMPORT_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, sessionId: true, format: true, replace: true },
} as const;

/** Options of a new consumer. */
export interface CreateConsumerOptions extends MutationOptions {
  /** Start position. Default `now`. */
  readonly from?: Exclude<WatchStart, { readonly consumerId: string }> | undefined;
}

export const CREATE_CONSUMER_OPTIONS = { ...MUTATION_OPTIONS, from: true } as const;

/** Options of deleting a consumer. */
export type DeleteConsumerOptions = Omit<DeleteOptions, "etag">;

export const DELETE_CONSUMER_OPTIONS = { ...MUTATION_OPTIONS, allowMissing: true } as const;
