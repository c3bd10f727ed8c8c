// What the parts of the generator share.

import type { Store } from "../../src/storage/store.ts";
import type { Random } from "../support/random.ts";

/** What operations are drawn from. */
export interface Draw {
  readonly random: Random;
  /** The store whose state is looked at for ids that exist; the model. */
  readonly store: Store;
  nowMs: number;
  /** Ids of messages drawn before; some of them are erased by now. */
  readonly known: string[];
}
