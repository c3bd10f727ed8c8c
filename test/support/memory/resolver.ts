// A hook that says what becomes of contradictions, as a test scripts it.

import type { Resolution, ResolveInput } from "../../src/domain/memories/extracted.ts";
import type { Hook, Hooks } from "../../src/service/hook-port.ts";
import { hooksOf, TEST_HOOK_SETTINGS } from "./hooks.ts";

/** What a scripted resolver was asked, and what it answers from now on. */
export interface ScriptedResolver {
  readonly hooks: Hooks;
  readonly asked: ResolveInput[];
  answer: (input: ResolveInput) => Promise<Resolution>;
}

/** Makes a resolver with the name `judge`, the default one of the server. */
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
