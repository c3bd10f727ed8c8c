// Goal: a prompt with a block in every place keeps the rules of each API, whatever the window
// holds.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FORM_CASES, historyIn, wildHistory } from "../../test/support/forms/histories.ts";
import { BLOCK_TEXTS, promptWithBlocks } from "../../test/support/forms/prompts.ts";
import { vendorFaults } from "../../test/support/forms/vendor-rules.ts";
import { testSeed } from "../../test/support/kit/random.ts";
import { Message, type MessageForm } from "../gen/memorysidecar/v1/message.ts";
import { fromFormMessages, toRendered } from "../session/form-wire.ts";

const seed = testSeed("blocks in forms");

async function promptOf(form: MessageForm, messages: readonly Message[]) {
  const stored = messages.map((message, index) => {
    const seq = BigInt(index + 1);
    return Message.encode({ ...message, messageId: `m${seq}`, seq }).finish();
  });
  const rendered = toRendered(form, await promptWithBlocks(form, stored), "window");
  return {
    text: rendered?.messages.toString() ?? "",
    system: rendered?.system.toString() ?? "",
  };
}

describe.each(FORM_CASES)("in the form $name", ({ form, name }) => {
  test("a prompt of any window keeps the rules, and holds every block once", async () => {
    const property = fc.asyncProperty(wildHistory(), async (messages) => {
      const { system, text } = await promptOf(form, messages);
      expect(vendorFaults(name, text, system)).toEqual([]);
      for (const said of BLOCK_TEXTS) {
        expect(`${system}${text}`.split(said)).toHaveLength(2);
      }
      // It can be appended again.
      fromFormMessages(name, Buffer.from(text));
    });
    await fc.assert(property, { seed, numRuns: 200 });
  }, 60_000);

  test("the stable part comes first, and the question after all blocks", async () => {
    const property = fc.asyncProperty(historyIn(name), async ({ system, messages }) => {
      const json = Buffer.from(`[${[...system, ...messages].join(",")}]`);
      const given = fromFormMessages(name, json).messages;
      const prompt = await promptOf(form, given);
      expect(vendorFaults(name, prompt.text, prompt.system)).toEqual([]);
      const [fact = "", ...others] = BLOCK_TEXTS;
      const isApart = name === "anthropic" || name === "gemini";
      const first = isApart ? prompt.system : prompt.text;
      const before = given.findIndex(({ role }) => role !== 3);
      for (const { text } of given.slice(0, before)) {
        if (text.trim() === "") continue;
        expect(first.indexOf(JSON.stringify(text).slice(1, -1))).toBeLessThan(first.indexOf(fact));
      }
      const places = others.map((one) => prompt.text.indexOf(one));
      expect(Math.min(...places)).toBeGreaterThan(isApart ? -1 : prompt.text.indexOf(fact));
    });
    await fc.assert(property, { seed, numRuns: 100 });
  }, 60_000);
});
