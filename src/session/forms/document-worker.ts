// The thread that reads one large document.

import { parentPort, workerData } from "node:worker_threads";
import { formatOf } from "../../compat/forms.ts";
import { parseDocument } from "./parse.ts";

/** Input of the thread. */
export interface DocumentTask {
  readonly format: string;
  readonly document: Uint8Array;
}

const { format, document } = workerData as DocumentTask;
parentPort?.postMessage(parseDocument(formatOf(format), document));
