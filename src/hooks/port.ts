// Interface of hooks for the services. Hooks are built in, called over HTTP or gRPC, or run by
// workers that poll.

import { hookNotConfigured, type TaskFailureReason } from "../kit/errors.ts";
import type {
  Extracted,
  ExtractInput,
  Resolution,
  ResolveInput,
} from "../memory/rules/extracted.ts";
import type { ExtractLine } from "../summary/builtin/lines.ts";
import type { SummaryOutput, Trust } from "../summary/rules/summary.ts";

/** A message as a hook that works on text sees it; a placed summary has the role `summary`. */
export type SourceLine = Omit<ExtractLine, "date" | "saidBy">;

/** Content to summarize; see memorysidecar.v1.SummarizeInput. */
export interface SummarizeInput {
  /** The wire forms, oldest first. */
  readonly messages: readonly Uint8Array[];
  /** The same messages as text. */
  readonly lines: readonly SourceLine[];
  readonly transcript: string;
  readonly priorTexts: readonly string[];
  readonly replacesPrior: boolean;
  /** The text replaces the messages in the window, so it must cost less than they do. */
  readonly savesTokens: boolean;
  readonly maxTokens: number;
  readonly instructions: string;
  /** 0 for a single call, else the call of a chain of density: 1 for the first. */
  readonly loop: number;
  readonly maxLoops: number;
  /** The text so far of a chain of density; empty in the first call. */
  readonly draft: string;
  readonly structured: boolean;
  readonly trust: Trust;
}

/** One call of a hook. */
export interface HookCall {
  readonly taskId: string;
  readonly namespace: string;
  readonly sessionId: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborted when the server stops. The hook keeps its own timeout. */
  readonly signal: AbortSignal;
}

/** Failure of a hook. Its message holds no text from the hook or a model. */
export class HookFailure extends Error {
  override readonly name = "HookFailure";
  readonly reason: TaskFailureReason;
  /** Retry delay that the hook asked for. */
  readonly retryDelayMs: number | undefined;

  constructor(reason: TaskFailureReason, message: string, retryDelayMs?: number) {
    super(message);
    this.reason = reason;
    this.retryDelayMs = retryDelayMs;
  }
}

export type HookKind = "builtin" | "openai" | "grpc" | "poll" | "onnx";

/** Settings of a hook by the operator. */
export interface HookSettings {
  /** Timeout of a call. Not used for `poll`, where the lease sets it. */
  readonly timeoutMs: number;
  /** Concurrent calls. Not used for `poll`. */
  readonly concurrency: number;
  /** Failed attempts until a task is dead. */
  readonly maxAttempts: number;
  /** For each namespace; 0 means no limit. */
  readonly callsPerHour: number;
  /** For each namespace; 0 means no limit. */
  readonly tokensPerHour: number;
  /** Most tokens of messages that one task gives to the hook. */
  readonly inputTokensMax: number;
}

/** A call of a hook during a search or to make vectors; it is not stored as a task. */
export interface DirectCall {
  /** Empty when texts of several namespaces are embedded together. */
  readonly namespace: string;
  /** Session of the messages; unset for none or several. */
  readonly sessionId?: string;
  /** Aborted when the caller is gone. The hook keeps its own timeout as well. */
  readonly signal: AbortSignal;
}

/** Model of a hook that makes vectors. */
export interface EmbedderModel {
  /** Names hook, model and number of values: vectors of another one are never compared. */
  readonly model: string;
  readonly dimensions: number;
  /** Texts in one call at most. */
  readonly batchSize: number;
}

/** A hook that makes vectors. */
export interface EmbedderHook extends EmbedderModel {
  /** One vector for each text, of length 1. Throws HookFailure. */
  embed(
    call: DirectCall,
    texts: readonly string[],
    purpose: "query" | "passage",
  ): Promise<readonly Float32Array[]>;
  /** Whether workers that make the vectors are present. Default: always. */
  readonly workers?: WorkersAt;
}

/** Presence of a hook's workers. */
export interface WorkersAt {
  /** No worker took the namespace's last call, and none has polled since. */
  areAway(namespace: string): boolean;
  /** Calls back when absent workers return. */
  onBack(listener: (namespace: string) => void): void;
}

/** Form in which a hook makes vectors. */
export interface EmbedConfig {
  readonly dimensions: number;
  /** Requests vectors of this many values. */
  readonly sendDimensions: boolean;
  readonly batchSize: number;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
}

/** Texts to embed. */
export interface EmbedInput {
  readonly texts: readonly string[];
  readonly purpose: "query" | "passage";
  readonly dimensions: number;
}

/** Input and checked result of every work but summaries; src/hooks/works.ts has a row for each. */
export interface WorkTypes {
  /** One vector for each text, of length 1. */
  embed: { input: EmbedInput; result: readonly Float32Array[] };
  /** Relevance of texts to a query: one finite number for each, higher is better. */
  rerank: {
    input: { readonly query: string; readonly texts: readonly string[] };
    result: readonly number[];
  };
  /** Facts, entities and relations; of the right types and within their limits. */
  extract: { input: ExtractInput; result: Extracted };
  /** Importance of texts: one number of 0 to 1 for each. */
  score: { input: { readonly texts: readonly string[] }; result: readonly number[] };
  /** The fate of memories that contradict a new one. */
  resolve: { input: ResolveInput; result: Resolution };
}

/** Every work but summaries. A caller waits for it; its task is not stored. */
export type DirectWork = keyof WorkTypes;

/** Does a work and gives the checked answer. Throws HookFailure. */
export type AskWork<W extends DirectWork> = (
  call: DirectCall,
  input: WorkTypes[W]["input"],
) => Promise<WorkTypes[W]["result"]>;

/** The works of a hook, each set when it does the work; `embedder` stands for vectors. */
type HookWorks = { readonly [W in Exclude<DirectWork, "embed">]?: AskWork<W> };

/** Input of one task of such a work. */
export type DirectInput = {
  [W in DirectWork]: { readonly kind: W } & WorkTypes[W]["input"];
}[DirectWork];

/** Work of the workers of a `poll` hook that makes no summaries. */
export type PolledWork =
  | (EmbedderModel & { readonly does: "embed" })
  | { readonly does: Exclude<DirectWork, "embed"> };

/** A hook by its name. */
export interface Hook extends HookWorks {
  readonly name: string;
  readonly kind: HookKind;
  readonly settings: HookSettings;
  /**
   * Summarizes messages. Throws HookFailure. Undefined for `poll`, whose tasks go to workers.
   */
  readonly summarize?: (call: HookCall, input: SummarizeInput) => Promise<SummaryOutput>;
  /** Only of the kind `poll`: the services make `embedder` or `rerank` of it. */
  readonly polled?: PolledWork;
  /** Unset unless the hook is configured as an embedder. */
  readonly embedder?: EmbedderHook;
}

/** Source of the server's vectors. */
export type EmbedderChoice =
  /** The table that ships with the server. */
  | { readonly kind: "static" }
  | { readonly kind: "none" }
  /** A hook of `Hooks.byName` with an `embedder`. */
  | { readonly kind: "hook"; readonly hook: string };

/** The hooks of a server. */
export interface Hooks {
  /** By name; BUILTIN_HOOK is always among them, MANUAL_HOOK never. */
  readonly byName: ReadonlyMap<string, Hook>;
  /** The hook of stages that name none: a name of `byName`, or MANUAL_HOOK. */
  readonly defaultSummarizer: string;
  /** Default: the static table. */
  readonly embedder?: EmbedderChoice;
  /** The hook of calls that ask for a reranker and name none; undefined when there is none. */
  readonly defaultReranker?: string | undefined;
  /** The hook of Remember calls that ask for one and name none; undefined when there is none. */
  readonly defaultResolver?: string | undefined;
  /** Ends calls and workers. */
  close(): Promise<void>;
}

/** Works for which a call may name a hook, or leave the choice to the server. */
const ASKED = {
  rerank: { role: "reranker", field: "rerank.hook", byDefault: "defaultReranker" },
  resolve: { role: "resolver", field: "conflict.hook", byDefault: "defaultResolver" },
} as const;

/** The hook that a call asks for, empty for the default. Throws HOOK_NOT_CONFIGURED. */
export function askedHook<W extends keyof typeof ASKED>(
  hooks: Hooks,
  work: W,
  asked: string,
): Hook & Required<Pick<Hook, W>> {
  const { role, field, byDefault } = ASKED[work];
  const name = asked === "" ? hooks[byDefault] : asked;
  if (name === undefined) {
    throw hookNotConfigured("", `${field} is empty and the server has no default ${role}.`);
  }
  const hook = hooks.byName.get(name);
  if (hook === undefined) throw hookNotConfigured(name, `The server has no ${role} of this name.`);
  if (hook[work] !== undefined) return hook as Hook & Required<Pick<Hook, W>>;
  const problem = `\`${work}\` is missing from \`does\` in its settings.`;
  throw hookNotConfigured(name, `The hook of this name is not a ${role}: ${problem}`);
}

/** Whether a hook of this name makes summaries, by itself or through workers. */
export function canSummarize({ byName }: Pick<Hooks, "byName">, name: string): boolean {
  const hook = byName.get(name);
  return hook !== undefined && (summarizesByWorkers(hook) || hook.summarize !== undefined);
}

/** Whether workers make the summaries of a hook. */
export function summarizesByWorkers({ kind, polled }: Hook): boolean {
  return kind === "poll" && polled === undefined;
}
