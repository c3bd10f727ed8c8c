// Runs the engine: in the calling thread for tests, or behind a port in a thread of its own.

import type { MessagePort } from "node:worker_threads";
import type { NearWord } from "../embed/static-table.ts";
import { FIXED_HASH_KEY } from "../lexical/index.ts";
import { LexicalScratch } from "../lexical/scratch.ts";
import type { HashKey } from "../lexical/term-table.ts";
import { VectorArena } from "../vector/arena.ts";
import { RecallEngine } from "./engine.ts";
import {
  type IndexCodec,
  type IndexModel,
  IndexStopped,
  indexMethods,
  type RecallIndex,
  runCall,
} from "./port.ts";
import { type IndexRequest, type IndexResponse, unpackChanges } from "./protocol.ts";

/** The codec and model of an index. */
export interface IndexSettings {
  readonly codec: IndexCodec;
  /** Default: no vectors. */
  readonly model?: IndexModel;
  /** Makes the vector of a text. Needed when the model is local. */
  readonly embedText?: (text: string) => Float32Array;
  /** Gives the words near a word. Default: near words are off. */
  readonly nearWords?: (word: string) => readonly NearWord[];
  /** Key of the hashes of terms, a secret. Default: a fixed key. */
  readonly hashKey?: HashKey;
}

/** The model of an index without vectors. */
export const NO_MODEL: IndexModel = { id: "", dimensions: 0, isLocal: false };

/** Makes the engine of an index. */
export function createEngine(settings: IndexSettings): RecallEngine {
  const { codec, model = NO_MODEL, embedText, nearWords, hashKey = FIXED_HASH_KEY } = settings;
  return new RecallEngine({
    ...{ codec, model, embedText, nearWords, hashKey },
    arena: new VectorArena(),
    scratch: new LexicalScratch(),
  });
}

/** Makes an index that works in this thread. */
export function createLocalIndex(settings: IndexSettings): RecallIndex {
  let engine: RecallEngine | undefined = createEngine(settings);
  return {
    ...indexMethods(async (call) => {
      if (engine === undefined) throw new IndexStopped();
      const result = await runCall(engine, call);
      while (engine?.step());
      return result;
    }),
    model: settings.model ?? NO_MODEL,
    onRestart: () => () => {},
    close: async () => {
      engine = undefined;
    },
  };
}

/** Answers the calls from the other end of a port, and does background work between them. */
export function serveEngine(port: MessagePort, engine: RecallEngine): void {
  let isWorking = false;
  const work = (): void => {
    isWorking = engine.step();
    // Calls that came meanwhile are answered before the next step.
    if (isWorking) setImmediate(work);
  };
  port.on("message", (request: IndexRequest) => {
    const response = responseTo(engine, request);
    if (response instanceof Promise) void response.then((late) => port.postMessage(late));
    else port.postMessage(response);
    if (!isWorking) {
      isWorking = true;
      setImmediate(work);
    }
  });
}

/** The response to a request; a promise only where the method takes its time. */
function responseTo(
  engine: RecallEngine,
  { id, call }: IndexRequest,
): IndexResponse | Promise<IndexResponse> {
  const failed = (error: unknown): IndexResponse => {
    return { id, failed: error instanceof Error ? error.name : "unknown" };
  };
  try {
    const { method, args } = call;
    if (method === "apply") return { id, result: engine.apply(args[0], unpackChanges(args[1])) };
    const result = runCall(engine, call);
    if (!(result instanceof Promise)) return { id, result };
    return result.then((late: unknown) => ({ id, result: late }), failed);
  } catch (error) {
    return failed(error);
  }
}
