// Hooks for tests with scripted answers, given at once or when the test releases them.

import {
  type Hook,
  type HookCall,
  HookFailure,
  type HookSettings,
  type Hooks,
  type SummarizeInput,
} from "../../../src/hooks/port.ts";
import type { SummaryOutput } from "../../../src/summary/rules/summary.ts";

/** Answer of a scripted hook: a text, a whole output, or a failure to throw. */
export type Answer = string | SummaryOutput | Error;

/** An answer, or a function of the input. */
export type ScriptedAnswer =
  | Answer
  | ((input: SummarizeInput, call: HookCall) => Answer | Promise<Answer>);

/** A recorded call of a scripted hook. */
export interface RecordedCall {
  readonly call: HookCall;
  readonly input: SummarizeInput;
}

/** Holds answers back. Initially open. */
export interface Gate {
  /** Holds calls back until `open`. */
  close(): void;
  /** Releases all held calls, and lets later ones pass. */
  open(): void;
  /** Releases the call held longest; false when none is held. */
  openOne(): boolean;
  /** Number of held calls. */
  readonly held: number;
}

/** A hook that answers from a list. */
export interface ScriptedHook extends Hook {
  readonly summarize: NonNullable<Hook["summarize"]>;
  /** Every call so far. */
  readonly calls: readonly RecordedCall[];
  readonly gate: Gate;
  /** Highest number of concurrent calls. */
  readonly mostRunning: number;
  /** Replaces the remaining answers. */
  script(answers: readonly ScriptedAnswer[]): void;
}

/** The settings of hooks in tests: no budgets, four calls at a time. */
export const TEST_HOOK_SETTINGS: HookSettings = {
  timeoutMs: 60_000,
  concurrency: 4,
  maxAttempts: 5,
  callsPerHour: 0,
  tokensPerHour: 0,
  inputTokensMax: 100_000,
};

/** An output that is just a text. */
export function outputOf(text: string, fields: Partial<SummaryOutput> = {}): SummaryOutput {
  return {
    text,
    missingEntities: [],
    requestText: "",
    facts: [],
    openThreads: [],
    model: "",
    inputTokens: 0,
    outputTokens: 0,
    ...fields,
  };
}

/** The gate of a hook. A call that is aborted while held fails. */
function gateOf(): Gate & { readonly pass: (signal: AbortSignal) => Promise<void> } {
  let isOpen = true;
  const held = new Set<() => void>();
  const letGo = (release: () => void): void => {
    held.delete(release);
    release();
  };
  return {
    close: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
      for (const release of [...held]) letGo(release);
    },
    openOne: () => {
      const [release] = held;
      if (release !== undefined) letGo(release);
      return release !== undefined;
    },
    get held() {
      return held.size;
    },
    pass: async (signal) => {
      if (isOpen) return;
      await new Promise<void>((resolve, reject) => {
        const stop = (): void => {
          held.delete(release);
          reject(new HookFailure("unreachable", "The call was aborted."));
        };
        const release = (): void => {
          signal.removeEventListener("abort", stop);
          resolve();
        };
        held.add(release);
        signal.addEventListener("abort", stop, { once: true });
      });
    },
  };
}

/**
 * A hook that gives these answers in turn and repeats the last one. Without answers, each call gets
 * a text with the number of its messages.
 */
export function scriptedHook(
  name: string,
  answers: readonly ScriptedAnswer[] = [],
  settings: Partial<HookSettings> = {},
): ScriptedHook {
  const calls: RecordedCall[] = [];
  const gate = gateOf();
  let left = [...answers];
  let running = 0;
  let mostRunning = 0;
  const answerTo = async (call: HookCall, input: SummarizeInput): Promise<SummaryOutput> => {
    const scripted = left.length > 1 ? left.shift() : left[0];
    const answer = scripted ?? `summary of ${input.messages.length}`;
    await gate.pass(call.signal);
    const made = typeof answer === "function" ? await answer(input, call) : answer;
    if (made instanceof Error) throw made;
    return typeof made === "string" ? outputOf(made) : made;
  };
  return {
    name,
    kind: "openai",
    settings: { ...TEST_HOOK_SETTINGS, ...settings },
    calls,
    gate,
    get mostRunning() {
      return mostRunning;
    },
    script: (next) => {
      left = [...next];
    },
    summarize: async (call, input) => {
      calls.push({ call, input });
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      try {
        return await answerTo(call, input);
      } finally {
        running -= 1;
      }
    },
  };
}

/** A hook for polling workers. */
export function pollHook(name: string, settings: Partial<HookSettings> = {}): Hook {
  return { name, kind: "poll", settings: { ...TEST_HOOK_SETTINGS, ...settings } };
}

/** An embedder for polling workers. */
export function pollEmbedder(name: string, dimensions: number, batchSize = 64): Hook {
  const model = `${name}@${dimensions}`;
  return { ...pollHook(name), polled: { does: "embed", model, dimensions, batchSize } };
}

/** A reranker for polling workers. */
export function pollReranker(name: string): Hook {
  return { ...pollHook(name), polled: { does: "rerank" } };
}

/** A hook registry. Without a built-in hook it adds one that is never called. */
export function hooksOf(hooks: readonly Hook[], defaultSummarizer = "manual"): Hooks {
  const byName = new Map(hooks.map((hook) => [hook.name, hook]));
  if (!byName.has(BUILTIN.name)) byName.set(BUILTIN.name, BUILTIN);
  return { byName, defaultSummarizer, close: async () => {} };
}

const BUILTIN: Hook = {
  name: "builtin",
  kind: "builtin",
  settings: TEST_HOOK_SETTINGS,
  summarize: async () => {
    throw new HookFailure("refused", "The test scripted no built-in hook.");
  },
};

/** Hooks of a server on which summaries are made by hand. */
export const MANUAL_HOOKS: Hooks = hooksOf([]);
