// What `connect` and the methods of the client take beside their main argument.

import type { CallOptions, MutationOptions } from "./call.ts";
import type { ChannelSettings } from "./channel.ts";
import type { RoleInput } from "./message.ts";
import type { PolicyInput } from "./policy.ts";
import type { OccasionName, UnitName } from "./policy-names.ts";
import type { RetryPolicy } from "./retry.ts";
import type { FormatName } from "./snapshot-parts.ts";
import type { EventFilterInput, EventPlace, WatchStart } from "./watch.ts";

/** What a client needs to know beside the address. */
export interface ConnectOptions extends ChannelSettings {
  /** The namespace of calls that name none. Default `default`. */
  readonly namespace?: string | undefined;
  /** How long a call may take with all its attempts, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How calls are repeated. Default: 8 attempts, 100 ms to 2 s apart. */
  readonly retry?: Partial<RetryPolicy> | undefined;
}

/** The position of a message, as a number or as the contract's 64-bit integer. */
export type SeqInput = number | bigint;

/** In which order a list comes. */
export type OrderInput = "newest-first" | "oldest-first";

/** Every list: how many items one call fetches. The iterator hides the pages. */
export interface ListOptions extends CallOptions {
  /** Items in one page; default: the server's. */
  readonly pageSize?: number | undefined;
}

/** Which sessions to look at. Every field that is set must hold. */
export interface SessionFilterInput {
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly createTimeFrom?: Date | undefined;
  readonly createTimeBefore?: Date | undefined;
  readonly updateTimeFrom?: Date | undefined;
  readonly updateTimeBefore?: Date | undefined;
}

/** Which sessions to list. */
export interface ListSessionsOptions extends ListOptions, SessionFilterInput {
  /** Default `newest-first`. */
  readonly order?: OrderInput | undefined;
}

/** Which messages to list. Every field that is set must hold. */
export interface ListMessagesOptions extends ListOptions {
  readonly roles?: readonly RoleInput[] | undefined;
  readonly firstSeq?: SeqInput | undefined;
  readonly lastSeq?: SeqInput | undefined;
  /** Default `oldest-first`. */
  readonly order?: OrderInput | undefined;
}

/** Which events to list. */
export interface ListEventsOptions extends ListOptions {
  /** Where to start. Default: at the oldest event that is kept. */
  readonly from?: EventPlace | undefined;
  readonly filter?: EventFilterInput | undefined;
}

/** What an update takes. */
export interface UpdateOptions extends MutationOptions {
  /**
   * The fields to change by their names in the contract, for example `user_id`, or `*` for all. A
   * field that is named and not given is cleared. Default: the fields that are given.
   */
  readonly updateMask?: readonly string[] | undefined;
}

/** What a delete takes. */
export interface DeleteOptions extends MutationOptions {
  /** What is deleted must still have this etag. */
  readonly etag?: string | undefined;
  /** Succeeds when there is nothing to delete. */
  readonly allowMissing?: boolean | undefined;
}

/** What a fork takes. */
export interface ForkOptions extends MutationOptions {
  /** The last seq to copy. Default: the newest. */
  readonly atSeq?: SeqInput | undefined;
  /** The id of the copy. Default: made by the server. */
  readonly sessionId?: string | undefined;
}

/** What a reset takes. */
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

/** What an append takes. */
export interface AppendOptions extends MutationOptions {
  /** The append happens only while this is the newest seq of the session. */
  readonly expectedLastSeq?: SeqInput | undefined;
  /** Creates the session with the defaults if it does not exist. Default false. */
  readonly createSession?: boolean | undefined;
  /** The agent's turn ends with these messages, of which there may be none. Default false. */
  readonly turnEnd?: boolean | undefined;
  /** What the model's input took, as the model said. Default: what an earlier append said. */
  readonly modelInputTokens?: number | undefined;
  /** How tools ended whose messages are not appended. */
  readonly toolOutcomes?: readonly ToolOutcomeInput[] | undefined;
}

/** How a tool ended. */
export interface ToolOutcomeInput {
  readonly tool: string;
  /** Says that it failed. Default false. */
  readonly error?: boolean;
}

/** Which window to get. */
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

/** What a preview takes. */
export interface PreviewOptions extends CallOptions {
  /** Which stages run. Default: those on append and on read. */
  readonly occasions?: readonly OccasionName[] | undefined;
  /** Over which messages: the stored window, or the newest of the log. Default `window`. */
  readonly source?: "window" | "log" | undefined;
  /** What the model's input took. Default: what the session knows. */
  readonly modelInputTokens?: number | undefined;
  /** How tools ended. Default: what the session knows. */
  readonly toolOutcomes?: readonly ToolOutcomeInput[] | undefined;
}

/** How far to trim: to tokens, to messages, to the newest units, or as the policy says. */
export type TrimTarget =
  | { readonly maxTokens: number }
  | { readonly maxMessages: number }
  | { readonly keepRecent: number }
  | { readonly runPolicy: true };

/** What a trim takes. The first two are not allowed with `runPolicy`. */
export interface TrimOptions extends MutationOptions {
  /** What is kept or removed together. Default `message`. */
  readonly unit?: UnitName | undefined;
  /** Erases what is removed from the log for good. Default false. */
  readonly discard?: boolean | undefined;
  /** The session must still have this etag. */
  readonly etag?: string | undefined;
}

/** What a restore takes. */
export interface RestoreOptions extends MutationOptions {
  /** Runs of seqs to restore besides: the first and the last of each. */
  readonly seqRanges?: readonly (readonly [first: SeqInput, last: SeqInput])[] | undefined;
}

/** Which messages to summarize: all but the newest, or what a stage would remove now. */
export type SummaryChoice = { readonly keepRecent: number } | { readonly stage: string };

/** What a summary takes. */
export interface SummaryOptions extends MutationOptions {
  /** The ids of the messages that the text replaces. Default: none. */
  readonly replacedMessageIds?: readonly string[] | undefined;
  /** Puts the text into the window, in the place of the first of them. Default false. */
  readonly inPlace?: boolean | undefined;
  /** The summary must still have this version; 0 for none yet. */
  readonly expectedVersion?: SeqInput | undefined;
}

/** What toolResultFill takes. */
export interface FillToolResultsOptions extends MutationOptions {
  /** The text of the results. Default: that of the policy, or a fixed notice. */
  readonly text?: string | undefined;
  /** Fills for only the newest message with tool calls. Default false. */
  readonly newestOnly?: boolean | undefined;
}

/** What an import takes. */
export interface ImportOptions extends MutationOptions {
  /** The id of the session to make. Default: the one in the snapshot, or one of the server's. */
  readonly sessionId?: string | undefined;
  /** The format of the snapshot. Default `native`. */
  readonly format?: FormatName | undefined;
  /** Replaces a session of this id. Default false. */
  readonly replace?: boolean | undefined;
}

/** What a new consumer takes. */
export interface CreateConsumerOptions extends MutationOptions {
  /** Where it starts. Default `now`. */
  readonly from?: Exclude<WatchStart, { readonly consumerId: string }> | undefined;
}

/** What the deletion of a consumer takes. */
export type DeleteConsumerOptions = Omit<DeleteOptions, "etag">;
