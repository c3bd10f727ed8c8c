// A hook with scripted resolutions of contradictions.

import type { Hook, Hooks } from "../../../src/hooks/port.ts";
import type { Resolution, ResolveInput } from "../../../src/memory/rules/extracted.ts";
import { hooksOf, TEST_HOOK_SETTINGS } from "../hooks/hooks.ts";

/** Requests to a scripted resolver, and its answers from now on. */
export interface ScriptedResolver {
  readonly hooks: Hooks;
  readonly asked: ResolveInput[];
  answer: (input: ResolveInput) => Promise<Resolution>;
}

/** Creates the resolver `judge`, the server's default. */
export function scriptedResolver(): ScriptedResolver {
  const asked: ResolveInput[] = [];
  const scripted = {
    asked,
    answer: async (): Promise<Resolution> => ({ action: "keep-both" }),
  } as { asked: ResolveInput[]; answer: ScriptedResolver["answer"] };
  const judge: Hook = {
    ...{ name: "judge", kind: "openai", settings: TEST_HOOK_SETTINGS },
    resolve: async (_call, input) => {
      asked.push(input);
      return await scripted.answer(input);
    },
  };
  const mute: Hook = { name: "mute", kind: "openai", settings: TEST_HOOK_SETTINGS };
  const hooks = { ...hooksOf([judge, mute]), defaultResolver: "judge" };
  return Object.assign(scripted, { hooks });
}
