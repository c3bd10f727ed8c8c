// Messages, answers and events, as the layers above see them.

import type { EventType } from "../events/rules/event.ts";
import type { Role, WindowEntry } from "../window/rules/types.ts";

/** A message as stored. */
export interface StoredMessage {
  readonly seq: number;
  readonly messageId: string;
  readonly role: Role;
  readonly tokenCount: number;
  /** The wire form of the public message. Never changed in place; safe to keep. */
  readonly bytes: Uint8Array;
}

/** A window entry with its message. May compute parts when they are asked for: never spread it. */
export interface StoredEntry extends WindowEntry {
  readonly bytes: Uint8Array;
}

/** An answer given earlier to a request id. */
export interface StoredReply {
  readonly method: string;
  /** Its characters are bytes. */
  readonly digest: string;
  readonly bytes: Uint8Array;
  readonly createMs: number;
  /**
   * Marks of what the answer is about, set by the engine; see erase/rules/erasure.ts. Unset: not
   * known, as in answers that older versions remembered.
   */
  readonly about?: readonly string[];
  /** The answer was erased with its subject; unset otherwise. */
  readonly isErased?: true;
}

/** An event with what filters need. */
export interface StoredEvent {
  readonly revision: number;
  readonly index: number;
  readonly type: EventType;
  readonly namespace: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly createMs: number;
  /** The wire form of the public event. */
  readonly body: Uint8Array;
}

/** An event of a plan: the engine knows revision and index. */
export type NewEvent = Omit<StoredEvent, "revision" | "index">;

/** A new or changed message of a plan. */
export type NewMessage = StoredEntry;
