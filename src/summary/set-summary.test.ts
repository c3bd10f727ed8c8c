import { afterEach, describe, expect, test } from "vitest";
import {
  type EffectScene,
  lines,
  openPolicy,
  sceneOf,
  summarizing,
} from "../../test/support/services/effect-scene.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { LIMITS } from "../kit/limits.ts";
import { ROLE } from "../window/rules/types.ts";
import { TRUST } from "./rules/summary.ts";

const scenes: EffectScene[] = [];

afterEach(async () => {
  for (const made of scenes.splice(0)) await made.stop();
});

async function scene(): Promise<EffectScene> {
  const made = await sceneOf(openPolicy([summarizing({ hook: "manual" })]));
  scenes.push(made);
  return made;
}

describe("a text by hand", () => {
  test("gets the next number, whether it is placed or the session's own", async () => {
    const s = await scene();
    await s.append(lines(6));
    await s.setSummary("own");
    await s.setSummary("placed", ["m1"], true);
    await s.setSummary("own again", ["m2"]);
    await s.setSummary("third");
    const { fields } = await s.session();
    expect(fields.summaryVersion).toBe(4);
    expect(fields.summary).toMatchObject({ version: 4, text: "third", hook: "" });
    expect(fields.inserts).toMatchObject([{ version: 2, hook: "", stage: "", level: 1 }]);
    const history = await s.summaries();
    expect(history.map(({ version, placement }) => [version, placement])).toEqual([
      [1, "session"],
      [2, "in-place"],
      [3, "session"],
      [4, "session"],
    ]);
  });

  test("stands for what it replaces and what the text before stood for", async () => {
    const s = await scene();
    await s.append(lines(6));
    await s.setSummary("placed", ["m1", "m2"], true);
    const [insert] = (await s.session()).fields.inserts;
    await s.setSummary("own", ["m4"]);
    await s.setSummary("all", [insert?.messageId ?? "", "m3"]);
    expect((await s.summaries())[2]).toMatchObject({
      ranges: [{ first: 1, last: 4 }],
      added: [{ first: 3, last: 3 }],
      sources: { messageCount: 4, tokenCount: 40 },
      sourceVersions: [1, 2],
      level: 2,
      trust: TRUST.medium,
    });
    expect((await s.session()).fields.summary?.ranges).toEqual([{ first: 1, last: 4 }]);
    // A new text alone goes on from it.
    await s.setSummary("other words");
    expect((await s.summaries())[3]).toMatchObject({
      ranges: [{ first: 1, last: 4 }],
      added: [],
      sources: { messageCount: 4, tokenCount: 40 },
      sourceVersions: [3],
    });
  });

  test("is trusted as what it replaces, and medium at most", async () => {
    const s = await scene();
    const tool = { messageId: "t", role: ROLE.tool, tokenCount: 5, toolCallId: "x" };
    const call = { messageId: "c", role: ROLE.assistant, callIds: ["x"], tokenCount: 5 };
    await s.append([...lines(1, 1, { role: ROLE.system }), call, tool, ...lines(1, 4)]);
    await s.setSummary("of the operator", ["m1"], true);
    await s.setSummary("of a tool", ["c", "t"]);
    await s.setSummary("goes on from it");
    const trusts = (await s.summaries()).map(({ trust }) => trust);
    expect(trusts).toEqual([TRUST.medium, TRUST.low, TRUST.low]);
    const { summary, inserts } = (await s.session()).fields;
    expect([summary?.trust, inserts[0]?.trust]).toEqual([TRUST.low, TRUST.medium]);
  });

  test("is told after the trim that it causes", async () => {
    const s = await scene();
    await s.append(lines(4));
    await s.setSummary("own", ["m1", "m2"]);
    expect(await s.eventTypes()).toEqual([EVENT_TYPE.messagesTrimmed, EVENT_TYPE.summarySet]);
    expect((await s.services.allEvents()).at(-1)?.detail).toMatchObject({
      ...{ version: 1, placedMessageId: "", ranges: [{ first: 1, last: 2 }] },
    });
    expect((await s.services.allEvents()).at(-1)?.detail).not.toHaveProperty("made");
  });

  test("that is removed is told with its number, and stays in the history", async () => {
    const s = await scene();
    await s.append(lines(1));
    await s.setSummary("own");
    await s.setSummary("");
    expect((await s.session()).fields).toMatchObject({ summaryVersion: 1 });
    expect((await s.session()).fields.summary).toBeUndefined();
    expect((await s.services.allEvents()).at(-1)?.detail).toMatchObject({
      ...{ type: EVENT_TYPE.summarySet, version: 1, tokenCount: 0, ranges: [] },
    });
    expect(await s.summaries()).toHaveLength(1);
    await s.setSummary("new");
    expect((await s.session()).fields.summary?.version).toBe(2);
  });
});

test("the history keeps the newest 1,000 summaries, and those in use", async () => {
  const s = await scene();
  await s.append(lines(3));
  await s.setSummary("placed", ["m1"], true);
  for (let i = 0; i < LIMITS.summaryHistory + 5; i++) await s.setSummary(`own ${i}`);
  const versions = (await s.summaries()).map(({ version }) => version);
  const newest = LIMITS.summaryHistory + 6;
  expect(versions).toHaveLength(LIMITS.summaryHistory + 1);
  expect(versions.slice(0, 3)).toEqual([1, 7, 8]);
  expect(versions.at(-1)).toBe(newest);
  // It goes when it is not in use any more.
  const [insert] = (await s.session()).fields.inserts;
  await s.setSummary("all", [insert?.messageId ?? ""]);
  const left = (await s.summaries()).map(({ version }) => version);
  expect(left.slice(0, 2)).toEqual([8, 9]);
  expect((await s.summaries()).at(-1)?.sourceVersions).toEqual([1, newest]);
});
