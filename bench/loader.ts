// The load generator, a separate process that can have its own core. It reads one job per line from
// standard input and prints one answer per line. Closed loop: each call starts when another ends.

import { createInterface } from "node:readline";
import { type BodySpec, pointAt, type Template, template } from "./bodies.ts";
import { percentile } from "./stats.ts";
import { headerBlock, type WireAnswer, WireConnection } from "./wire.ts";

/** One measurement. */
export interface Job {
  readonly port: number;
  readonly path: string;
  readonly body: BodySpec;
  /** Calls go to sessions 0 up to, but excluding, this number. */
  readonly sessions: number;
  /** Chooses sessions at random instead of in turn. */
  readonly random?: boolean;
  readonly inFlight: number;
  readonly warmMs: number;
  /** Duration of the measurement. 0 means until `calls` are done. */
  readonly measureMs: number;
  /** Stops after this many calls. */
  readonly calls?: number;
}

/** Result of a measurement. */
export interface JobResult {
  readonly calls: number;
  readonly failed: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly answerBytes: number;
  /** All calls of the job, including the warm-up. */
  readonly callsTotal: number;
}

const CONNECTION_CALLS = 64;
/** Minimum number of calls in a measurement, however slow the machine is. */
const CALLS_MIN = 20;
const EXTEND_MS = 100;
const STUCK_MS = 60_000;
const OPEN_END_MS = 3_600_000;
const GRPC_PREFIX_BYTES = 5;

/** A running job. */
class Load {
  readonly #job: Job;
  readonly #template: Template;
  readonly #wires: WireConnection[] = [];
  readonly #startTimes: Map<number, number>[] = [];
  readonly #times: number[] = [];
  readonly #finished = Promise.withResolvers<void>();
  #measureFrom = 0;
  #stopAt = 0;
  #started = 0;
  #ended = 0;
  #failed = 0;
  #bytes = 0;
  #goodTrailers = "";
  #random = 0x2545f491;

  constructor(job: Job) {
    this.#job = job;
    this.#template = template(job.body);
  }

  /** Runs the job to its end. */
  async run(): Promise<JobResult> {
    const { inFlight, warmMs, measureMs, port, path } = this.#job;
    const block = headerBlock(path, `127.0.0.1:${port}`);
    const connections = Math.max(1, Math.ceil(inFlight / CONNECTION_CALLS));
    for (let at = 0; at < connections; at++) {
      this.#startTimes.push(new Map());
      const wire = await WireConnection.open(port, block, {
        onAnswer: (stream, answer) => this.#take(at, stream, answer),
        onError: (error) => this.#finished.reject(error),
      });
      this.#wires.push(wire);
    }
    this.#measureFrom = performance.now() + warmMs;
    this.#stopAt = measureMs > 0 ? this.#measureFrom + measureMs : Number.POSITIVE_INFINITY;
    for (let i = 0; i < inFlight && this.#mayStart(); i++) this.#launch(i % connections);
    for (const wire of this.#wires) wire.flush();
    const timer = setTimeout(
      () => this.#finished.reject(new Error("calls were not answered in time")),
      warmMs + (measureMs > 0 ? measureMs : OPEN_END_MS) + STUCK_MS,
    );
    try {
      await this.#finished.promise;
    } finally {
      clearTimeout(timer);
      for (const wire of this.#wires) wire.close();
    }
    return this.#result();
  }

  #mayStart(): boolean {
    return this.#started < (this.#job.calls ?? Number.POSITIVE_INFINITY);
  }

  #launch(at: number): void {
    pointAt(this.#template, this.#nextSession());
    this.#started += 1;
    const stream = this.#wires[at]?.send(this.#template.body) ?? 0;
    this.#startTimes[at]?.set(stream, performance.now());
  }

  #nextSession(): number {
    if (this.#job.random !== true) return this.#started % this.#job.sessions;
    // A xorshift generator: repeatable, and cheaper than a call.
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return (this.#random >>> 0) % this.#job.sessions;
  }

  #take(at: number, stream: number, answer: WireAnswer): void {
    const now = performance.now();
    const began = this.#startTimes[at]?.get(stream) ?? now;
    this.#startTimes[at]?.delete(stream);
    this.#ended += 1;
    if (this.#goodTrailers === "" && answer.ok) this.#goodTrailers = answer.trailers;
    if (!answer.ok || answer.trailers !== this.#goodTrailers) this.#failed += 1;
    this.#bytes = answer.bytes;
    if (now > this.#stopAt && this.#times.length < CALLS_MIN) this.#stopAt = now + EXTEND_MS;
    if (began >= this.#measureFrom && now <= this.#stopAt) this.#times.push(now - began);
    if (now < this.#stopAt && this.#mayStart()) this.#launch(at);
    else if (this.#ended === this.#started) this.#finished.resolve();
  }

  #result(): JobResult {
    const seconds = (Math.min(performance.now(), this.#stopAt) - this.#measureFrom) / 1_000;
    const times = this.#times.sort((a, b) => a - b);
    return {
      calls: times.length,
      failed: this.#failed,
      seconds,
      perSecond: times.length / seconds,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      answerBytes: Math.max(0, this.#bytes - GRPC_PREFIX_BYTES),
      callsTotal: this.#ended,
    };
  }
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    let answer: { result?: JobResult; error?: string };
    try {
      answer = { result: await new Load(JSON.parse(line) as Job).run() };
    } catch (error) {
      answer = { error: error instanceof Error ? error.message : String(error) };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
