// Puts the hooks of a server together from their configuration.

import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { BUILTIN_HOOK } from "../domain/summaries/spec.ts";
import { SYSTEM_WORLD } from "../lib/world.ts";
import type { Hook, Hooks } from "../service/hook-port.ts";
import { type Resolve, SYSTEM_RESOLVE } from "./address-guard.ts";
import { createBuiltinHook } from "./builtin.ts";
import type { HookConfig, HooksConfig } from "./config.ts";
import { createGrpcHook } from "./grpc.ts";
import { type ClosableHook, createOpenAiHook } from "./openai.ts";
import { SecretFile } from "./secret-file.ts";

/** What the hooks need. */
export interface HookParts {
  readonly log: Logger;
  /** Default: the clock of the system: other machines are told of deadlines. */
  readonly nowMs?: () => number;
  /** Default: asks the system. */
  readonly resolve?: Resolve;
}

function createHook(config: HookConfig, parts: HookParts): Hook | ClosableHook {
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
      return { name: config.name, kind: "poll", settings: config.settings };
    case "openai":
      return createOpenAiHook(config, { ...common(config.caFile), key: secret(config.keyFile) });
    case "grpc":
      return createGrpcHook(config, { ...common(config.caFile), token: secret(config.tokenFile) });
  }
}

/**
 * Makes the hooks of a configuration; the built-in one is always among them.
 *
 * Throws when a file that the configuration names cannot be read any more.
 */
export function createHooks(config: HooksConfig, parts: HookParts): Hooks {
  const hooks = config.hooks.map((hook) => createHook(hook, parts));
  if (!hooks.some((hook) => hook.name === BUILTIN_HOOK)) {
    hooks.push(createBuiltinHook());
  }
  return {
    byName: new Map(hooks.map((hook) => [hook.name, hook])),
    defaultSummarizer: config.defaultSummarizer,
    close: async () => {
      await Promise.all(hooks.map((hook) => ("close" in hook ? hook.close() : undefined)));
    },
  };
}
