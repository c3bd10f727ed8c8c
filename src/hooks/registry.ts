// Hooks of the kind `poll`, whose work is done by workers. Work other than summaries is only named
// here: the services hand it to workers.

import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { SYSTEM_WORLD } from "../kit/world.ts";
import { BUILTIN_HOOK } from "../window/policy/summary-spec.ts";
import { type Resolve, SYSTEM_RESOLVE } from "./address-guard.ts";
import { createBuiltinHook } from "./builtin.ts";
import type { HookConfig, HooksConfig, PollConfig } from "./config-types.ts";
import { createGrpcHook } from "./grpc.ts";
import { createOnnxHook } from "./onnx.ts";
import { type ClosableHook, createOpenAiHook, modelOf } from "./openai.ts";
import type { Hook, Hooks } from "./port.ts";
import { SecretFile } from "./secret-file.ts";

/** Makes a hook whose tasks workers take. */
export function createPollHook({ name, settings, does, embed }: PollConfig): Hook {
  const hook = { name, kind: "poll", settings } as const;
  if (embed !== undefined) return { ...hook, polled: { does: "embed", ...modelOf(name, embed) } };
  // One that makes vectors has its length and its model above.
  return does === "summarize" || does === "embed" ? hook : { ...hook, polled: { does } };
}

// Assembly of a server's hooks from their configuration.

/** Dependencies of the hooks. */
export interface HookParts {
  readonly log: Logger;
  /** Default: the system clock, since deadlines are sent to other machines. */
  readonly nowMs?: () => number;
  /** Uses secret files that others can read. Default: no. */
  readonly allowExposedSecrets?: boolean;
  /** Default: the system's resolver. */
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
      : new SecretFile(path, {
          hook: config.name,
          allowExposed: parts.allowExposedSecrets === true,
          nowMs,
          log: parts.log,
        });
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
 * Throws when a file named in the configuration cannot be read, or a model cannot be loaded.
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
    defaultReranker,
    defaultResolver,
    close,
  };
}
