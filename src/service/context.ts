// What every use case works with.

import type { Store } from "../storage/store.ts";
import type { Codec, ServiceSettings, World } from "./api.ts";
import type { Hooks } from "./hook-port.ts";
import type { TokenCounter } from "./token-counter.ts";

/** The parts a use case needs, made once by createServices. */
export interface ServiceContext {
  readonly store: Store;
  readonly codec: Codec;
  readonly world: World;
  readonly tokens: TokenCounter;
  /** Who does the work that needs somebody outside. */
  readonly hooks: Hooks;
  readonly settings: ServiceSettings;
}
