// Shared by the parts of the generator.

import type { Store } from "../../src/store/store.ts";
import type { Random } from "../support/kit/random.ts";

/** Sources that operations are drawn from. */
export interface Draw {
  readonly random: Random;
  /** The store whose state is looked at for ids that exist; the model. */
  readonly store: Store;
  nowMs: number;
  /** Ids of messages drawn before; some of them are erased by now. */
  readonly known: string[];
}
