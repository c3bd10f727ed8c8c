// The index in a thread of its own, which is started by the first call.
//
// Calls about one namespace are sent in the order in which they were made, so a search sees what
// was applied before it. Namespaces take turns, and those with a call whose answer is awaited come
// first: a search waits only for the changes of its own namespace. Changes are sent in small
// pieces, and only so many at a time, so a search that comes in between waits little.

import { Worker } from "node:worker_threads";
import { failpoint } from "../../kit/failpoint.ts";
import { SYSTEM_WORLD } from "../../kit/world.ts";
import {
  type IndexCall,
  type IndexChange,
  type IndexModel,
  IndexStopped,
  indexMethods,
  namespaceOf,
  type RecallIndex,
} from "./port.ts";
import {
  type IndexRequest,
  type IndexResponse,
  packChanges,
  piecesOf,
  type SentCall,
  type ThreadSettings,
} from "./protocol.ts";

/** A call that waits to be sent. */
export interface Job {
  readonly namespace: string;
  /** The work in bytes; 0 for a call whose answer is awaited. */
  readonly bytes: number;
}

interface Lane<T> {
  readonly namespace: string;
  jobs: T[];
  /** The first of `jobs` that has not been sent. */
  next: number;
  urgent: number;
}

/** Taken jobs are dropped when there are this many. */
const TAKEN_MAX = 64;

/** The jobs of all namespaces, in the order in which they are sent. */
export class Lanes<T extends Job> {
  /** Namespaces with jobs, the one whose turn is next first. */
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #urgent = new Set<Lane<T>>();

  add(job: T): void {
    const { namespace } = job;
    let lane = this.#lanes.get(namespace);
    if (lane === undefined) {
      lane = { namespace, jobs: [], next: 0, urgent: 0 };
      this.#lanes.set(namespace, lane);
    }
    lane.jobs.push(job);
    if (job.bytes > 0) return;
    lane.urgent += 1;
    this.#urgent.add(lane);
  }

  /**
   * Takes the next job if it has at most this many bytes. While answers are awaited, only the
   * namespaces of those calls have a turn. A large job is not passed over for smaller ones forever.
   */
  take(bytes: number): T | undefined {
    const [first] = this.#lanes.values();
    const lanes = this.#urgent.size > 0 ? this.#urgent : first === undefined ? [] : [first];
    for (const lane of lanes) {
      const job = lane.jobs[lane.next];
      if (job !== undefined && job.bytes <= bytes) return this.#taken(lane, job);
    }
    return undefined;
  }

  /** Takes every job. */
  clear(): T[] {
    const all = [...this.#lanes.values()].flatMap(({ jobs, next }) => jobs.slice(next));
    this.#lanes.clear();
    this.#urgent.clear();
    return all;
  }

  #taken(lane: Lane<T>, job: T): T {
    lane.next += 1;
    if (job.bytes === 0) lane.urgent -= 1;
    if (lane.urgent === 0) this.#urgent.delete(lane);
    if (lane.next >= TAKEN_MAX) {
      lane.jobs = lane.jobs.slice(lane.next);
      lane.next = 0;
    }
    this.#lanes.delete(lane.namespace);
    if (lane.next < lane.jobs.length) this.#lanes.set(lane.namespace, lane);
    return job;
  }
}

/** Options for starting the thread. */
export interface ThreadOptions {
  /** The model of the index; it is made in the thread when it is local. */
  readonly model: IndexModel;
  /**
   * Memory of the index. The limit of the heap follows from it: the larger the limit, the later
   * garbage is collected. Default: unlimited.
   */
  readonly memoryBytes?: number;
  /** Default: recall-worker beside the folder of this file. */
  readonly workerUrl?: URL;
  /** The clock. Default: that of the system. */
  readonly nowMs?: () => number;
}

// As .ts in the sources and as .js in a build.
const EXTENSION = import.meta.filename.endsWith(".ts") ? "ts" : "js";
const WORKER_URL = new URL(`../../recall-worker.${EXTENSION}`, import.meta.url);

/** Bytes of changes that were sent and are not in yet: about ten milliseconds of work. */
const SENT_BYTES_MAX = 131_072;
const MIB = 1_048_576;
/** Room for the objects of the thread beside those of the index: its code, words, changes. */
const OWN_HEAP_MB = 256;
/** The largest heap. Of the index it holds mostly terms; columns and vectors lie outside. */
const HEAP_MB_MAX = 4_096;
/** Most objects die young; more room for them costs memory and saves no time. */
const YOUNG_MB = 12;
/** The least time between two starts of a thread that keeps ending. */
const RESTART_MS = 1_000;
/** The lane of calls about no namespace; no namespace has this name. */
const NO_NAMESPACE = "\n";

/**
 * A call that is packed once, and then holds nothing. A map that entries come into and go from
 * leaves old tables behind; once the collector has moved one of them out of the young generation,
 * it keeps the next, which keeps its jobs, so their records must not hang on them.
 */
class Unpacked {
  #pack: (() => SentCall) | undefined;

  constructor(pack: () => SentCall) {
    this.#pack = pack;
  }

  take(): SentCall {
    const pack = this.#pack;
    this.#pack = undefined;
    if (pack === undefined) throw new Error("a call was packed twice");
    return pack();
  }
}

interface Pending extends Job {
  /** Packed only when it is sent, so that what waits is not held twice. */
  readonly call: Unpacked;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Makes an index in a thread of its own. Nothing is started before the first call. */
export function createThreadIndex(options: ThreadOptions): RecallIndex {
  const thread = new IndexThread(options);
  return {
    ...indexMethods((call) => thread.run(call)),
    model: options.model,
    onRestart: (listener) => thread.onRestart(listener),
    close: () => thread.close(),
  };
}

class IndexThread {
  readonly #url: URL;
  readonly #settings: ThreadSettings;
  readonly #nowMs: () => number;
  readonly #heapMb: number;
  readonly #lanes = new Lanes<Pending>();
  readonly #sent = new Map<number, Pending>();
  readonly #listeners = new Set<() => void>();
  #worker: Worker | undefined;
  #startedMs = Number.NEGATIVE_INFINITY;
  #sentBytes = 0;
  #lastId = 0;
  #isClosed = false;

  constructor(options: ThreadOptions) {
    const { model, workerUrl = WORKER_URL, nowMs = SYSTEM_WORLD.nowMs } = options;
    const { memoryBytes = HEAP_MB_MAX * MIB } = options;
    this.#url = workerUrl;
    this.#settings = { model };
    this.#nowMs = nowMs;
    this.#heapMb = Math.min(HEAP_MB_MAX, OWN_HEAP_MB + Math.ceil(memoryBytes / MIB));
  }

  run(call: IndexCall): Promise<unknown> {
    if (call.method === "apply") return this.#apply(...call.args);
    // A copy: records lie in large buffers, which would travel whole.
    const own: SentCall =
      call.method === "passages"
        ? { method: call.method, args: [call.args[0], Uint8Array.from(call.args[1])] }
        : call;
    const namespace = namespaceOf(call) ?? NO_NAMESPACE;
    return this.#queue({ namespace, bytes: 0, call: new Unpacked(() => own) });
  }

  /** Sends the changes in pieces and gives the size after the last one. */
  #apply(namespace: string, changes: readonly IndexChange[]): Promise<unknown> {
    const sizes = piecesOf(changes).map((piece) => {
      const pack = (): SentCall => {
        return { method: "apply", args: [namespace, packChanges(piece.changes)] };
      };
      const call = new Unpacked(pack);
      return this.#queue({ namespace, bytes: Math.max(1, piece.bytes), call });
    });
    return Promise.all(sizes).then((all) => all.at(-1));
  }

  onRestart(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    this.#rejectAll(new IndexStopped());
    await worker?.terminate();
  }

  #queue(job: Omit<Pending, "resolve" | "reject">): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#isClosed || !this.#start()) {
      reject(new IndexStopped());
    } else {
      this.#lanes.add({ ...job, resolve, reject });
      this.#send();
    }
    return promise;
  }

  #send(): void {
    const worker = this.#worker;
    const sent = this.#sent;
    if (worker === undefined) return;
    for (;;) {
      // A piece that is larger than the limit goes alone.
      const room =
        this.#sentBytes === 0 ? Number.POSITIVE_INFINITY : SENT_BYTES_MAX - this.#sentBytes;
      const job = this.#lanes.take(Math.max(0, room));
      if (job === undefined) return;
      this.#lastId += 1;
      const call = job.call.take();
      sent.set(this.#lastId, job);
      this.#sentBytes += job.bytes;
      if (call.method === "apply") failpoint("before-index");
      const request: IndexRequest = { id: this.#lastId, call };
      const packed = call.method === "apply" ? call.args[1] : undefined;
      worker.postMessage(request, packed ? [packed.bytes.buffer, packed.numbers.buffer] : []);
    }
  }

  #receive(answer: IndexResponse): void {
    const job = this.#sent.get(answer.id);
    if (job === undefined) return;
    this.#sent.delete(answer.id);
    this.#sentBytes -= job.bytes;
    if ("failed" in answer) job.reject(new Error(`the index failed: ${answer.failed}`));
    else job.resolve(answer.result);
    this.#send();
  }

  /** Makes sure that there is a thread; false when one has just ended. */
  #start(): boolean {
    if (this.#worker !== undefined) return true;
    const now = this.#nowMs();
    if (now - this.#startedMs < RESTART_MS) return false;
    this.#startedMs = now;
    const worker = new Worker(this.#url, {
      workerData: this.#settings,
      resourceLimits: {
        maxOldGenerationSizeMb: this.#heapMb,
        maxYoungGenerationSizeMb: YOUNG_MB,
      },
    });
    worker.unref();
    this.#worker = worker;
    // Only the name of an error: its message could hold text of a conversation.
    const ended = (name: string) => this.#ended(worker, name);
    worker.on("message", (answer: IndexResponse) => this.#receive(answer));
    worker.on("error", (error) => ended(error instanceof Error ? error.name : "unknown"));
    worker.on("messageerror", (error) => ended(error.name));
    worker.on("exit", () => ended("exit"));
    return true;
  }

  #ended(worker: Worker, name: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    void worker.terminate();
    this.#rejectAll(new IndexStopped(`The thread of the index ended: ${name}.`));
    for (const listener of [...this.#listeners]) listener();
  }

  #rejectAll(error: IndexStopped): void {
    const all = [...this.#sent.values(), ...this.#lanes.clear()];
    this.#sent.clear();
    this.#sentBytes = 0;
    for (const { reject } of all) reject(error);
  }
}
