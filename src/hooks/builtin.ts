// Rule-based extraction, one slice in each turn of the event loop.

import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { checkLive } from "../kit/call.ts";
import { RuleExtractor } from "../memory/extract/rules.ts";
import type { Extracted, ExtractionLine } from "../memory/rules/extracted.ts";
import { compileRules, DEFAULT_IMPORTANCE_RULES, scoreText } from "../memory/rules/importance.ts";
import type { ExtractLine } from "../summary/builtin/lines.ts";
import type { ExtractSections } from "../summary/builtin/sections.ts";
import type { ExtractOptions } from "../summary/builtin/summarize.ts";
import type { SummaryOutput } from "../summary/rules/summary.ts";
import type { ExtractionTarget } from "../window/policy/memory-policy.ts";
import { BUILTIN_HOOK } from "../window/policy/summary-spec.ts";
import { bytesDiv4 } from "../window/policy/tokens.ts";
import {
  type Hook,
  type HookCall,
  HookFailure,
  type HookSettings,
  type SummarizeInput,
} from "./port.ts";

/** Extracts facts from lines. Throws DEADLINE_EXCEEDED when the caller is gone. */
export async function extractInTurns(
  lines: readonly ExtractionLine[],
  targets: readonly ExtractionTarget[],
  signal: AbortSignal,
): Promise<Extracted> {
  const rules = new RuleExtractor(targets);
  for (const line of lines) {
    for (const slice of rules.slicesOf(line)) {
      rules.look(slice);
      await nextTurn();
      checkLive(signal);
    }
  }
  return rules.result();
}

// The built-in hook of every server: it picks sentences, finds facts and scores texts by rules,
// without a model or a network.
//
// A megabyte of text takes about a third of a second, which would stop every other call, so it is
// done in a worker thread, started with the first call. One call at a time; the others wait.

/** Request for a summary to the worker. */
export interface BuiltinRequest {
  readonly id: number;
  readonly lines: readonly ExtractLine[];
  readonly options: ExtractOptions;
  readonly structured: boolean;
}

/** Answer of the worker. */
export interface BuiltinAnswer extends ExtractSections {
  readonly id: number;
}

/** Default settings of the built-in hook. */
export const BUILTIN_SETTINGS: HookSettings = {
  // A hundred times the duration of the largest task on one slow core.
  timeoutMs: 30_000,
  concurrency: 1,
  maxAttempts: 5,
  callsPerHour: 0,
  tokensPerHour: 0,
  // As many as fit in LIMITS.taskInputBytes: this is never the narrower limit.
  inputTokensMax: 262_144,
};

/** The largest task takes about 100 MB; more is a fault that must not crash the server. */
const WORKER_HEAP_MB = 512;

/** The builtin hook, which owns a thread. */
export interface BuiltinHook extends Hook {
  readonly summarize: (call: HookCall, input: SummarizeInput) => Promise<SummaryOutput>;
  /** Stops the thread; calls in progress fail. */
  close(): Promise<void>;
}

/** Makes the builtin hook. The settings default to BUILTIN_SETTINGS. */
export function createBuiltinHook(
  settings: HookSettings = BUILTIN_SETTINGS,
  workerUrl: URL = WORKER_URL,
): BuiltinHook {
  const thread = new BuiltinThread(workerUrl, settings.timeoutMs);
  return {
    name: BUILTIN_HOOK,
    kind: "builtin",
    settings,
    summarize: (call, input) => summarize(thread, call, input),
    extract: ({ signal }, { lines, targets }) => extractInTurns(lines, targets, signal),
    score: async (_, { texts }) => texts.map((text) => scoreText(RULES, text).score),
    close: () => thread.close(),
  };
}

const RULES = compileRules(DEFAULT_IMPORTANCE_RULES);

// The worker lies beside this file, as .ts in the sources and as .js in a build.
const EXTENSION = import.meta.filename.endsWith(".ts") ? "ts" : "js";
const WORKER_URL = new URL(`./builtin-worker.${EXTENSION}`, import.meta.url);

async function summarize(
  thread: BuiltinThread,
  call: HookCall,
  input: SummarizeInput,
): Promise<SummaryOutput> {
  const { maxTokens, priorTexts, replacesPrior, savesTokens, draft } = input;
  const { structured, lines } = input;
  const answer = await thread.ask(call.signal, {
    lines,
    options: { maxTokens, priorTexts, replacesPrior, savesTokens, draft },
    structured,
  });
  if (answer.text === "") {
    throw new HookFailure("empty-output", "The messages hold no words to summarize.");
  }
  const { text, requestText, facts, openThreads } = answer;
  return {
    text,
    missingEntities: [],
    requestText,
    facts,
    openThreads,
    model: "",
    inputTokens: tokensOf(lines.map((line) => line.text)),
    outputTokens: tokensOf([text, requestText, ...facts, ...openThreads]),
  };
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + bytesDiv4(Buffer.byteLength(text)), 0);
}

interface Waiting {
  readonly request: BuiltinRequest;
  readonly signal: AbortSignal;
  readonly resolve: (answer: BuiltinAnswer) => void;
  readonly reject: (failure: HookFailure) => void;
}

/** One worker thread and the calls that wait for it. */
class BuiltinThread {
  readonly #url: URL;
  readonly #timeoutMs: number;
  #worker: Worker | undefined;
  #current: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #queue: Waiting[] = [];
  #nextId = 1;
  #closed = false;

  constructor(url: URL, timeoutMs: number) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  async ask(signal: AbortSignal, work: Omit<BuiltinRequest, "id">): Promise<BuiltinAnswer> {
    if (this.#closed || signal.aborted) throw stopped();
    const request = { id: this.#nextId, ...work };
    this.#nextId += 1;
    const answer = Promise.withResolvers<BuiltinAnswer>();
    const { resolve, reject } = answer;
    const waiting: Waiting = { request, signal, resolve, reject };
    const onAbort = () => this.#abort(waiting);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#queue.push(waiting);
    this.#next();
    try {
      return await answer.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#queue.splice(0)) waiting.reject(stopped());
    await this.#drop(stopped());
  }

  #next(): void {
    if (this.#closed || this.#current !== undefined) return;
    const waiting = this.#queue.shift();
    if (waiting === undefined) return;
    this.#current = waiting;
    this.#worker ??= this.#start();
    this.#timer = setTimeout(() => {
      const failure = new HookFailure("timeout", "The builtin summarizer timed out.");
      void this.#drop(failure);
    }, this.#timeoutMs);
    this.#worker.postMessage(waiting.request);
  }

  #start(): Worker {
    const worker = new Worker(this.#url, {
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
    });
    worker.unref();
    worker.on("message", (answer: BuiltinAnswer) => {
      if (this.#current?.request.id === answer.id) this.#finish()?.resolve(answer);
      this.#next();
    });
    // Only the name of an error: its message could hold text of the conversation.
    const crashed = (name: string) => {
      if (this.#worker !== worker) return;
      void this.#drop(new HookFailure("hook-error", `The builtin summarizer stopped: ${name}.`));
    };
    worker.on("error", (error) => crashed(error instanceof Error ? error.name : "unknown"));
    worker.on("messageerror", (error) => crashed(error.name));
    worker.on("exit", () => crashed("exit"));
    return worker;
  }

  /** Ends the worker and its current call; the next call starts a new worker. */
  async #drop(failure: HookFailure): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#finish()?.reject(failure);
    this.#next();
    await worker?.terminate();
  }

  #finish(): Waiting | undefined {
    clearTimeout(this.#timer);
    const waiting = this.#current;
    this.#current = undefined;
    return waiting;
  }

  #abort(waiting: Waiting): void {
    if (this.#current === waiting) {
      void this.#drop(stopped());
      return;
    }
    const place = this.#queue.indexOf(waiting);
    if (place >= 0) this.#queue.splice(place, 1);
    waiting.reject(stopped());
  }
}

function stopped(): HookFailure {
  return new HookFailure("unreachable", "The builtin summarizer was stopped.");
}
