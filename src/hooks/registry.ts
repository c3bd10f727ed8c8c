// Puts the hooks of a server together from their configuration.

import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { BUILTIN_HOOK } from "../domain/summaries/spec.ts";
import { SYSTEM_WORLD } from "../lib/world.ts";
import type { Hook, Hooks } from "../service/hook-port.ts";
import { type Resolve, SYSTEM_RESOLVE } from "./address-guard.ts";
import { createBuiltinHook } from "./builtin.ts";
import type { HookConfig, HooksConfig } from "./config-types.ts";
import { createGrpcHook } from "./grpc.ts";
import { createOnnxHook } from "./onnx.ts";
import { type ClosableHook, createOpenAiHook } from "./openai.ts";
import { createPollHook } from "./poll.ts";
import { SecretFile } from "./secret-file.ts";

/** What the hooks need. */
export interface HookParts {
  readonly log: Logger;
  /** Default: the clock of the system: other machines are told of deadlines. */
  readonly nowMs?: () => number;
  /** Default: asks the system. */
  readonly resolve?: Resolve;
}

function createHook(
  config: HookConfig,
  parts: HookParts,
): Hook | ClosableHook | Promise<ClosableHook> {
  const nowMs = parts.nowMs ?? SYSTEM_WORLD.nowMs;
  const resolve = parts.resolve ?? SYSTEM_RESOLVE;
  const secret = (path: string | undefined): SecretFile | undefined =>
    path === undefined
      ? undefined
      : new SecretFile(path, { hook: config.name, nowMs, log: parts.log });
  const common = (caFile: string | undefined) => {
    const ca = caFile === undefined ? undefined : readFileSync(caFile, "utf8");
    return { nowMs, resolve, ca };
  };
  switch (config.kind) {
    case "builtin":
      return createBuiltinHook(config.settings);
    case "poll":
      return createPollHook(config);
    case "openai":
      return createOpenAiHook(config, { ...common(config.caFile), key: secret(config.keyFile) });
    case "grpc":
      return createGrpcHook(config, { ...common(config.caFile), token: secret(config.tokenFile) });
    case "onnx":
      return createOnnxHook(config);
  }
}

/**
 * Makes the hooks of a configuration; the built-in one is always among them.
 *
 * Throws when a file that the configuration names cannot be read any more, or a model not loaded.
 */
export async function createHooks(config: HooksConfig, parts: HookParts): Promise<Hooks> {
  const hooks: (Hook | ClosableHook)[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(hooks.map((hook) => ("close" in hook ? hook.close() : undefined)));
  };
  try {
    for (const hook of config.hooks) hooks.push(await createHook(hook, parts));
  } catch (error) {
    await close();
    throw error;
  }
  if (!hooks.some((hook) => hook.name === BUILTIN_HOOK)) hooks.push(createBuiltinHook());
  const { defaultSummarizer, embedder, defaultReranker, defaultResolver } = config;
  return {
    byName: new Map(hooks.map((hook) => [hook.name, hook])),
    defaultSummarizer,
    embedder,
    ...(defaultReranker === undefined ? {} : { defaultReranker }),
    ...(defaultResolver === undefined ? {} : { defaultResolver }),
    close,
  };
}
