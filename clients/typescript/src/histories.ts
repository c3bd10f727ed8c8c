// The methods of the client for several messages of a log at once.

import {
  CALL_OPTIONS,
  type CallOptions,
  given,
  MUTATION_OPTIONS,
  type MutationOptions,
} from "./call.ts";
import { onlyOptions, whole } from "./choice.ts";
import { type FormMessages, type FormName, toForm, toFormMessages } from "./forms.ts";
import type { ListTotal } from "./gen/memorysidecar/v1/filter.ts";
import {
  BatchDeleteMessagesRequest,
  type BatchDeleteMessagesResponse,
  BatchGetMessagesRequest,
  type DeleteFoundMessagesResponse,
  type FoundMessage,
  PopMessagesRequest,
  type PopMessagesResponse,
  ReplaceMessagesRequest,
  type ReplaceMessagesResponse,
} from "./gen/memorysidecar/v1/history.ts";
import type { Message } from "./gen/memorysidecar/v1/message.ts";
import { SessionServiceService as Sessions } from "./gen/memorysidecar/v1/session_service.ts";
import { type MessageInput, toMessage } from "./message.ts";
import type {
  DeleteFoundMessagesOptions,
  FindMessagesOptions,
  ListSessionMessagesOptions,
  MessageFilterInput,
  SeqInput,
  SessionsInput,
} from "./options.ts";
import * as options from "./options.ts";
import { collect, walkPages } from "./pages.ts";
import {
  countSessionMessagesRequest,
  deleteFoundMessagesRequest,
  findMessagesRequest,
  listSessionMessagesRequest,
  optionalSeq,
  toSeqRanges,
} from "./requests.ts";
import { WindowMethods } from "./windows.ts";

/** Options of a batch of messages to get. */
export interface BatchGetMessagesOptions extends CallOptions {
  /** Runs of seqs, each with its first and its last. */
  readonly seqRanges?: readonly (readonly [SeqInput, SeqInput])[] | undefined;
}

const BATCH_GET_OPTIONS = { ...CALL_OPTIONS, seqRanges: true } as const;

/** Options of a batch of messages to delete. */
export interface BatchDeleteMessagesOptions extends MutationOptions {
  /** Runs of seqs, each with its first and its last. */
  readonly seqRanges?: readonly (readonly [SeqInput, SeqInput])[] | undefined;
  /** Leaves out ids that have no message. Default false. */
  readonly allowMissing?: boolean | undefined;
  /** The deletion happens only while this is the newest seq of the session. */
  readonly expectedLastSeq?: SeqInput | undefined;
}

const BATCH_DELETE_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, seqRanges: true, allowMissing: true, expectedLastSeq: true },
} as const;

/** Options of a replacement. */
export interface ReplaceMessagesOptions extends MutationOptions {
  /** Messages at the start of both that are the same stay. Not for "all". Default false. */
  readonly keepCommonPrefix?: boolean | undefined;
  /** The replacement happens only while this is the newest seq of the session. */
  readonly expectedLastSeq?: SeqInput | undefined;
  /** Creates the session with the defaults if it does not exist. Default false. */
  readonly createSession?: boolean | undefined;
}

const REPLACE_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, form: true, keepCommonPrefix: true, expectedLastSeq: true },
  createSession: true,
} as const;

/** Options of a replacement with messages in the form of a model API. */
export interface FormReplaceMessagesOptions extends ReplaceMessagesOptions {
  readonly form: FormName;
}

/** Options of the removal of the newest messages. */
export interface PopMessagesOptions extends MutationOptions {
  /** The removal happens only while this is the newest seq of the session. */
  readonly expectedLastSeq?: SeqInput | undefined;
}

const POP_OPTIONS = { ...MUTATION_OPTIONS, expectedLastSeq: true } as const;

/** Messages of a log in batches. */
export class HistoryMethods extends WindowMethods {
  /**
   * Gets messages of the log by their ids and by runs of seqs, oldest first. Those that do not
   * exist are left out.
   */
  async batchGetMessages(
    sessionId: string,
    messageIds: readonly string[] = [],
    opts: BatchGetMessagesOptions = {},
  ): Promise<Message[]> {
    onlyOptions("batchGetMessages", opts, BATCH_GET_OPTIONS);
    const request = BatchGetMessagesRequest.fromPartial({
      ...this.session(sessionId, opts),
      messageIds: [...messageIds],
      seqRanges: toSeqRanges(opts.seqRanges),
    });
    const pages = walkPages(async (pageToken) => {
      const page = await this.call(Sessions.batchGetMessages, { ...request, pageToken }, opts);
      return { items: page.messages, nextPageToken: page.nextPageToken };
    });
    return await collect(pages);
  }

  /**
   * Lists the messages of several sessions, one session after the other; each message comes with
   * its session.
   */
  listSessionMessages(
    opts: ListSessionMessagesOptions,
  ): AsyncGenerator<FoundMessage, void, undefined> {
    onlyOptions("listSessionMessages", opts, options.LIST_SESSION_MESSAGES_OPTIONS);
    return walkPages(async (token) => {
      const request = listSessionMessagesRequest(this.at(opts), opts, token);
      const { foundMessages, nextPageToken } = await this.call(
        Sessions.listMessages,
        request,
        opts,
      );
      return { items: foundMessages, nextPageToken };
    });
  }

  /** Counts the messages that `listSessionMessages` would list, up to a bound. */
  async countSessionMessages(
    opts: CallOptions & SessionsInput & MessageFilterInput,
  ): Promise<ListTotal> {
    onlyOptions("countSessionMessages", opts, options.COUNT_SESSION_MESSAGES_OPTIONS);
    const request = countSessionMessagesRequest(this.at(opts), opts);
    return given((await this.call(Sessions.listMessages, request, opts)).total);
  }

  /**
   * Finds messages by their ids, without their sessions, newest session first. An id may have
   * messages in several sessions: stop when you have enough.
   */
  findMessages(
    messageIds: readonly string[],
    opts: FindMessagesOptions = {},
  ): AsyncGenerator<FoundMessage, void, undefined> {
    onlyOptions("findMessages", opts, options.FIND_MESSAGES_OPTIONS);
    return walkPages(async (token) => {
      const request = findMessagesRequest(this.at(opts), messageIds, opts, token);
      const page = await this.call(Sessions.findMessages, request, opts);
      return { items: page.messages, nextPageToken: page.nextPageToken };
    });
  }

  /** Deletes messages from the log, for good, by their ids and by runs of seqs: all or none. */
  batchDeleteMessages(
    sessionId: string,
    messageIds: readonly string[] = [],
    opts: BatchDeleteMessagesOptions = {},
  ): Promise<BatchDeleteMessagesResponse> {
    onlyOptions("batchDeleteMessages", opts, BATCH_DELETE_OPTIONS);
    const request = BatchDeleteMessagesRequest.fromPartial({
      ...this.change(opts),
      sessionId,
      messageIds: [...messageIds],
      seqRanges: toSeqRanges(opts.seqRanges),
      allowMissing: opts.allowMissing ?? false,
      expectedLastSeq: optionalSeq(opts.expectedLastSeq),
    });
    return this.call(Sessions.batchDeleteMessages, request, opts);
  }

  /**
   * Deletes the messages with these ids, for good, in every session that has them. Each session has
   * a transaction of its own, and the answer lists what was deleted. While it has a `nextPageToken`
   * there are sessions left to search: pass it to continue, unless you have deleted all that you
   * expected.
   */
  deleteFoundMessages(
    messageIds: readonly string[],
    opts: DeleteFoundMessagesOptions = {},
  ): Promise<DeleteFoundMessagesResponse> {
    onlyOptions("deleteFoundMessages", opts, options.DELETE_FOUND_MESSAGES_OPTIONS);
    const request = deleteFoundMessagesRequest(this.change(opts), messageIds, opts);
    return this.call(Sessions.deleteFoundMessages, request, opts);
  }

  /** Replaces messages with others in the form of a model API, which `opts.form` names. */
  replaceMessages(
    sessionId: string,
    from: SeqInput | "all",
    messages: FormMessages,
    opts: FormReplaceMessagesOptions,
  ): Promise<ReplaceMessagesResponse>;
  /**
   * Replaces the messages from a seq on, or all of them, for good, by others: all or none. `from`
   * is a seq or "all".
   */
  replaceMessages(
    sessionId: string,
    from: SeqInput | "all",
    messages: readonly MessageInput[],
    opts?: ReplaceMessagesOptions,
  ): Promise<ReplaceMessagesResponse>;
  replaceMessages(
    sessionId: string,
    from: SeqInput | "all",
    messages: readonly MessageInput[] | FormMessages,
    opts: ReplaceMessagesOptions & { readonly form?: FormName } = {},
  ): Promise<ReplaceMessagesResponse> {
    onlyOptions("replaceMessages", opts, REPLACE_OPTIONS);
    const { form } = opts;
    const request = ReplaceMessagesRequest.fromPartial({
      ...this.change(opts),
      sessionId,
      ...(form === undefined
        ? { messages: (messages as readonly MessageInput[]).map(toMessage) }
        : { form: toForm(form), formMessages: toFormMessages(messages, form) }),
      target:
        from === "all" ? { $case: "all", value: {} } : { $case: "fromSeq", value: whole(from) },
      keepCommonPrefix: opts.keepCommonPrefix ?? false,
      expectedLastSeq: optionalSeq(opts.expectedLastSeq),
      createSession: opts.createSession ?? false,
    });
    return this.call(Sessions.replaceMessages, request, opts);
  }

  /** Removes the newest messages from the log, for good, and gives them, oldest first. */
  popMessages(
    sessionId: string,
    count = 1,
    opts: PopMessagesOptions = {},
  ): Promise<PopMessagesResponse> {
    onlyOptions("popMessages", opts, POP_OPTIONS);
    const expectedLastSeq = optionalSeq(opts.expectedLastSeq);
    const request = PopMessagesRequest.fromPartial({
      ...{ ...this.change(opts), sessionId, count, expectedLastSeq },
    });
    return this.call(Sessions.popMessages, request, opts);
  }
}
