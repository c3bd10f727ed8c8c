// What every use case works with.

import type { Etags } from "../domain/etag.ts";
import type { CollectionRef, Store } from "../storage/store.ts";
import type { Codec, ServiceSettings, World } from "./api.ts";
import type { Hooks } from "./hook-port.ts";
import type { TokenCounter } from "./token-counter.ts";

/** Who hears at once what a change of a session did beside the session: before it is answered. */
export interface ChangeNews {
  documentsChanged?: (ref: CollectionRef, numbers: readonly number[]) => void;
  memoryJobsChanged?: () => void;
}

/** The parts a use case needs, made once by createServices. */
export interface ServiceContext {
  readonly store: Store;
  readonly etags: Etags;
  readonly codec: Codec;
  readonly world: World;
  readonly tokens: TokenCounter;
  /** Who does the work that needs somebody outside. */
  readonly hooks: Hooks;
  readonly settings: ServiceSettings;
  /** Filled in while the services are put together. Default: nobody hears. */
  readonly news?: ChangeNews;
}
