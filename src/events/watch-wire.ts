// The answers of WatchEvents. What holds an event is the same for every reader, so that it is made
// once and shared; so is the whole answer between readers that get the same events.

import { StreamedEvent } from "../gen/memorysidecar/v1/event.ts";
import { WatchEventsResponse } from "../gen/memorysidecar/v1/event_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import type { ResumeTokens } from "../grpc/resume-token.ts";
import { spliceField } from "../grpc/splice.ts";
import type { StoredEvent } from "../store/store.ts";

/** The most events and bytes of one answer, unless it holds one event that is larger. */
const ANSWER_EVENTS_MAX = 256;
const ANSWER_BYTES_MAX = 32 * 1024;
/** The most that the token at the end of an answer takes, and the most before each event. */
const TOKEN_FIELD_BYTES = 64;
const EVENT_PREFIX_BYTES = 4;
/** `event` of StreamedEvent and `events` of WatchEventsResponse. */
const EVENT_FIELD = 1;
/** Readers that keep up ask for the same batch within moments. */
const SHARED_BATCHES = 8;

interface Batch {
  readonly events: readonly StoredEvent[];
  readonly answers: readonly Uint8Array[];
}

// Readers of live events get the same objects; what is held here goes when the events do.
const pieces = new WeakMap<StoredEvent, Uint8Array>();
/** The newest batches, in a ring. */
const shared: (Batch | undefined)[] = new Array<undefined>(SHARED_BATCHES).fill(undefined);
let nextShared = 0;

/** Makes an answer with a token and no event. */
export function encodeCheckpoint(resumeToken: string): Uint8Array {
  return encodeWire(WatchEventsResponse, { events: [], resumeToken });
}

/** Gives the answers that hold events of one namespace, in their order: as few as may be. */
export function encodeWatchAnswers(
  events: readonly StoredEvent[],
  tokens: ResumeTokens,
): readonly Uint8Array[] {
  for (const batch of shared) {
    if (batch !== undefined && sameEvents(batch.events, events)) return batch.answers;
  }
  const batch = { events, answers: encodeAll(events, tokens) };
  shared[nextShared] = batch;
  nextShared = (nextShared + 1) % SHARED_BATCHES;
  return batch.answers;
}

/** Compares one by one: readers with different filters may agree in the ends and the count. */
function sameEvents(a: readonly StoredEvent[], b: readonly StoredEvent[]): boolean {
  return a.length === b.length && a.every((event, index) => event === b[index]);
}

function encodeAll(events: readonly StoredEvent[], tokens: ResumeTokens): readonly Uint8Array[] {
  const answers: Uint8Array[] = [];
  let items: Uint8Array[] = [];
  let bytes = 0;
  for (const [index, event] of events.entries()) {
    const piece = encodePiece(event, tokens);
    items.push(piece);
    bytes += piece.length + EVENT_PREFIX_BYTES;
    const next = events[index + 1];
    const left = ANSWER_BYTES_MAX - TOKEN_FIELD_BYTES - bytes - EVENT_PREFIX_BYTES;
    const fits =
      next !== undefined &&
      items.length < ANSWER_EVENTS_MAX &&
      encodePiece(next, tokens).length <= left;
    if (fits) continue;
    answers.push(finish(items, tokens.make(event.namespace, event)));
    items = [];
    bytes = 0;
  }
  return answers;
}

/** Gives an event with its token. */
function encodePiece(event: StoredEvent, tokens: ResumeTokens): Uint8Array {
  const known = pieces.get(event);
  if (known !== undefined) return known;
  const resumeToken = tokens.make(event.namespace, event);
  const rest = encodeWire(StreamedEvent, { event: undefined, resumeToken });
  const piece = exact(spliceField(EVENT_FIELD, [event.body], rest));
  pieces.set(event, piece);
  return piece;
}

function finish(items: readonly Uint8Array[], resumeToken: string): Uint8Array {
  return exact(spliceField(EVENT_FIELD, items, encodeCheckpoint(resumeToken)));
}

/**
 * Copies to the size that is needed: a slice of the shared pool would keep 64 KiB of it alive as
 * long as an event is held, which is a hundred times its size.
 */
function exact(bytes: Buffer): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
