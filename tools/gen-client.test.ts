// Goal: code of ts-proto that does not look as expected stops the generation, so that no message
// is left without what the client promises. The tests of the client see the rewritten code work.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { friendly } from "./gen-client.ts";

const WIRE = "../wire.ts";
const HEAD = "/* eslint-disable */\n";
const ENUM = `${HEAD}export const Kind = { ONE: "KIND_ONE" } as const;
export type Kind = typeof Kind[keyof typeof Kind];
`;
const fault = (name: string) =>
  `throw new globalThis.Error("Unrecognized enum value " + object + " for enum ${name}");`;
const FUNCTIONS = `export function kindFromJSON(object: any): Kind {
  ${fault("Kind")}
}
export function kindToJSON(object: Kind): string {
  ${fault("Kind")}
}
export function kindToNumber(object: Kind): number {
  ${fault("Kind")}
}
`;

test("an enum gets names for unknown values", () => {
  expect(friendly(ENUM + FUNCTIONS, WIRE)).toBe(`${HEAD}import { \
unknownNumber, unknownValue, type UnknownValue } from "../wire.ts";
export const Kind = { ONE: "KIND_ONE" } as const;
export type Kind = typeof Kind[keyof typeof Kind] | UnknownValue;
export function kindFromJSON(object: any): Kind {
  return unknownValue(object);
}
export function kindToJSON(object: Kind): unknown {
  return unknownNumber(object, "Kind");
}
export function kindToNumber(object: Kind): number {
  return unknownNumber(object, "Kind");
}
`);
});

test.each([
  ["an enum without its functions", ENUM, "Kind has no function FromJSON"],
  ["an enum that was not seen", `${HEAD}${fault("Other")}`, "an enum was left as it was"],
  [
    "a message of another shape",
    `${HEAD}function createBaseA(): A {\n  return { a: 0 }\n}\n`,
    "A was left as it was",
  ],
  [
    "a field of another shape",
    `${HEAD}function createBaseA(): A {\n  return { ...b };\n}\n`,
    'A has the field "...b"',
  ],
  ["code without a head", "function createBaseA(): A {\n  return {};\n}\n", "no head"],
])("%s is refused", (_, code, reason) => {
  expect(() => friendly(code, WIRE)).toThrow(reason);
});

test("the made code has no other times, numbers or unknown values left", () => {
  const path = join(import.meta.dirname, "../clients/typescript/src/gen/memorysidecar/v1");
  for (const name of ["event.ts", "session.ts", "memory.ts"]) {
    const code = readFileSync(join(path, name), "utf8");
    expect(code).not.toMatch(/toISOString|Unrecognized enum|^function (longTo|\w+Timestamp)/m);
  }
});
