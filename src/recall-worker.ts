// The thread of the recall index: joins the engine, the table of word vectors and the reader of the
// wire forms of messages and documents.

import { randomInt } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { loadStaticEmbedder } from "./recall/embed/static.ts";
import { createEngine, serveEngine } from "./recall/index/local.ts";
import type { ThreadSettings } from "./recall/index/protocol.ts";
import { INDEX_CODEC } from "./recall/indexed-wire.ts";

const { model } = workerData as ThreadSettings;
// Near words come from the table whatever makes the vectors; without any, words alone count.
const table = model.id === "" ? undefined : loadStaticEmbedder();
if (model.isLocal && table?.model !== model.id) {
  throw new Error(`the table is ${table?.model}, not ${model.id}`);
}
const engine = createEngine({
  codec: INDEX_CODEC,
  model,
  // A secret, so that nobody can prepare texts whose terms make the index slow.
  hashKey: [randomInt(2 ** 32), randomInt(2 ** 32)],
  ...(table === undefined ? {} : { nearWords: table.nearWords }),
  ...(table === undefined || !model.isLocal ? {} : { embedText: table.embedText }),
});
if (parentPort !== null) serveEngine(parentPort, engine);
