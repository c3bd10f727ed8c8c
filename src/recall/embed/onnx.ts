// Sentence transformers of the operator: a directory with model.onnx and tokenizer.json, run in a
// thread of its own, one batch at a time, queries before passages.
//
// The thread is never stopped while the model runs, because that ends the whole process. A batch
// that takes too long fails its callers and everything after it, until the thread answers again.

import { basename } from "node:path";
import { Worker } from "node:worker_threads";
import { embedderUnavailable } from "../rules/errors.ts";
import type { Embedder, EmbedPurpose } from "./embedder.ts";

/** A question to the thread: embed texts, or without texts describe the loaded model. */
export interface OnnxRequest {
  readonly id: number;
  readonly texts: readonly string[] | undefined;
}

/** The model that the thread loaded. */
export interface OpenedModel {
  readonly digest: string;
  readonly dimensions: number;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
}

/** An answer of the thread. */
export interface OnnxAnswer {
  readonly id: number;
  readonly opened?: OpenedModel;
  readonly vectors?: readonly Float32Array[];
  readonly error?: string;
}

/** Options of a sentence transformer. */
export interface OnnxOptions {
  /** The name that settings and answers use. */
  readonly name: string;
  /** Directory of model.onnx (or onnx/model.onnx) and tokenizer.json. */
  readonly directory: string;
  /** Texts in one run of the model; 16 by default. */
  readonly batchSize?: number | undefined;
  /** Stands before each query; by default what the directory says, which is often nothing. */
  readonly queryPrefix?: string | undefined;
  /** Stands before each passage; by default what the directory says. */
  readonly passagePrefix?: string | undefined;
  /** Timeout of each batch from its start, in ms; 60,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Time limit for loading, in ms, on top of the first batch; 120,000 by default. */
  readonly loadTimeoutMs?: number | undefined;
  /** Path of the thread's code; only tests set it. */
  readonly workerUrl?: URL | undefined;
}

const BATCH_SIZE = 16;
const TIMEOUT_MS = 60_000;
const LOAD_TIMEOUT_MS = 120_000;
/** Batches that may wait; callers send no more than a few at a time. */
const WAITING_MAX = 4_096;

// The worker lies beside this file, as .ts in the sources and as .js in a build.
const EXTENSION = import.meta.filename.endsWith(".ts") ? "ts" : "js";
const WORKER_URL = new URL(`./onnx-worker.${EXTENSION}`, import.meta.url);

/**
 * Opens a sentence transformer. Takes as long as its runtime loads it, often a second. Throws an
 * Error for the operator, which says what is wrong with the directory or the runtime.
 */
export async function openOnnxEmbedder(options: OnnxOptions): Promise<Embedder> {
  const { name, directory, batchSize = BATCH_SIZE } = options;
  const thread = new ModelThread(options);
  let opened: OpenedModel | undefined;
  try {
    opened = (await thread.ask(undefined, "query")).opened;
    if (opened === undefined) throw new Error("the thread did not say what it loaded");
  } catch (cause) {
    await thread.close();
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`embedder ${name}: ${directory} cannot be used: ${problem}`, { cause });
  }
  const prefixes = {
    query: options.queryPrefix ?? opened.queryPrefix,
    passage: options.passagePrefix ?? opened.passagePrefix,
  };
  const { dimensions } = opened;
  return {
    name,
    model: modelId(directory, opened, prefixes),
    dimensions,
    embed: async (texts, purpose, signal) => {
      signal?.throwIfAborted();
      const batches: Promise<OnnxAnswer>[] = [];
      for (let start = 0; start < texts.length; start += batchSize) {
        const batch = texts.slice(start, start + batchSize).map((text) => prefixes[purpose] + text);
        batches.push(thread.ask(batch, purpose, signal));
      }
      const answers = await Promise.all(batches).catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw embedderUnavailable(cause);
      });
      const vectors = answers.flatMap((answer) => answer.vectors ?? []);
      const isBlank = (at: number): boolean => texts[at]?.trim() === "";
      return vectors.map((vector, at) => (isBlank(at) ? new Float32Array(dimensions) : vector));
    },
    close: () => thread.close(),
  };
}

function modelId(
  directory: string,
  { digest, dimensions }: OpenedModel,
  prefixes: Readonly<Record<EmbedPurpose, string>>,
): string {
  // A prefix is a part of the text recipe: with another one, vectors are others.
  const recipe = JSON.stringify([prefixes.query, prefixes.passage]);
  return `onnx-${basename(directory)}-${digest.slice(0, 12)}/d${dimensions}/${recipe}`;
}

interface Asked {
  readonly request: OnnxRequest;
  readonly purpose: EmbedPurpose;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (answer: OnnxAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread with what waits for it. The first question starts it, and the next after a fault. */
class ModelThread {
  readonly #directory: string;
  readonly #timeoutMs: number;
  readonly #loadTimeoutMs: number;
  readonly #url: URL;
  #worker: Worker | undefined;
  #running: Asked | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasAnswered = false;
  #isOverdue = false;
  #isClosed = false;
  #idle: (() => void) | undefined;
  readonly #waiting: Readonly<Record<EmbedPurpose, Asked[]>> = { query: [], passage: [] };
  #nextId = 1;

  constructor(options: OnnxOptions) {
    this.#directory = options.directory;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#loadTimeoutMs = options.loadTimeoutMs ?? LOAD_TIMEOUT_MS;
    this.#url = options.workerUrl ?? WORKER_URL;
  }

  /** Asks the thread; fails when it fails, takes too long, or too many wait. */
  async ask(
    texts: readonly string[] | undefined,
    purpose: EmbedPurpose,
    signal?: AbortSignal,
  ): Promise<OnnxAnswer> {
    if (this.#isClosed) throw new Error("the embedder was closed");
    if (this.#isOverdue) throw new Error("the embedder is busy with a batch that takes too long");
    const waiting = this.#waiting[purpose];
    if (waiting.length >= WAITING_MAX) throw new Error("too many texts wait for the embedder");
    const request = { id: this.#nextId, texts };
    this.#nextId += 1;
    const { promise, resolve, reject } = Promise.withResolvers<OnnxAnswer>();
    const asked = { request, purpose, signal, resolve, reject };
    const leave = (): void => {
      const at = waiting.indexOf(asked);
      if (at >= 0) waiting.splice(at, 1);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    waiting.push(asked);
    this.#next();
    return await promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  /** Fails what waits and stops the thread, once the batch that runs is done or takes too long. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failWaiting(new Error("the embedder was closed"));
    if (this.#running !== undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#idle = resolve;
      const tooLong = setTimeout(resolve, this.#timeoutMs);
      await promise;
      clearTimeout(tooLong);
    }
    clearTimeout(this.#timer);
    // A model that still runs is left to itself.
    if (this.#running === undefined) await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    const asked = this.#waiting.query.shift() ?? this.#waiting.passage.shift();
    if (asked === undefined) return;
    this.#running = asked;
    this.#worker ??= this.#start();
    // A thread that does nothing keeps no process alive; one that works does.
    this.#worker.ref();
    const allowedMs = this.#timeoutMs + (this.#hasAnswered ? 0 : this.#loadTimeoutMs);
    this.#timer = setTimeout(() => this.#overdue(allowedMs), allowedMs);
    this.#worker.postMessage(asked.request);
  }

  #start(): Worker {
    const worker = new Worker(this.#url, { workerData: { directory: this.#directory } });
    this.#hasAnswered = false;
    worker.on("message", (answer: OnnxAnswer) => {
      this.#hasAnswered = true;
      this.#answered(answer);
    });
    const stopped = (error: Error): void => {
      if (this.#worker !== worker) return;
      // The next question starts a new thread.
      this.#worker = undefined;
      const { request } = this.#running ?? {};
      if (request !== undefined) this.#answered({ id: request.id, error: error.message });
    };
    worker.on("error", stopped);
    worker.on("exit", () => stopped(new Error("the thread of the embedder stopped")));
    return worker;
  }

  #answered(answer: OnnxAnswer): void {
    const asked = this.#running;
    if (asked?.request.id !== answer.id) return;
    clearTimeout(this.#timer);
    this.#running = undefined;
    this.#isOverdue = false;
    this.#worker?.unref();
    if (answer.error === undefined) asked.resolve(answer);
    else asked.reject(new Error(answer.error));
    this.#idle?.();
    this.#next();
  }

  #overdue(allowedMs: number): void {
    this.#isOverdue = true;
    const error = new Error(`the embedder took more than ${allowedMs} ms for one batch`);
    this.#running?.reject(error);
    this.#failWaiting(error);
    // A batch that never ends must not keep the process alive.
    this.#worker?.unref();
  }

  #failWaiting(error: Error): void {
    for (const waiting of Object.values(this.#waiting)) {
      for (const asked of waiting.splice(0)) asked.reject(error);
    }
  }
}
