import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checksum, ENVELOPE_BYTES, seal, unseal } from "./envelope.ts";

const bytes = fc.uint8Array({ maxLength: 200 });
const key = bytes.map((raw) => Buffer.from(raw).toString("latin1"));

describe("an envelope", () => {
  test("gives back what was put in", () => {
    fc.assert(
      fc.property(key, bytes, (name, payload) => {
        expect(Buffer.from(unseal(name, seal(name, payload), "test"))).toEqual(
          Buffer.from(payload),
        );
      }),
    );
  });

  test("sums the key and the payload as CRC-32 does", () => {
    fc.assert(
      fc.property(key, bytes, (name, payload) => {
        const whole = Buffer.concat([Buffer.from(name, "latin1"), payload]);
        expect(checksum(name, payload, 0, payload.length)).toBe(crc32(whole));
      }),
    );
  });

  test("notices every flipped bit", () => {
    const record = seal(
      "key",
      Buffer.from("some payload that is longer than the table takes, yes"),
    );
    for (let bit = 0; bit < record.length * 8; bit++) {
      const damaged = Buffer.from(record);
      damaged[bit >>> 3] = (damaged[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => unseal("key", damaged, "test")).toThrow("damaged");
    }
  });

  test("notices a record under another key, and one that is cut off", () => {
    const record = seal("key", Buffer.from("payload"));
    expect(() => unseal("kez", record, "test")).toThrow("damaged");
    expect(() => unseal("key", record.subarray(0, -1), "test")).toThrow("damaged");
    expect(() => unseal("key", record.subarray(0, ENVELOPE_BYTES - 1), "test")).toThrow("damaged");
  });
});
