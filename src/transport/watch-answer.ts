// The answers of WatchEvents. The answer that holds an event is the same for every reader, so that
// it is made once and shared.

import { WatchEventsResponse } from "../gen/memorysidecar/v1/event_service.ts";
import type { StoredEvent } from "../storage/store.ts";
import { encodeWire } from "./fast-writer.ts";
import type { ResumeTokens } from "./resume-token.ts";
import { spliceField } from "./splice.ts";

const EVENT_FIELD = 1;

// Readers of live events get the same objects; what is held here goes when the events do.
const answers = new WeakMap<StoredEvent, Uint8Array>();

/** Makes an answer with a token and no event. */
export function encodeCheckpoint(resumeToken: string): Uint8Array {
  return encodeWire(WatchEventsResponse, { event: undefined, resumeToken });
}

/** Gives the answer that holds an event. */
export function encodeWatchAnswer(event: StoredEvent, tokens: ResumeTokens): Uint8Array {
  const known = answers.get(event);
  if (known !== undefined) return known;
  const rest = encodeCheckpoint(tokens.make(event.namespace, event));
  // A copy of its own size: a slice of the shared pool would keep 64 KiB of it alive as long as the
  // event is held, which is a hundred times the answer.
  const answer = new Uint8Array(spliceField(EVENT_FIELD, [event.body], rest));
  answers.set(event, answer);
  return answer;
}
