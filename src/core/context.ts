// Context of every use case.

import type { Hooks } from "../hooks/port.ts";
import type { Etags } from "../kit/etag.ts";
import type { World } from "../kit/world.ts";
import type { Store } from "../store/store.ts";
import type { Codec } from "./codec.ts";
import type { Participants } from "./participants.ts";
import type { TokenCounter } from "./token-counter.ts";

/** The parts a use case needs, made once by createServices. */
export interface ServiceContext {
  readonly store: Store;
  readonly etags: Etags;
  readonly codec: Codec;
  readonly world: World;
  readonly tokens: TokenCounter;
  /** Hooks: work that is done outside the process. */
  readonly hooks: Hooks;
  /** Participants in changes of sessions. */
  readonly participants: Participants;
  readonly settings: ServiceSettings;
}

/** Settings of the services. */
export interface ServiceSettings {
  /** Time for which a request id is remembered. */
  readonly idempotencyWindowMs: number;
  readonly eventAgeMsMax: number;
  readonly eventCountMax: number;
  /** Default: confidence does not fade by itself. */
  readonly memoryDecay?: MemoryDecay;
}

/** Decay of the confidence of memories. */
export interface MemoryDecay {
  /** Share of it that is left after a period; below 1. */
  readonly factor: number;
  readonly periodMs: number;
  /** Memories below this are deleted, unless they are persistent; 0 deletes none. */
  readonly floor: number;
}
