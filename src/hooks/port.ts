// What the services need of hooks. src/hooks implements it: built in, over HTTP, over gRPC, or by
// workers that poll.

import type {
  Extracted,
  ExtractInput,
  Resolution,
  ResolveInput,
} from "../domain/memories/extracted.ts";
import type { SummaryOutput, Trust } from "../domain/summaries/summary.ts";
import type { TaskFailureReason } from "../domain/tasks/task.ts";
import type { Role } from "../domain/window/types.ts";

/** A message as a hook that works on text sees it. */
export interface SourceLine {
  /** A placed summary has the role `summary`. */
  readonly role: "user" | "assistant" | "system" | "tool" | "summary";
  /** All text of the message and of tool results in it; may be empty. */
  readonly text: string;
  /** May be empty. */
  readonly name: string;
  readonly messageId: string;
  /** 0 for what the server made. */
  readonly seq: number;
}

/** What is to be summarized; see memorysidecar.v1.SummarizeInput. */
export interface SummarizeInput {
  /** The wire forms, oldest first. */
  readonly messages: readonly Uint8Array[];
  /** The same messages as text. */
  readonly lines: readonly SourceLine[];
  readonly transcript: string;
  readonly priorTexts: readonly string[];
  readonly replacesPrior: boolean;
  /** The text takes the place of the messages in the window, so it must cost less than they do. */
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

/** How a hook failed. Its message says nothing that the hook or a model said. */
export class HookFailure extends Error {
  override readonly name = "HookFailure";
  readonly reason: TaskFailureReason;
  /** When the hook asked to be left alone for a while. */
  readonly retryDelayMs: number | undefined;

  constructor(
    reason: TaskFailureReason,
    message: string,
    options: { readonly retryDelayMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.retryDelayMs = options.retryDelayMs;
  }
}

export type HookKind = "builtin" | "openai" | "grpc" | "poll" | "onnx";

/** What the operator set for a hook. */
export interface HookSettings {
  /** How long a call may take. For `poll`: not used, the lease says it. */
  readonly timeoutMs: number;
  /** Calls at one time. For `poll`: not used. */
  readonly concurrency: number;
  /** Failed attempts until a task is dead. */
  readonly maxAttempts: number;
  /** For each namespace; 0 means no limit. */
  readonly callsPerHour: number;
  /** For each namespace; 0 means no limit. */
  readonly tokensPerHour: number;
  /** What one task gives to the hook at most, in tokens of the messages. */
  readonly inputTokensMax: number;
}

/** A call of a hook during a search, or to make vectors: nothing of it is stored as a task. */
export interface DirectCall {
  /** Empty when texts of several namespaces are embedded together. */
  readonly namespace: string;
  /** Whose messages it is about; unset when they are of no session, or of several. */
  readonly sessionId?: string;
  /** Aborted when nobody waits any more. The hook keeps its own timeout as well. */
  readonly signal: AbortSignal;
}

/** What is known of a hook that makes vectors. */
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
  /** When workers make the vectors: whether there are any. Default: somebody is always there. */
  readonly workers?: WorkersAt;
}

/** Whether workers do what a hook is asked for. */
export interface WorkersAt {
  /** Nobody took the last call for texts of a namespace, and nobody has polled since. */
  areAway(namespace: string): boolean;
  /** Calls back when workers that were away are back. */
  onBack(listener: (namespace: string) => void): void;
}

/** What workers do for a hook of the kind `poll` instead of summaries. */
export type PolledWork =
  | (EmbedderModel & { readonly does: "embed" })
  | { readonly does: "rerank" | "extract" | "score" | "resolve" };

/** A hook by its name. */
export interface Hook {
  readonly name: string;
  readonly kind: HookKind;
  readonly settings: HookSettings;
  /**
   * Makes a text of messages. Throws HookFailure, and nothing else that is expected. Undefined for
   * `poll`: workers take its tasks.
   */
  readonly summarize?: (call: HookCall, input: SummarizeInput) => Promise<SummaryOutput>;
  /** Only of the kind `poll`: the services make `embedder` or `rerank` of it. */
  readonly polled?: PolledWork;
  /** Unset unless the operator made it an embedder. */
  readonly embedder?: EmbedderHook;
  /**
   * Says how well texts answer a query: one finite number for each, higher is better. Throws
   * HookFailure. Unset unless the operator made it a reranker.
   */
  readonly rerank?: (
    call: DirectCall,
    query: string,
    texts: readonly string[],
  ) => Promise<readonly number[]>;
  /**
   * Finds facts, entities and relations. Whatever a model answers, what is given is of the right
   * types and within its limits. Throws HookFailure. Unset unless the operator made it an
   * extractor.
   */
  readonly extract?: (
    call: DirectCall & { readonly sessionId: string },
    input: ExtractInput,
  ) => Promise<Extracted>;
  /** Says how important texts are: a finite number for each, 0 to 1. Throws HookFailure. */
  readonly score?: (call: DirectCall, texts: readonly string[]) => Promise<readonly number[]>;
  /** Says what becomes of memories that contradict a new one. Throws HookFailure. */
  readonly resolve?: (call: DirectCall, input: ResolveInput) => Promise<Resolution>;
}

/** What makes the vectors of a server. */
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
  readonly defaultReranker?: string;
  /** The hook of Remember calls that ask one and name none; undefined when there is none. */
  readonly defaultResolver?: string;
  /** Ends calls and workers. */
  close(): Promise<void>;
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

/** The role of a line for a role of a message. */
export const LINE_ROLES: { readonly [role in Role]: SourceLine["role"] } = {
  1: "user",
  2: "assistant",
  3: "system",
  4: "tool",
};
