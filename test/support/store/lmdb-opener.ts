// Opens a store with failpoints armed, for tests that kill the start.
// Usage: node lmdb-opener.ts DIR FAILPOINTS

import { CODEC } from "../../../src/edge/codec.ts";
import { armFailpoints } from "../../../src/kit/failpoint.ts";
import { openLmdbStore } from "../../../src/store/lmdb/store.ts";

const [, , directory = "", failpoints = ""] = process.argv;
armFailpoints(failpoints);
const store = await openLmdbStore({ directory, readFacts: CODEC.readFacts, floor: { bytes: 0 } });
await store.close();
