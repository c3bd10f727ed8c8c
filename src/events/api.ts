// The inputs and results of the use cases about events, in domain terms.

import type { Consumer, ConsumerRef, StoredEvent } from "../store/store.ts";
import type { EventPosition } from "./rules/event.ts";
import type { EventFilter } from "./rules/event-filter.ts";

/** Start of a stream. Positions come from resume tokens that the transport has checked. */
export type StreamStart =
  | { readonly kind: "after"; readonly position: EventPosition }
  | { readonly kind: "now" }
  | { readonly kind: "oldest" }
  | { readonly kind: "revision"; readonly revision: number }
  | { readonly kind: "consumer"; readonly consumerId: string };

/** Start of a list or a consumer. */
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
