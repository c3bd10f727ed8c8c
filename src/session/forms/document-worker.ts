// The thread that reads one large document.

import { parentPort, workerData } from "node:worker_threads";
import type { DocumentFormat } from "../../service/snapshot-api.ts";
import { parseDocument } from "./parse.ts";

/** What the thread is given. */
export interface DocumentTask {
  readonly format: DocumentFormat;
  readonly document: Uint8Array;
}

const { format, document } = workerData as DocumentTask;
parentPort?.postMessage(parseDocument(format, document));
