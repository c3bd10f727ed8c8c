// Goal: no option of a preset is accepted and without effect. Every option that ListPolicyPresets
// gives has a scene in which a caller sees a difference; its default is what leaving it out means,
// and its limits are those of the server.

import { afterAll, describe, expect, test } from "vitest";
import { CallFailed, startContractServer } from "../support/contract/client.ts";
import { type Options, seenUnder } from "../support/contract/preset-player.ts";
import { sceneOf, withOption, withoutOption } from "../support/contract/preset-scenes.ts";
import { preset, session } from "../support/contract/samples.ts";
import { WORKERS } from "../support/contract/summarizing.ts";
import { hooksOf, pollHook } from "../support/hooks/hooks.ts";

const server = await startContractServer({ hooks: hooksOf([pollHook(WORKERS)]) });
afterAll(() => server[Symbol.asyncDispose]());

const { presets } = await server.client.call("listPolicyPresets", {});
const OPTIONS = presets.flatMap(({ name, options }) =>
  options.map((option) => ({ preset: name, option })),
);
const NAMED = OPTIONS.map((one) => {
  const { group, name } = one.option;
  return [`${one.preset} ${group === "" ? "" : `${group} `}${name}`, one] as const;
});

type Listed = (typeof OPTIONS)[number];

function sceneFor({ preset: name, option }: Listed) {
  const scene = sceneOf(name, option);
  if (scene === undefined) {
    throw new Error(
      `test/support/contract/preset-scenes.ts has no scene of ${name} ${option.name}`,
    );
  }
  return { base: {}, script: [], ...scene };
}

/** Outcome of a session with these options: its policies, or the reason for its refusal. */
async function outcomeOf(name: string, options: Options) {
  try {
    const { session: created } = await server.client.call("createSession", {
      session: session({ policy: preset(name, options) }),
    });
    const { effectivePolicy, memoryPolicy } = created ?? {};
    return { effectivePolicy, memoryPolicy };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return { refused: error.failure.message };
  }
}

/** The server's message about an option that it refuses by itself; empty when it accepts it. */
async function faultOf({ preset: name, option }: Listed, value: unknown): Promise<string> {
  const { base } = sceneFor({ preset: name, option });
  const { refused = "" } = await outcomeOf(name, withOption(base, option.name, value));
  const path = `session.policy.preset.options.${option.name}`;
  return refused.startsWith(path) ? refused.slice(path.length) : "";
}

describe("every option", () => {
  test("is listed", () => {
    expect(OPTIONS.length).toBeGreaterThan(100);
    console.log(`${OPTIONS.length} options of ${presets.length} presets`);
  });

  test.each(NAMED)("%s makes a difference", async (_, listed) => {
    const { base, values, script } = sceneFor(listed);
    const seen = (value: unknown) => {
      const options = withOption(base, listed.option.name, value);
      return seenUnder(server, { name: listed.preset, options }, script);
    };
    const [one, other] = values;
    const first = await seen(one);
    // Nothing but the option may make the difference.
    expect(await seen(one)).toEqual(first);
    expect(await seen(other)).not.toEqual(first);
  });

  test.each(NAMED)("%s has the default that is listed", async (_, listed) => {
    const { preset: name, option } = listed;
    const { base } = sceneFor(listed);
    const left = await outcomeOf(name, withoutOption(base, option.name));
    expect(await outcomeOf(name, withOption(base, option.name, option.defaultValue))).toEqual(left);
    if (option.required) expect(left.refused).toMatch(/is required/);
  });
});

/** Numbers at the limits of an option, and beyond them. */
function numbersOf(description: string) {
  const found = / (over )?(-?[\d,.]+) to (below )?([\d,.]*\d)\.$/i.exec(description);
  if (found === null) return undefined;
  const [, over, least = "", below, most = ""] = found;
  const [min, max] = [least, most].map((text) => Number(text.replaceAll(",", ""))) as [
    number,
    number,
  ];
  const isWhole = max > 1;
  const step = isWhole ? 1 : 0.001;
  return {
    right: [over === undefined ? min : min + step, below === undefined ? max : max - step],
    wrong: [over === undefined ? min - step : min, below === undefined ? max + step : max],
  };
}

const NUMBERS = NAMED.flatMap(([title, listed]) => {
  const numbers = numbersOf(listed.option.description);
  return numbers === undefined ? [] : [[title, listed, numbers] as const];
});

const WORDS = NAMED.flatMap(([title, listed]) => {
  const [, words] = / One of ([a-z0-9_, ]+)\.$/i.exec(listed.option.description) ?? [];
  return words === undefined ? [] : [[title, listed, words.split(", ")] as const];
});

describe("the limits that are listed", () => {
  const OUT_OF_RANGE = /must be (at least|at most|above|below) -?\d/;

  test.each(NUMBERS)("%s holds to its range", async (_, listed, { right, wrong }) => {
    for (const value of right) expect(await faultOf(listed, value)).not.toMatch(OUT_OF_RANGE);
    for (const value of wrong) expect(await faultOf(listed, value)).toMatch(OUT_OF_RANGE);
  });

  test.each(WORDS)("%s takes its words and no others", async (_, listed, words) => {
    for (const word of words) expect(await faultOf(listed, word)).not.toMatch(/must be one of/);
    expect(await faultOf(listed, "another")).toMatch(/must be one of/);
  });

  test("are those of nearly every option that has any", () => {
    expect(NUMBERS.length).toBeGreaterThan(60);
    expect(WORDS.length).toBeGreaterThan(10);
  });
});

describe("an option that there is not", () => {
  test.each(presets.map(({ name, options }) => [name, options] as const))(
    "of %s is refused by its name, with those that there are",
    async (name, options) => {
      const failure = await server.client.fail("createSession", {
        session: session({ policy: preset(name, { no_such_option: 1 }) }),
      });
      expect(failure.fields).toContain("session.policy.preset.options.no_such_option");
      for (const option of options) {
        if (!option.name.includes(".") && option.group === "") {
          expect(failure.message).toContain(option.name);
        }
      }
    },
  );
});
