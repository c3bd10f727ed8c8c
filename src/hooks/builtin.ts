// Rule-based extraction, one slice in each turn of the event loop.

import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { checkLive } from "../kit/call.ts";
import { Semaphore } from "../kit/semaphore.ts";
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
  readonly lines: readonly ExtractLine[];
  readonly options: ExtractOptions;
  readonly structured: boolean;
}

/** Answer of the worker. */
export type BuiltinAnswer = ExtractSections;

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

/** One worker thread, for one call at a time. It ends with a call that fails. */
class BuiltinThread {
  readonly #url: URL;
  readonly #timeoutMs: number;
  readonly #turns = new Semaphore({ running: 1, ended: stopped });
  readonly #closed = new AbortController();
  #worker: Worker | undefined;
  #running: PromiseWithResolvers<BuiltinAnswer> | undefined;

  constructor(url: URL, timeoutMs: number) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  async ask(signal: AbortSignal, request: BuiltinRequest): Promise<BuiltinAnswer> {
    const live = AbortSignal.any([signal, this.#closed.signal]);
    return await this.#turns.run(live, () => this.#answer(live, request));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#worker?.terminate();
  }

  async #answer(signal: AbortSignal, request: BuiltinRequest): Promise<BuiltinAnswer> {
    const running = Promise.withResolvers<BuiltinAnswer>();
    this.#running = running;
    const abort = (): void => running.reject(stopped());
    signal.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(() => {
      running.reject(new HookFailure("timeout", "The builtin summarizer timed out."));
    }, this.#timeoutMs);
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(request);
      return await running.promise;
    } catch (failure) {
      void this.#worker?.terminate();
      this.#worker = undefined;
      throw failure;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#url, {
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
    });
    worker.unref();
    worker.on("message", (answer: BuiltinAnswer) => {
      if (this.#worker === worker) this.#running?.resolve(answer);
    });
    // Only the name of an error: its message could hold text of the conversation.
    const crashed = (name: string) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const message = `The builtin summarizer stopped: ${name}.`;
      this.#running?.reject(new HookFailure("hook-error", message));
    };
    worker.on("error", (error) => crashed(error instanceof Error ? error.name : "unknown"));
    worker.on("messageerror", (error) => crashed(error.name));
    worker.on("exit", () => crashed("exit"));
    return worker;
  }
}

function stopped(): HookFailure {
  return new HookFailure("unreachable", "The builtin summarizer was stopped.");
}
