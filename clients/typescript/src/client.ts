// The client: one method for each rpc, with the name of the rpc in camel case.

import { APPEND_OPTIONS, type AppendOptions, type FormAppendOptions } from "./append-options.ts";
import * as calls from "./call.ts";
import { onlyOptions } from "./choice.ts";
import { isMemorySidecarError } from "./errors.ts";
import { elementsOf, type FormMessages, type FormName, inForm, loadForm } from "./forms.ts";
import {
  AdminServiceService as Admin,
  type GetServerInfoResponse,
  type NamespaceInfo,
} from "./gen/memorysidecar/v1/admin_service.ts";
import type { Consumer, Event } from "./gen/memorysidecar/v1/event.ts";
import { EventServiceService as Events } from "./gen/memorysidecar/v1/event_service.ts";
import type { ListTotal } from "./gen/memorysidecar/v1/filter.ts";
import type { Message } from "./gen/memorysidecar/v1/message.ts";
import type { Session } from "./gen/memorysidecar/v1/session.ts";
import {
  type AppendMessagesResponse,
  CreateSessionRequest,
  type DeleteMessageResponse,
  type DeleteSessionResponse,
  ForkSessionRequest,
  type GetMessageResponse,
  type ResetSessionResponse,
  SessionServiceService as Sessions,
  UpdateMessageRequest,
  type UpdateMessageResponse,
  UpdateSessionRequest,
  type UpdateSessionResponse,
} from "./gen/memorysidecar/v1/session_service.ts";
import {
  type JsonObject,
  type MessageChanges,
  type MessageInput,
  type SessionFields,
  toChangedMessage,
  toSession,
} from "./message.ts";
import * as options from "./options.ts";
import { refuseOtherUser } from "./owner.ts";
import { walkPages } from "./pages.ts";
import * as requests from "./requests.ts";
import { SnapshotMethods } from "./snapshots.ts";
import { EventStream, WATCH_OPTIONS, type WatchOptions } from "./watch.ts";

const LIST_NAMESPACES_OPTIONS = { ...calls.SERVER_CALL_OPTIONS, pageSize: true } as const;

/**
 * A connection to a server. Keep one for the life of the program, shared by all callers, and close
 * it in the end.
 *
 * Every method fails with a MemorySidecarError, or with the reason of an aborted signal. Calls are
 * repeated while the server is away; what changes something carries a request id, so that it takes
 * effect once.
 */
export class MemorySidecar extends SnapshotMethods {
  /** Creates a session; without an id the server makes one. */
  async createSession(
    session: SessionFields = {},
    opts: calls.MutationOptions = {},
  ): Promise<Session> {
    onlyOptions("createSession", opts, calls.MUTATION_OPTIONS);
    const head = this.change(opts);
    const request = CreateSessionRequest.fromPartial({ ...head, session: toSession(session) });
    return calls.given((await this.call(Sessions.createSession, request, opts)).session);
  }

  /**
   * Gives the session with this id, which it creates with these fields if there is none. The fields
   * do not change a session that exists; `updateSession` does. Throws when it belongs to another
   * user than `userId`.
   */
  async ensureSession(
    sessionId: string,
    fields: Omit<SessionFields, "sessionId"> = {},
    opts: calls.MutationOptions = {},
  ): Promise<Session> {
    onlyOptions("ensureSession", opts, calls.MUTATION_OPTIONS);
    try {
      return await this.createSession({ ...fields, sessionId }, opts);
    } catch (error) {
      if (!isMemorySidecarError(error, "SESSION_ALREADY_EXISTS")) throw error;
      const { requestId: _, ...rest } = opts;
      const session = await this.getSession(sessionId, rest);
      refuseOtherUser(session, fields.userId);
      return session;
    }
  }

  /** Gets a session without its messages. */
  async getSession(sessionId: string, opts: calls.CallOptions = {}): Promise<Session> {
    onlyOptions("getSession", opts, calls.CALL_OPTIONS);
    const request = this.session(sessionId, opts);
    return calls.given((await this.call(Sessions.getSession, request, opts)).session);
  }

  /** Lists the sessions of the namespace, newest first. */
  listSessions(opts: options.ListSessionsOptions = {}): AsyncGenerator<Session, void, undefined> {
    onlyOptions("listSessions", opts, options.LIST_SESSIONS_OPTIONS);
    return walkPages(async (token) => {
      const request = requests.listSessionsRequest(this.at(opts), opts, token);
      const page = await this.call(Sessions.listSessions, request, opts);
      return { items: page.sessions, nextPageToken: page.nextPageToken };
    });
  }

  /** Counts the sessions that a list with these conditions gives, up to a bound. */
  async countSessions(opts: options.CountSessionsOptions = {}): Promise<ListTotal> {
    onlyOptions("countSessions", opts, options.COUNT_SESSIONS_OPTIONS);
    const request = requests.countSessionsRequest(this.at(opts), opts);
    return calls.given((await this.call(Sessions.listSessions, request, opts)).total);
  }

  /** Changes what describes a session; `session.sessionId` names it. */
  updateSession(
    session: SessionFields & { readonly sessionId: string },
    opts: options.UpdateOptions = {},
  ): Promise<UpdateSessionResponse> {
    onlyOptions("updateSession", opts, options.UPDATE_OPTIONS);
    const request = UpdateSessionRequest.fromPartial({
      ...this.change(opts),
      session: toSession(session),
      updateMask: opts.updateMask && [...opts.updateMask],
    });
    return this.call(Sessions.updateSession, request, opts);
  }

  /** Deletes a session with its whole log, for good. */
  deleteSession(
    sessionId: string,
    opts: options.DeleteOptions = {},
  ): Promise<DeleteSessionResponse> {
    onlyOptions("deleteSession", opts, options.DELETE_OPTIONS);
    const { etag = "", allowMissing = false } = opts;
    const request = { ...this.change(opts), sessionId, etag, allowMissing };
    return this.call(Sessions.deleteSession, request, opts);
  }

  /** Copies a session up to a seq into a new session. */
  async forkSession(sourceSessionId: string, opts: options.ForkOptions = {}): Promise<Session> {
    onlyOptions("forkSession", opts, options.FORK_OPTIONS);
    const request = ForkSessionRequest.fromPartial({
      ...this.change(opts),
      sourceSessionId,
      atSeq: requests.optionalSeq(opts.atSeq),
      sessionId: opts.sessionId ?? "",
    });
    return calls.given((await this.call(Sessions.forkSession, request, opts)).session);
  }

  /** Deletes the messages of a session for good and keeps the session. */
  resetSession(sessionId: string, opts: options.ResetOptions = {}): Promise<ResetSessionResponse> {
    onlyOptions("resetSession", opts, options.RESET_OPTIONS);
    const { etag = "", keepSystemMessages = false } = opts;
    const { keepFirstSystemMessage = false, keepSummary = false } = opts;
    const keep = { keepSystemMessages, keepFirstSystemMessage, keepSummary };
    const request = { ...this.change(opts), sessionId, etag, ...keep };
    return this.call(Sessions.resetSession, request, opts);
  }

  /** Appends messages in the form of a model API: `opts.form` names it. */
  append(
    sessionId: string,
    messages: FormMessages,
    opts: FormAppendOptions,
  ): Promise<AppendMessagesResponse>;
  /**
   * Appends messages, all or none: a text (a user message), a message, or a list of them, which may
   * be empty when a turn ends. One call can be a whole turn: create or change the session, append,
   * and answer with what goes to the model next.
   */
  append(
    sessionId: string,
    messages: MessageInput | readonly MessageInput[],
    opts?: AppendOptions,
  ): Promise<AppendMessagesResponse>;
  append(
    sessionId: string,
    messages: MessageInput | readonly MessageInput[] | FormMessages,
    opts: AppendOptions & { readonly form?: FormName } = {},
  ): Promise<AppendMessagesResponse> {
    onlyOptions("append", opts, APPEND_OPTIONS);
    const request = requests.appendRequest({ ...this.change(opts), sessionId }, messages, opts);
    const { window, context } = opts;
    const replies = [window, context].map((one) =>
      typeof one === "object" ? one.form : undefined,
    );
    const send = () => this.call(Sessions.appendMessages, request, opts);
    return replies.includes("langchain") ? loadForm("langchain").then(send) : send();
  }

  /** Lists the messages of a session's log in the form of a model API: `opts.form` names it. */
  listMessages<Element = JsonObject>(
    sessionId: string,
    opts: options.FormListOptions,
  ): AsyncGenerator<Element, void, undefined>;
  /** Lists the messages of a session's log, oldest first, in the window or not. */
  listMessages(
    sessionId: string,
    opts?: options.ListMessagesOptions,
  ): AsyncGenerator<Message, void, undefined>;
  listMessages(
    sessionId: string,
    opts: options.ListMessagesOptions & { readonly form?: FormName } = {},
  ): AsyncGenerator<Message | JsonObject, void, undefined> {
    onlyOptions("listMessages", opts, options.LIST_MESSAGES_OPTIONS);
    const page = (token: string) => {
      const request = requests.listMessagesRequest(this.session(sessionId, opts), opts, token);
      return this.call(Sessions.listMessages, request, opts);
    };
    if (opts.form === undefined) {
      return walkPages(async (token) => {
        const { messages, nextPageToken } = await page(token);
        return { items: messages, nextPageToken };
      });
    }
    const elements = walkPages(async (token) => {
      const { nextPageToken, rendered } = await page(token);
      return { items: elementsOf(rendered), nextPageToken };
    });
    return inForm(elements, opts.form);
  }

  /** Counts the messages that a list with these conditions gives, up to a bound. */
  async countMessages(
    sessionId: string,
    opts: calls.CallOptions & options.MessageFilterInput = {},
  ): Promise<ListTotal> {
    onlyOptions("countMessages", opts, options.COUNT_MESSAGES_OPTIONS);
    const request = requests.countMessagesRequest(this.session(sessionId, opts), opts);
    return calls.given((await this.call(Sessions.listMessages, request, opts)).total);
  }

  /** Gets one message, and whether it is in the window. */
  getMessage(
    sessionId: string,
    messageId: string,
    opts: calls.CallOptions = {},
  ): Promise<GetMessageResponse> {
    onlyOptions("getMessage", opts, calls.CALL_OPTIONS);
    const request = { ...this.session(sessionId, opts), messageId };
    return this.call(Sessions.getMessage, request, opts);
  }

  /** Changes a message in place; `changes.messageId` names it. */
  updateMessage(
    sessionId: string,
    changes: MessageChanges,
    opts: options.UpdateOptions = {},
  ): Promise<UpdateMessageResponse> {
    onlyOptions("updateMessage", opts, options.UPDATE_OPTIONS);
    const request = UpdateMessageRequest.fromPartial({
      ...this.change(opts),
      sessionId,
      message: toChangedMessage(changes),
      updateMask: opts.updateMask && [...opts.updateMask],
    });
    return this.call(Sessions.updateMessage, request, opts);
  }

  /** Deletes a message from the log, for good. */
  deleteMessage(
    sessionId: string,
    messageId: string,
    opts: options.DeleteOptions = {},
  ): Promise<DeleteMessageResponse> {
    onlyOptions("deleteMessage", opts, options.DELETE_OPTIONS);
    const { etag = "", allowMissing = false } = opts;
    const request = { ...this.change(opts), sessionId, messageId, etag, allowMissing };
    return this.call(Sessions.deleteMessage, request, opts);
  }

  /** Streams events as they happen, also over restarts of the server. */
  watch(opts: WatchOptions = {}): EventStream {
    onlyOptions("watch", opts, WATCH_OPTIONS);
    const open = this.raw.events.watchEvents.bind(this.raw.events);
    const { retry, closed, timeoutMs } = this.caller;
    return new EventStream({ open, retry, closed, timeoutMs, namespace: this.namespace }, opts);
  }

  /** Lists the events that are kept, oldest first. */
  listEvents(opts: options.ListEventsOptions = {}): AsyncGenerator<Event, void, undefined> {
    onlyOptions("listEvents", opts, options.LIST_EVENTS_OPTIONS);
    return walkPages(async (token) => {
      const request = requests.listEventsRequest(this.at(opts), opts, token);
      const page = await this.call(Events.listEvents, request, opts);
      return { items: page.events, nextPageToken: page.nextPageToken };
    });
  }

  /** Creates a named consumer: a position in the stream that the server remembers. */
  async createConsumer(
    consumerId: string,
    opts: options.CreateConsumerOptions = {},
  ): Promise<Consumer> {
    onlyOptions("createConsumer", opts, options.CREATE_CONSUMER_OPTIONS);
    const head = { ...this.change(opts), consumerId };
    const request = requests.createConsumerRequest(head, opts);
    return calls.given((await this.call(Events.createConsumer, request, opts)).consumer);
  }

  /**
   * Gives the consumer with this id, which it creates if there is none. A consumer that exists
   * keeps its position.
   */
  async ensureConsumer(
    consumerId: string,
    opts: options.CreateConsumerOptions = {},
  ): Promise<Consumer> {
    onlyOptions("ensureConsumer", opts, options.CREATE_CONSUMER_OPTIONS);
    try {
      return await this.createConsumer(consumerId, opts);
    } catch (error) {
      if (!isMemorySidecarError(error, "CONSUMER_ALREADY_EXISTS")) throw error;
      const { requestId: _, from: __, ...rest } = opts;
      return this.getConsumer(consumerId, rest);
    }
  }

  /** Gets a named consumer. */
  async getConsumer(consumerId: string, opts: calls.CallOptions = {}): Promise<Consumer> {
    onlyOptions("getConsumer", opts, calls.CALL_OPTIONS);
    const request = { namespace: this.at(opts), consumerId };
    return calls.given((await this.call(Events.getConsumer, request, opts)).consumer);
  }

  /** Lists the named consumers of the namespace by id. */
  listConsumers(opts: options.ListOptions = {}): AsyncGenerator<Consumer, void, undefined> {
    onlyOptions("listConsumers", opts, options.LIST_OPTIONS);
    return walkPages(async (pageToken) => {
      const request = { namespace: this.at(opts), pageSize: opts.pageSize ?? 0, pageToken };
      const page = await this.call(Events.listConsumers, request, opts);
      return { items: page.consumers, nextPageToken: page.nextPageToken };
    });
  }

  /** Deletes a named consumer. */
  async deleteConsumer(consumerId: string, opts: options.DeleteConsumerOptions = {}) {
    onlyOptions("deleteConsumer", opts, options.DELETE_CONSUMER_OPTIONS);
    const { allowMissing = false } = opts;
    const request = { ...this.change(opts), consumerId, allowMissing };
    await this.call(Events.deleteConsumer, request, opts);
  }

  /** Moves a named consumer's position: everything up to the token is done. */
  async ackEvents(
    consumerId: string,
    resumeToken: string,
    opts: calls.CallOptions = {},
  ): Promise<Consumer> {
    onlyOptions("ackEvents", opts, calls.CALL_OPTIONS);
    const request = { namespace: this.at(opts), consumerId, resumeToken };
    return calls.given((await this.call(Events.ackEvents, request, opts)).consumer);
  }

  /** Lists the namespaces that the client may use, by name. */
  listNamespaces(
    opts: Omit<options.ListOptions, "namespace"> = {},
  ): AsyncGenerator<NamespaceInfo, void, undefined> {
    onlyOptions("listNamespaces", opts, LIST_NAMESPACES_OPTIONS);
    return walkPages(async (pageToken) => {
      const request = { pageSize: opts.pageSize ?? 0, pageToken };
      const page = await this.call(Admin.listNamespaces, request, opts);
      return { items: page.namespaces, nextPageToken: page.nextPageToken };
    });
  }

  /** Gets what the server is, what it can do, and its limits. */
  serverInfo(opts: Omit<calls.CallOptions, "namespace"> = {}): Promise<GetServerInfoResponse> {
    onlyOptions("serverInfo", opts, calls.SERVER_CALL_OPTIONS);
    return this.call(Admin.getServerInfo, {}, opts);
  }
}
