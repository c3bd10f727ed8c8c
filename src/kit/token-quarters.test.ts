import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wireMessages } from "../../test/support/contract/wire-messages.ts";
import { Message } from "../gen/memorysidecar/v1/message.ts";
import { publicMessage, quartersOf, withQuarters } from "./token-quarters.ts";

describe("the quarters of a stored message", () => {
  test("are field 24, as stores have always had it", () => {
    const stored = withQuarters(new Uint8Array([0x78, 3]), 3.75);
    expect([...stored]).toEqual([0x78, 3, 0xc0, 0x01, 3]);
    expect(quartersOf(stored)).toBe(3);
    expect([...publicMessage(stored)]).toEqual([0x78, 3]);
  });

  test("are never found in a public form, and leave it as it was", () => {
    const property = fc.property(wireMessages, fc.nat(3), (whole, quarters) => {
      const bytes = Message.encode(whole).finish();
      expect(quartersOf(bytes)).toBe(0);
      const stored = withQuarters(bytes, 7 + quarters / 4);
      expect(quartersOf(stored)).toBe(quarters);
      expect(Buffer.compare(publicMessage(stored), bytes)).toBe(0);
      expect(Message.decode(stored)).toEqual(whole);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("are none for whole tokens, which take no bytes more", () => {
    const bytes = new Uint8Array([0x78, 3]);
    expect(withQuarters(bytes, 3)).toBe(bytes);
    expect(publicMessage(bytes)).toBe(bytes);
    expect(quartersOf(new Uint8Array(0))).toBe(0);
  });
});
