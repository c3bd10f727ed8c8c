// Hooks as their operator wants them: what the hooks file says, read and checked.

import { BUILTIN_HOOK } from "../domain/summaries/spec.ts";
import type { EmbedderChoice, HookSettings } from "../service/hook-port.ts";
import type { GrpcTarget } from "./endpoint.ts";
import type { HookWork } from "./fields.ts";

/** What every hook has. */
export interface CommonConfig {
  readonly name: string;
  readonly settings: HookSettings;
}

/** A hook without fields of its own. */
export interface PlainConfig extends CommonConfig {
  readonly kind: "builtin";
}

/** How a hook makes vectors. */
export interface EmbedConfig {
  readonly dimensions: number;
  /** Asks the endpoint for that many values. */
  readonly sendDimensions: boolean;
  readonly batchSize: number;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
}

/** A hook of the kind `poll`. */
export interface PollConfig extends CommonConfig {
  readonly kind: "poll";
  readonly does: HookWork;
  /** Set exactly when it makes vectors. */
  readonly embed: EmbedConfig | undefined;
}

/** A hook of the kind `openai`. */
export interface OpenAiConfig extends CommonConfig {
  readonly kind: "openai";
  readonly does: HookWork;
  /** Set exactly when it makes vectors. */
  readonly embed: EmbedConfig | undefined;
  /** With the path of what it is for. */
  readonly url: URL;
  readonly model: string;
  readonly keyFile: string | undefined;
  readonly temperature: number;
  readonly extraBody: Readonly<Record<string, unknown>>;
  readonly caFile: string | undefined;
  readonly maxResponseBytes: number;
  readonly allowPrivateAddress: boolean;
}

/** A hook of the kind `grpc`. */
export interface GrpcConfig extends CommonConfig {
  readonly kind: "grpc";
  readonly does: HookWork;
  /** Set exactly when it makes vectors. */
  readonly embed: EmbedConfig | undefined;
  readonly target: GrpcTarget;
  readonly tls: boolean;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly maxResponseBytes: number;
  readonly allowPrivateAddress: boolean;
}

/** A hook of the kind `onnx`. */
export interface OnnxConfig extends CommonConfig {
  readonly kind: "onnx";
  readonly directory: string;
  readonly batchSize: number;
  /** Undefined leaves it to the directory. */
  readonly queryPrefix: string | undefined;
  readonly passagePrefix: string | undefined;
}

export type HookConfig = PlainConfig | PollConfig | OpenAiConfig | GrpcConfig | OnnxConfig;

/** The hooks of a server, as its operator wants them. */
export interface HooksConfig {
  /** The built-in one is among them only when the file names it. */
  readonly hooks: readonly HookConfig[];
  readonly defaultSummarizer: string;
  readonly embedder: EmbedderChoice;
  /** Undefined when calls must name one, as below. */
  readonly defaultReranker: string | undefined;
  readonly defaultResolver: string | undefined;
}

/** What a server without a hooks file has: the built-in hook. */
export const DEFAULT_HOOKS: HooksConfig = {
  hooks: [],
  defaultSummarizer: BUILTIN_HOOK,
  embedder: { kind: "static" },
  defaultReranker: undefined,
  defaultResolver: undefined,
};
