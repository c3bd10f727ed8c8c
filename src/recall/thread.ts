// The side of the index's thread: answers one question after the other, and does background work
// while there is none.

import type { MessagePort } from "node:worker_threads";
import type { RecallEngine } from "./engine.ts";
import {
  type IndexRequest,
  type IndexResults,
  type NumberedRequest,
  type NumberedResult,
  unpackChanges,
} from "./protocol.ts";

/** Serves an engine to whoever is at the other end of a port. */
export function serveEngine(port: MessagePort, engine: RecallEngine): void {
  let isWorking = false;
  const work = (): void => {
    isWorking = engine.step();
    // Questions that came meanwhile are answered before the next step.
    if (isWorking) setImmediate(work);
  };
  port.on("message", ({ id, request }: NumberedRequest) => {
    port.postMessage(answer(id, () => resultOf(engine, request)));
    if (!isWorking) {
      isWorking = true;
      setImmediate(work);
    }
  });
}

function answer(id: number, ask: () => IndexResults[keyof IndexResults]): NumberedResult {
  try {
    return { id, result: ask() };
  } catch (error) {
    return { id, failed: error instanceof Error ? error.name : "unknown" };
  }
}

function resultOf(engine: RecallEngine, request: IndexRequest): IndexResults[keyof IndexResults] {
  switch (request.kind) {
    case "apply":
      return engine.apply(request.namespace, unpackChanges(request.changes));
    case "search":
      return engine.search(request.namespace, request.query);
    case "cosine":
      return engine.searchCosine(request.namespace, request.query);
    case "tf-idf":
      return engine.searchTfIdf(request.namespace, request.query);
    case "positions":
      return engine.positions(request.namespace, request.container);
    case "passages":
      return engine.passages(request.record, request.bytes);
    case "embed":
      return engine.embed(request.texts);
    case "drop":
      engine.drop(request.namespace);
      return undefined;
  }
}
