// The index in a thread of its own, which is started by the first call. Changes are sent in small
// pieces, and only so many at a time, so that a search that comes in between waits little.

import { Worker } from "node:worker_threads";
import { failpoint } from "../lib/failpoint.ts";
import { SYSTEM_WORLD } from "../lib/world.ts";
import { IndexStopped } from "./index-stopped.ts";
import { type Job, Lanes } from "./lanes.ts";
import type { IndexModel, IndexSize, RecallIndex } from "./port.ts";
import {
  type IndexRequest,
  type IndexResults,
  type NumberedResult,
  type Piece,
  packChanges,
  piecesOf,
  type ThreadSettings,
} from "./protocol.ts";

/** How the thread is started. */
export interface ThreadOptions {
  /** The model of the index; it is made in the thread when it is local. */
  readonly model: IndexModel;
  /** Default: recall-worker beside the folder of this file. */
  readonly workerUrl?: URL;
  /** The clock. Default: that of the system. */
  readonly nowMs?: () => number;
}

// As .ts in the sources and as .js in a build.
const EXTENSION = import.meta.filename.endsWith(".ts") ? "ts" : "js";
const WORKER_URL = new URL(`../recall-worker.${EXTENSION}`, import.meta.url);

/** Bytes of changes that were sent and are not in yet: about ten milliseconds of work. */
const SENT_BYTES_MAX = 65_536;
/** The objects of the largest index, terms above all. Columns and vectors do not count. */
const HEAP_MB = 4_096;
/** Objects here die young; more room for them is memory and saves no time. */
const YOUNG_MB = 24;
/** A thread that ends again and again is not started more often than this. */
const RESTART_MS = 1_000;
/** The lane of what belongs to no namespace; none has this name. */
const NO_NAMESPACE = "\n";

interface Pending extends Job {
  /** Packed only when it is sent, so that what waits is not held twice. */
  readonly request: () => IndexRequest;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** Makes an index in a thread of its own. Nothing is started before the first call. */
export function createThreadIndex(options: ThreadOptions): RecallIndex {
  const thread = new IndexThread(options);
  const { model } = options;
  return {
    model,
    apply: (namespace, changes) => thread.apply(namespace, piecesOf(changes)),
    search: (namespace, query) => thread.ask({ kind: "search", namespace, query }),
    searchCosine: (namespace, query) => thread.ask({ kind: "cosine", namespace, query }),
    searchTfIdf: (namespace, query) => thread.ask({ kind: "tf-idf", namespace, query }),
    positions: (namespace, container) => thread.ask({ kind: "positions", namespace, container }),
    // A copy: records lie in large buffers, which would travel whole.
    passages: (kind, bytes) =>
      thread.ask({ kind: "passages", record: kind, bytes: Uint8Array.from(bytes) }),
    embed: (texts) => thread.ask({ kind: "embed", texts }),
    drop: (namespace) => thread.ask({ kind: "drop", namespace }),
    onRestart: (listener) => thread.onRestart(listener),
    close: () => thread.close(),
  };
}

class IndexThread {
  private readonly url: URL;
  private readonly settings: ThreadSettings;
  private readonly nowMs: () => number;
  private readonly lanes = new Lanes<Pending>();
  private readonly sent = new Map<number, Pending>();
  private readonly listeners = new Set<() => void>();
  private worker: Worker | undefined;
  private startedMs = Number.NEGATIVE_INFINITY;
  private sentBytes = 0;
  private lastId = 0;
  private isClosed = false;

  constructor({ model, workerUrl = WORKER_URL, nowMs = SYSTEM_WORLD.nowMs }: ThreadOptions) {
    this.url = workerUrl;
    this.settings = { model };
    this.nowMs = nowMs;
  }

  async apply(namespace: string, pieces: readonly Piece[]): Promise<IndexSize> {
    const sizes = pieces.map(({ changes, bytes }) => {
      const request = () =>
        ({ kind: "apply", namespace, changes: packChanges(changes) }) satisfies IndexRequest;
      return this.queue<IndexSize>({ namespace, bytes: Math.max(1, bytes), request });
    });
    const all = await Promise.all(sizes);
    return all.at(-1) ?? Promise.reject(new IndexStopped());
  }

  ask<K extends Exclude<IndexRequest["kind"], "apply">>(
    request: IndexRequest & { readonly kind: K },
  ): Promise<IndexResults[K]> {
    const namespace = "namespace" in request ? request.namespace : NO_NAMESPACE;
    return this.queue<IndexResults[K]>({ namespace, bytes: 0, request: () => request });
  }

  onRestart(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { worker } = this;
    this.worker = undefined;
    this.rejectAll(new IndexStopped());
    await worker?.terminate();
  }

  private queue<T>(job: Omit<Pending, "resolve" | "reject">): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.isClosed || !this.start()) {
      reject(new IndexStopped());
    } else {
      this.lanes.add({ ...job, resolve, reject });
      this.send();
    }
    return promise;
  }

  private send(): void {
    const { worker, sent } = this;
    if (worker === undefined) return;
    for (;;) {
      // A piece that is larger than the limit goes alone.
      const room =
        this.sentBytes === 0 ? Number.POSITIVE_INFINITY : SENT_BYTES_MAX - this.sentBytes;
      const job = this.lanes.take(Math.max(0, room));
      if (job === undefined) return;
      this.lastId += 1;
      const request = job.request();
      const buffers =
        request.kind === "apply"
          ? [request.changes.bytes.buffer, request.changes.numbers.buffer]
          : [];
      sent.set(this.lastId, job);
      this.sentBytes += job.bytes;
      if (request.kind === "apply") failpoint("before-index");
      worker.postMessage({ id: this.lastId, request }, buffers);
    }
  }

  private receive(answer: NumberedResult): void {
    const job = this.sent.get(answer.id);
    if (job === undefined) return;
    this.sent.delete(answer.id);
    this.sentBytes -= job.bytes;
    if ("failed" in answer) job.reject(new Error(`the index failed: ${answer.failed}`));
    else job.resolve(answer.result as never);
    this.send();
  }

  /** Makes sure that there is a thread; false when one has just ended. */
  private start(): boolean {
    if (this.worker !== undefined) return true;
    const now = this.nowMs();
    if (now - this.startedMs < RESTART_MS) return false;
    this.startedMs = now;
    const worker = new Worker(this.url, {
      workerData: this.settings,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.unref();
    this.worker = worker;
    // Only the name of an error: its message could hold text of a conversation.
    const ended = (name: string) => this.ended(worker, name);
    worker.on("message", (answer: NumberedResult) => this.receive(answer));
    worker.on("error", (error) => ended(error instanceof Error ? error.name : "unknown"));
    worker.on("messageerror", (error) => ended(error.name));
    worker.on("exit", () => ended("exit"));
    return true;
  }

  private ended(worker: Worker, name: string): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    void worker.terminate();
    this.rejectAll(new IndexStopped(`The thread of the index ended: ${name}.`));
    for (const listener of [...this.listeners]) listener();
  }

  private rejectAll(error: IndexStopped): void {
    const all = [...this.sent.values(), ...this.lanes.clear()];
    this.sent.clear();
    this.sentBytes = 0;
    for (const { reject } of all) reject(error);
  }
}
