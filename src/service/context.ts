// What every use case works with.

import type { Store } from "../storage/store.ts";
import type { Codec, ServiceSettings, World } from "./api.ts";
import type { RemovalPort } from "./removal-port.ts";
import type { TokenCounter } from "./token-counter.ts";

/** The parts a use case needs, made once by createServices. */
export interface ServiceContext {
  readonly store: Store;
  readonly codec: Codec;
  readonly world: World;
  readonly tokens: TokenCounter;
  /** Where stages hand messages to hooks. */
  readonly removals: RemovalPort;
  readonly settings: ServiceSettings;
}
