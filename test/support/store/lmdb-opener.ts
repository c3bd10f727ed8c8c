// Opens a store with failpoints armed, for tests that kill the start.
// Usage: node lmdb-opener.ts DIR FAILPOINTS

import { armFailpoints } from "../../src/lib/failpoint.ts";
import { openLmdbStore } from "../../src/storage/lmdb/store.ts";
import { CODEC } from "../../src/transport/convert/message.ts";

const [, , directory = "", failpoints = ""] = process.argv;
armFailpoints(failpoints);
const store = await openLmdbStore({ directory, readFacts: CODEC.readFacts, floor: { bytes: 0 } });
await store.close();
