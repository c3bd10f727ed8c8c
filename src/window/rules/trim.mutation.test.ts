// Shows that the properties of trim.property.test.ts are able to fail: each of these trims has one
// mistake, and both the comparison with the model and the property about that rule must see it.

import { AssertionError } from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import { BROKEN_TRIMS } from "../../../test/support/window/broken-trims.ts";
import { windowProperties } from "../../../test/support/window/promises.ts";

// The rarest of the mistakes shows once in about 600 runs, and the first sight ends them.
const RUNS = 20_000;
const MODEL = "gives what the reference model gives";
const seed = testSeed("broken windows");

describe.each(BROKEN_TRIMS)("a trim that $mistake", ({ trim, seenBy }) => {
  test.each([MODEL, seenBy])("fails the property: %s", async (name) => {
    const found = windowProperties(trim).find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`There is no property with the name "${name}".`);
    const result = await fc.check(found.property, { seed, numRuns: RUNS, endOnFailure: true });
    expect(result.failed, "the property holds for a broken trim").toBe(true);
    expect(result.errorInstance).toBeInstanceOf(AssertionError);
  });
});
