// What `connect` and the methods of the client take beside their main argument.

import type { CallOptions, MutationOptions } from "./call.ts";
import type { ChannelSettings } from "./channel.ts";
import type { RoleInput } from "./message.ts";
import type { PolicyInput } from "./policy.ts";
import type { RetryPolicy } from "./retry.ts";
import type { EventFilterInput, WatchStart } from "./watch.ts";

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

/** Which sessions to list. Every field that is set must hold. */
export interface ListSessionsOptions extends ListOptions {
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly updatedFrom?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
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
  /** Starts after this position. Default: at the oldest event that is kept. */
  readonly resumeToken?: string | undefined;
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
  /** The session must still have this etag. */
  readonly etag?: string | undefined;
}

/** What an append takes. */
export interface AppendOptions extends MutationOptions {
  /** The append happens only while this is the newest seq of the session. */
  readonly expectedLastSeq?: SeqInput | undefined;
  /** Creates the session with the defaults if it does not exist. Default false. */
  readonly createSession?: boolean | undefined;
}

/** Which window to get. */
export interface WindowOptions extends CallOptions {
  /** Looks through this policy instead of the session's own; nothing changes. */
  readonly policy?: PolicyInput | undefined;
  /** Gets the window as it was when this was the newest seq. */
  readonly asOfSeq?: SeqInput | undefined;
}

/** What a new consumer takes. */
export interface CreateConsumerOptions extends MutationOptions {
  /** Where it starts. Default `now`. */
  readonly from?: Exclude<WatchStart, { readonly consumerId: string }> | undefined;
}

/** What the deletion of a consumer takes. */
export type DeleteConsumerOptions = Omit<DeleteOptions, "etag">;
