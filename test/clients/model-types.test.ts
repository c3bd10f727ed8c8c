// Windows and prompts with blocks in each form, judged by the TypeScript types that the SDKs of the
// model APIs publish: they are written down as literals of these types and compiled, so that a
// field that no type knows is an error, too. `clients/python/integrations/model-apis` does the same
// in Python.

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { FormName } from "../../src/forms/form.ts";
import { Message, type MessageForm } from "../../src/gen/memorysidecar/v1/message.ts";
import { fromFormMessages, toRendered } from "../../src/session/form-wire.ts";
import { FORM_CASES, historyIn, wildHistory } from "../support/forms/histories.ts";
import { promptWithBlocks } from "../support/forms/prompts.ts";
import { installSdks, SDKS } from "../support/forms/sdks.ts";
import { testSeed } from "../support/kit/random.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(SDKS, "node_modules/.cache/rendered");
const HISTORIES = 40;
const SEED = testSeed("message forms");

/** The module and the type of an element of each form, and the type of its system prompt. */
const TYPES: Readonly<Record<FormName, readonly [module: string, type: string, system?: string]>> =
  {
    openai_chat: ["openai/resources/chat/completions", "ChatCompletionMessageParam"],
    openai_responses: ["openai/resources/responses/responses", "ResponseInputItem"],
    anthropic: ["@anthropic-ai/sdk/resources/messages", "MessageParam", "types.TextBlockParam[]"],
    gemini: ["@google/genai", "Content", "types.Content"],
  };

/** Windows in a form: of messages that came in each form, and of messages in any disorder. */
async function windowsIn(
  form: MessageForm,
): Promise<readonly { messages: string; system: string }[]> {
  const sample = <T>(of: fc.Arbitrary<T>) => fc.sample(of, { numRuns: HISTORIES, seed: SEED });
  const came = FORM_CASES.flatMap(({ name }) =>
    sample(historyIn(name)).map(({ system, messages }) => {
      const json = `[${[...system, ...messages].join(",")}]`;
      return fromFormMessages(name, Buffer.from(json)).messages;
    }),
  );
  const rendered = (stored: readonly Uint8Array[]) => {
    const made = toRendered(form, stored, "window");
    if (made === undefined) throw new Error("no form");
    return { messages: made.messages.toString(), system: made.system.toString() };
  };
  const all = [...came, ...sample(wildHistory())].map(async (messages, number) => {
    const stored = messages.map((message, index) => {
      const seq = BigInt(index + 1);
      return Message.encode({ ...message, messageId: `m${seq}`, seq }).finish();
    });
    return rendered(number % 2 === 0 ? stored : await promptWithBlocks(form, stored));
  });
  return await Promise.all(all);
}

/** Gives the errors of the compiler. The lines may use `Element`, the type of an element. */
function compile(file: string, form: FormName, lines: readonly string[]): string {
  const [module, type] = TYPES[form];
  const imports = [`import type * as types from "${module}";`, `type Element = types.${type};`];
  writeFileSync(join(FOLDER, file), [...imports, ...lines, ""].join("\n"));
  const options =
    "--ignoreConfig --noEmit --strict --skipLibCheck --target es2023 --module nodenext";
  const args = [join(ROOT, "node_modules/.bin/tsc"), ...options.split(" "), join(FOLDER, file)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: ROOT });
  return (stdout + stderr).trim();
}

beforeAll(() => {
  installSdks();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
}, 120_000);

test.each(FORM_CASES)("the types of its SDK take every window in $name", async ({ form, name }) => {
  const [, , systemType] = TYPES[name];
  const lines = (await windowsIn(form)).flatMap(({ messages, system }, index) => {
    const element = `export const messages${index}: Element[] = ${messages};`;
    if (system === "" || systemType === undefined) return [element];
    return [element, `export const system${index}: ${systemType} = ${system};`];
  });
  expect(compile(`${name}.ts`, name, lines)).toBe("");
});

test.each(FORM_CASES)("a wrong element is no $name", ({ name }) => {
  const wrong = ['{ "role": "nobody" }', '{ "role": "user", "content": 7, "parts": 7 }'];
  const lines = wrong.map((one, index) => `export const wrong${index}: Element[] = [${one}];`);
  expect(compile(`wrong-${name}.ts`, name, lines)).toMatch(/\((3|4),\d+\): error/);
});
