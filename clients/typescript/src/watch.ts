// A stream of events that goes on after the server was away, without a gap and without a repeat.

import { type ClientReadableStream, Metadata } from "@grpc/grpc-js";
import { clampTimeout, pause } from "./call.ts";
import { conditions, onlyFields, type SeqInput, whole } from "./choice.ts";
import { MemorySidecarError, Status, toClientError } from "./errors.ts";
import {
  type DeepPartial,
  type Event,
  type EventFilter,
  type EventType,
  StreamPosition,
} from "./gen/memorysidecar/v1/event.ts";
import {
  EventServiceService,
  type ListEventsRequest,
  WatchEventsRequest,
  type WatchEventsResponse,
} from "./gen/memorysidecar/v1/event_service.ts";
import { backoffMs, isRetryable, type RetryPolicy } from "./retry.ts";

/** A place in the events of a namespace: after an event, or after all events of a revision. */
export type EventPlace = { readonly resumeToken: string } | { readonly afterRevision: SeqInput };

/** Start position of a stream. */
export type WatchStart = "now" | "oldest" | EventPlace | { readonly consumerId: string };

/** Filter of events. Every condition that is set must hold. */
export interface EventFilterInput {
  readonly sessionId?: string | undefined;
  /** Any of these sessions, or of those whose ids begin with one of the prefixes. */
  readonly sessionIds?: readonly string[] | undefined;
  readonly sessionIdPrefixes?: readonly string[] | undefined;
  readonly userId?: string | undefined;
  readonly eventTypes?: readonly EventType[] | undefined;
}

const EVENT_FILTER = {
  ...{ sessionId: true, sessionIds: true, sessionIdPrefixes: true, userId: true },
  eventTypes: true,
} as const;

/** Options of a watch. */
export interface WatchOptions {
  /** Start position. Default `now`: after the newest event. */
  readonly from?: WatchStart | undefined;
  /**
   * Reads the state that the events are applied to. With it the stream has no gap to whatever the
   * state was: it opens the watch, calls this, and only then gives what happened since then. It is
   * called at a start from `now`, and again each time when the server refuses the
   * place where the stream goes on: its events are no longer kept, or it is of another history of
   * the store. The stream then starts anew from `now`. Events of changes that the read has seen
   * already come as well: applying them must change nothing. Without this the refusal is thrown.
   */
  readonly readState?: (() => Promise<void>) | undefined;
  /** Filter of events. Default: all of the namespace. */
  readonly filter?: EventFilterInput | undefined;
  /** The namespace; default: that of the client. */
  readonly namespace?: string | undefined;
  /**
   * Time in which the watch must be on, and in which each connection must give its first answer, in
   * milliseconds. Default: that of the client.
   */
  readonly timeoutMs?: number | undefined;
  /** Time after which a lost connection is given up, in milliseconds. Default: never. */
  readonly reconnectTimeoutMs?: number | undefined;
  /** Ends the stream; its iterator then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Is called with the token of each answer without an event: the first one and checkpoints. */
  readonly onCheckpoint?: ((resumeToken: string) => void) | undefined;
  /** Is called when the stream broke and will be resumed, with the failed attempts in a row. */
  readonly onInterrupt?: ((error: MemorySidecarError, failures: number) => void) | undefined;
}

export const WATCH_OPTIONS = {
  ...{ from: true, readState: true, filter: true, namespace: true, timeoutMs: true },
  ...{ reconnectTimeoutMs: true, signal: true, onCheckpoint: true, onInterrupt: true },
} as const;

/** An event with the token that resumes after it. */
export interface WatchedEvent {
  readonly event: Event;
  readonly resumeToken: string;
}

/** Dependencies of a watch. */
export interface WatchSource {
  readonly open: (request: WatchEventsRequest) => ClientReadableStream<WatchEventsResponse>;
  readonly namespace: string;
  readonly retry: RetryPolicy;
  /** The default of `timeoutMs`. */
  readonly timeoutMs: number;
  /** Is aborted when the client is closed: the stream then ends. */
  readonly closed: AbortSignal;
}

/** Makes a filter of events. */
export function toEventFilter(input: EventFilterInput): DeepPartial<EventFilter> {
  onlyFields("filter", input, EVENT_FILTER);
  const { sessionId, userId, eventTypes = [], sessionIds = [], sessionIdPrefixes = [] } = input;
  return {
    ...conditions({ sessionId, userId }),
    ...{ eventTypes: [...eventTypes], sessionIds: [...sessionIds] },
    sessionIdPrefixes: [...sessionIdPrefixes],
  };
}

/** Turns a start into that of the contract. */
export function toStart(from: WatchStart): NonNullable<WatchEventsRequest["start"]> {
  if (from === "now") return { $case: "position", value: StreamPosition.NOW };
  if (from === "oldest") return { $case: "position", value: StreamPosition.OLDEST };
  onlyFields("place in the events", from, { ...EVENT_PLACE, consumerId: true });
  return "consumerId" in from ? { $case: "consumerId", value: from.consumerId } : toPlace(from);
}

const EVENT_PLACE = { resumeToken: true, afterRevision: true } as const;

/** Turns a place into that of the contract. */
export function toPlace(place: EventPlace): NonNullable<ListEventsRequest["start"]> {
  onlyFields("place in the events", place, EVENT_PLACE);
  return "resumeToken" in place
    ? { $case: "resumeToken", value: place.resumeToken }
    : { $case: "afterRevision", value: whole(place.afterRevision) };
}

/** Reasons for which a server refuses to resume a stream. */
const REFUSED: ReadonlySet<string> = new Set([
  "RESUME_TOKEN_EXPIRED",
  "RESUME_TOKEN_FOREIGN",
  "RESUME_TOKEN_INVALID",
  "REVISION_NOT_REACHED",
]);

function isRefused(error: unknown): boolean {
  return error instanceof MemorySidecarError && REFUSED.has(error.reason);
}

function isAfter(event: Event, last: Event | undefined): boolean {
  if (last === undefined || event.revision > last.revision) return true;
  return event.revision === last.revision && event.index > last.index;
}

/**
 * The events of a namespace, in order, as they happen: an async iterator.
 *
 * The stream is opened when it is made. When the server goes away it is resumed from the last token
 * for as long as it takes; only the first answer is given up on after the attempts of the retry
 * policy. Events are held back until they are asked for; only a few wait on this side.
 */
export class EventStream implements AsyncIterableIterator<WatchedEvent> {
  /**
   * Settles when the server has sent its first answer and `readState` is done: from then on no
   * event is missed.
   */
  readonly ready: Promise<void>;
  readonly #source: WatchSource;
  readonly #filter: DeepPartial<EventFilter> | undefined;
  readonly #options: WatchOptions;
  readonly #stop = new AbortController();
  readonly #started: { resolve: () => void; reject: (error: unknown) => void };
  readonly #events: AsyncGenerator<WatchedEvent, void, undefined>;
  #first: Promise<IteratorResult<WatchedEvent, void>> | undefined;
  #call: ClientReadableStream<WatchEventsResponse> | undefined;
  #from: WatchStart;
  #resumeToken = "";
  #failures = 0;
  readonly #timeoutMs: number;
  readonly #reconnectTimeoutMs: number | undefined;
  /** The time at which no further attempt is made. */
  #giveUpAt: number | undefined;
  #last: Event | undefined;

  constructor(source: WatchSource, options: WatchOptions) {
    this.#source = source;
    this.#options = options;
    this.#filter = options.filter && toEventFilter(options.filter);
    this.#from = options.from ?? "now";
    const { timeoutMs = source.timeoutMs, reconnectTimeoutMs } = options;
    this.#timeoutMs = clampTimeout(timeoutMs);
    this.#reconnectTimeoutMs = reconnectTimeoutMs && clampTimeout(reconnectTimeoutMs);
    this.#giveUpAt = Date.now() + this.#timeoutMs;
    let started = { resolve: (): void => {}, reject: (_error: unknown): void => {} };
    this.ready = new Promise((resolve, reject) => {
      started = { resolve, reject };
    });
    this.#started = started;
    this.#events = this.#run();
    for (const signal of [source.closed, options.signal]) {
      signal?.addEventListener("abort", this.#end, { once: true });
    }
    this.#first = this.#events.next();
    // Nobody has to look at both of them.
    this.#first.catch(() => {});
    this.ready.catch(() => {});
  }

  /**
   * The token that resumes after the last event given or the last answer without one; empty before
   * the first answer.
   */
  get resumeToken(): string {
    return this.#resumeToken;
  }

  next(): Promise<IteratorResult<WatchedEvent, void>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#events.next();
  }

  /** Ends the stream. */
  async return(): Promise<IteratorResult<WatchedEvent, void>> {
    this.#end();
    await this.#first?.catch(() => {});
    return this.#events.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #end = (): void => {
    for (const signal of [this.#source.closed, this.#options.signal]) {
      signal?.removeEventListener("abort", this.#end);
    }
    this.#stop.abort();
    this.#call?.cancel();
  };

  async *#run(): AsyncGenerator<WatchedEvent, void, undefined> {
    try {
      while (!this.#stop.signal.aborted) {
        try {
          yield* this.#read();
          // The contract knows no orderly end.
          await this.#recover(broken("The stream ended without an error."));
        } catch (error) {
          await this.#recover(error);
        }
      }
      this.#options.signal?.throwIfAborted();
      this.#started.reject(new Error("the stream was ended before its first answer"));
    } catch (error) {
      this.#started.reject(error);
      throw error;
    } finally {
      this.#end();
    }
  }

  /** Reads one call to its end. */
  async *#read(): AsyncGenerator<WatchedEvent, void, undefined> {
    this.#options.signal?.throwIfAborted();
    const { open, namespace } = this.#source;
    const resumeToken = this.#resumeToken;
    const start = toStart(resumeToken === "" ? this.#from : { resumeToken });
    const request = WatchEventsRequest.fromPartial({
      namespace: this.#options.namespace ?? namespace,
      start,
      filter: this.#filter,
    });
    const call = open(request);
    this.#call = call;
    // The iterator below reports errors; without a listener a late one would end the process.
    call.on("error", () => {});
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      call.cancel();
    }, this.#timeoutMs);
    try {
      for await (const answer of call as AsyncIterable<WatchEventsResponse>) {
        clearTimeout(timer);
        if (this.#resumeToken === "" && this.#from === "now") await this.#options.readState?.();
        for (const watched of this.#take(answer)) {
          // Set when the event is asked for: what follows it is not lost with this stream.
          this.#resumeToken = watched.resumeToken;
          yield watched;
        }
      }
    } catch (error) {
      throw isLate ? broken("The server did not answer the watch in time.") : error;
    } finally {
      clearTimeout(timer);
      call.cancel();
    }
  }

  /** Gives the events of an answer but those given before: after a resume one may come again. */
  *#take({ events, resumeToken }: WatchEventsResponse): Generator<WatchedEvent, void, undefined> {
    this.#failures = 0;
    this.#giveUpAt = undefined;
    this.#started.resolve();
    if (events.length === 0) {
      this.#resumeToken = resumeToken;
      this.#options.onCheckpoint?.(resumeToken);
    }
    for (const { event, resumeToken } of events) {
      if (event === undefined || !isAfter(event, this.#last)) continue;
      this.#last = event;
      yield { event, resumeToken };
    }
  }

  /** Waits before the next call, or throws when there must be none. */
  async #recover(cause: unknown): Promise<void> {
    this.#options.signal?.throwIfAborted();
    if (this.#stop.signal.aborted) return;
    const error = toClientError(cause, EventServiceService.watchEvents.path);
    if (this.#options.readState !== undefined && isRefused(error)) {
      // Revisions may begin again: another history is another sequence.
      this.#from = "now";
      this.#resumeToken = "";
      this.#last = undefined;
      return;
    }
    if (!isRetryable(error)) throw error;
    if (this.#failures === 0 && this.#reconnectTimeoutMs !== undefined) {
      this.#giveUpAt ??= Date.now() + this.#reconnectTimeoutMs;
    }
    const failures = ++this.#failures;
    if (this.#resumeToken === "" && failures >= this.#source.retry.maxAttempts) throw error;
    const delay = backoffMs(failures, this.#source.retry, error.retryDelayMs);
    if (this.#giveUpAt !== undefined && Date.now() + delay >= this.#giveUpAt) throw error;
    this.#options.onInterrupt?.(error, failures);
    // Ended meanwhile: the loop sees it.
    await pause(delay, this.#stop.signal).catch(() => {});
  }
}

/** The error of a stream that broke without one of its own. */
function broken(details: string): Error {
  const code = Status.UNAVAILABLE;
  return Object.assign(new Error(details), { code, details, metadata: new Metadata() });
}
