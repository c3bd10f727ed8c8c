import { AssertionError } from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TEST_DEPTH, testSeed } from "../../../test/support/kit/random.ts";
import {
  type PlanFunction,
  REMEMBER_PROPERTIES,
} from "../../../test/support/memory/remember-properties.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import { planRemember } from "./remember.ts";
import type { RememberPlan } from "./rules.ts";

const RUNS = 500 * TEST_DEPTH;
/** A broken decision is found in so many cases. */
const BROKEN_RUNS = 1_000;
const seed = testSeed("memory properties");

describe(`planRemember, ${RUNS} random cases for each property`, () => {
  for (const [name, propertyOf] of Object.entries(REMEMBER_PROPERTIES)) {
    test(name, () => fc.assert(propertyOf(planRemember), { seed, numRuns: RUNS }));
  }
});

/** planRemember with a plan that something is done to. */
function spoiled(spoil: (plan: RememberPlan) => RememberPlan): PlanFunction {
  return (...given) => spoil(planRemember(...given));
}

/** planRemember that finds nothing superseded. */
const blindToThePast: PlanFunction = (lookup, ...given) => {
  const blind = new Proxy(lookup, {
    get(target, name) {
      if (name === "pastByKey" || name === "pastBySubject") return () => [];
      const found: unknown = Reflect.get(target, name, target);
      return typeof found === "function" ? found.bind(target) : found;
    },
  });
  return planRemember(blind, ...given);
};

/** Wrong ways to decide, each with the property that must see it. */
const BROKEN: readonly (readonly [string, keyof typeof REMEMBER_PROPERTIES, PlanFunction])[] = [
  [
    "writes over the state before",
    "every state is kept",
    (lookup, ...given) => {
      const plan = planRemember(lookup, ...given);
      const put = plan.put.map((memory) => {
        const version = lookup.byId(memory.memoryId)?.version;
        return version === undefined ? memory : { ...memory, version };
      });
      return { ...plan, put };
    },
  ],
  [
    "forgets what is superseded",
    "only what had to go is gone",
    spoiled((plan) => {
      const superseded = plan.results.flatMap(({ supersededIds }) => supersededIds);
      const ids = superseded.filter((id) => plan.updatedIds.includes(id));
      const put = plan.put.filter(({ memoryId }) => !ids.includes(memoryId));
      return { ...plan, put, remove: [...new Set([...plan.remove, ...ids])] };
    }),
  ],
  [
    "evicts nothing",
    "limits hold",
    (lookup, news, rules, stamp) => planRemember(lookup, news, { ...rules, limits: {} }, stamp),
  ],
  [
    "does not tell of reinforcing",
    "a plan tells what it does",
    spoiled((plan) => ({ ...plan, reinforcedIds: [] })),
  ],
  [
    "dates states a moment late",
    "the past can be read",
    spoiled((plan) => ({
      ...plan,
      put: plan.put.map((memory) => ({ ...memory, updateMs: memory.updateMs + 1 })),
    })),
  ],
  [
    "does not look at what is superseded",
    "contradictions make one history in any order",
    blindToThePast,
  ],
  [
    "takes all for equally trusted",
    "trust is a rank",
    (lookup, news, ...given) =>
      planRemember(
        lookup,
        news.map((one) => ({ ...one, trust: TRUST.medium })),
        ...given,
      ),
  ],
  [
    "marks nothing",
    "trust is a rank",
    spoiled((plan) => ({
      ...plan,
      put: plan.put.map((memory) => ({ ...memory, contradictsIds: [] })),
    })),
  ],
  [
    "ends things when it hears of it",
    "everything ends after it begins",
    spoiled((plan) => ({
      ...plan,
      put: plan.put.map((memory) => ({
        ...memory,
        content: { ...memory.content, validToMs: memory.content.validFromMs },
      })),
    })),
  ],
];

describe("the properties see", () => {
  test.each(BROKEN)("a decision that %s", async (_, name, broken) => {
    const found = REMEMBER_PROPERTIES[name](broken);
    const result = await fc.check(found, { seed, numRuns: BROKEN_RUNS, endOnFailure: true });
    expect(result.failed, "the property holds for a broken decision").toBe(true);
    expect(result.errorInstance).toBeInstanceOf(AssertionError);
  });
});
