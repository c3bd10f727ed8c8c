// Goal: whatever a window holds, in each form it keeps the rules of the API; and what came in a
// form goes out byte for byte.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FORM_CASES, historyIn, wildHistory } from "../../test/support/forms/histories.ts";
import { vendorFaults } from "../../test/support/forms/vendor-rules.ts";
import { Message, type MessageForm } from "../gen/memorysidecar/v1/message.ts";
import { fromFormMessages, toRendered } from "./form-wire.ts";

function encoded(messages: readonly Message[]): readonly Uint8Array[] {
  return messages.map((message, index) => {
    const seq = BigInt(index + 1);
    return Message.encode({ ...message, messageId: `m${seq}`, seq }).finish();
  });
}

function rendered(
  form: MessageForm,
  stored: readonly Uint8Array[],
  use: "window" | "log" = "window",
) {
  const made = toRendered(form, stored, use);
  if (made === undefined) throw new Error("no form");
  return { text: made.messages.toString(), system: made.system.toString(), notes: made.notes };
}

describe.each(FORM_CASES)("in the form $name", ({ form, name }) => {
  test("every window keeps the rules of the API", () => {
    fc.assert(
      fc.property(wildHistory(), (messages) => {
        const { system, text } = rendered(form, encoded(messages));
        expect(vendorFaults(name, text, system)).toEqual([]);
        // It can be appended again.
        if (text !== "[]") fromFormMessages(name, Buffer.from(text));
      }),
      { numRuns: 300 },
    );
  });

  test("what came in goes out byte for byte, and keeps the rules in every other form", () => {
    fc.assert(
      fc.property(historyIn(name), ({ system, messages }) => {
        const json = `[${[...system, ...messages].join(" ,\n")}]`;
        const stored = encoded(fromFormMessages(name, Buffer.from(json)).messages);
        const window = rendered(form, stored);
        expect(vendorFaults(name, window.text, window.system)).toEqual([]);
        const isApart = name === "anthropic" || name === "gemini";
        const all = isApart ? messages : [...system, ...messages];
        expect(window.text).toBe(`[${all.join(",")}]`);
        expect(window.notes).toEqual([]);
        expect(rendered(form, stored, "log").text).toBe(`[${[...system, ...messages].join(",")}]`);
        for (const other of FORM_CASES) {
          const seen = rendered(other.form, stored);
          expect(vendorFaults(other.name, seen.text, seen.system)).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("a window that begins or ends anywhere keeps the rules of the API", () => {
    fc.assert(
      fc.property(historyIn(name), fc.nat(12), fc.nat(12), ({ messages }, from, drop) => {
        const json = Buffer.from(`[${messages.join(",")}]`);
        const stored = encoded(fromFormMessages(name, json).messages);
        const some = stored.slice(from, stored.length - drop);
        for (const other of FORM_CASES) {
          const seen = rendered(other.form, some);
          expect(vendorFaults(other.name, seen.text, seen.system)).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });
});
