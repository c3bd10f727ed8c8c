// Effects of memories on a search: the messages that they lift, the names that they lead to, and
// how many are looked at where very many share a name.

import { describe, expect, test } from "vitest";
import {
  containerOf,
  filterOf,
  itemsOf,
  JSON_INDEX_CODEC,
  type PlainMemory,
  queryOf,
  recordItem,
} from "../../../test/support/recall/records.ts";
import { SHARED_SCOPE } from "../../memory/rules/memory.ts";
import type { ScoreFeature } from "../rank/types.ts";
import { createLocalIndex } from "./local.ts";
import type { IndexItem, RecallIndex } from "./port.ts";

const HUB = 501;

function memory(position: number, text: string, rest: Partial<PlainMemory>): IndexItem {
  return recordItem(position, { text, memory: rest });
}

function relation(position: number, subject: string, object: string): IndexItem {
  const names = [subject, object];
  return memory(position, `${subject} knows ${object}`, { kind: "relation", names });
}

async function indexOf(items: readonly IndexItem[]): Promise<RecallIndex> {
  const index = createLocalIndex({ codec: JSON_INDEX_CODEC });
  await index.apply("n", [containerOf("scope", "m"), itemsOf("scope", "m", items)]);
  return index;
}

/** The values of a feature, by the place of the hit. */
async function valuesOf(
  index: RecallIndex,
  text: string,
  feature: ScoreFeature,
): Promise<ReadonlyMap<string, number>> {
  const { hits } = await index.search("n", queryOf(text, { limit: 500 }));
  return new Map(
    hits.map(({ containerId, position, parts }) => {
      const part = parts.find((one) => one.feature === feature);
      return [`${containerId} ${position}`, part?.value ?? 0];
    }),
  );
}

describe("names", () => {
  test("that few memories share lead on, and those of very many do not", async () => {
    const many = Array.from({ length: HUB }, (_, at) => relation(at + 10, "hub", `leaf ${at}`));
    const index = await indexOf([
      relation(1, "Ann", "Bob"),
      relation(2, "Ann", "hub"),
      memory(3, "Paints boats.", { topics: ["Bob"] }),
      memory(4, "Turns.", { topics: ["leaf 0"] }),
      ...many,
    ]);
    const ann = await valuesOf(index, "Ann", "entities");
    expect([ann.get("m 1"), ann.get("m 3")]).toEqual([1, 0.5]);
    expect(ann.get("m 10")).toBeUndefined();
    const hub = await valuesOf(index, "hub", "entities");
    expect(hub.get("m 2")).toBe(1);
    expect(hub.get("m 4")).toBeUndefined();
    // One less, and it is no hub any more: what is gone does not count.
    await index.apply("n", [
      {
        kind: "items",
        container: { kind: "scope", id: "m" },
        ...{ firstPosition: 100, lastPosition: 200, items: [] },
      },
    ]);
    expect((await valuesOf(index, "hub", "entities")).get("m 4")).toBe(0.5);
  });

  test("count as often as a caller may see them, however often others use them", async () => {
    const index = await indexOf([
      relation(1, "Zed", "Bob"),
      memory(2, "Boats.", { topics: ["Bob"] }),
    ]);
    const others = Array.from({ length: 2 * HUB }, (_, at) =>
      relation(at + 1, "Zed", `leaf ${at}`),
    );
    await index.apply("n", [
      containerOf("scope", "m", { userId: "u" }),
      containerOf("scope", "others", { userId: "v" }),
      itemsOf("scope", "others", others),
    ]);
    for (const kind of ["owned-by", "visible-to"] as const) {
      const filter = filterOf({ scope: { kind, scope: { ...SHARED_SCOPE, userId: "u" } } });
      const { hits } = await index.search("n", queryOf("Zed", { filter, limit: 500 }));
      expect(hits.map(({ position }) => position).sort()).toEqual([1, 2]);
    }
  });
});

describe("facts", () => {
  const said = (position: number, messageId: string): IndexItem =>
    recordItem(position, { role: 1, text: "It was the blue one.", messageId });
  const source = { sessionId: "s", messageIds: ["own 1"] };

  test("lift the messages of callers' ids, also those that come later or come back", async () => {
    const index = await indexOf([memory(1, "Dora rides a bicycle", { source })]);
    const lift = async () => (await valuesOf(index, "bicycle Dora rides", "facts")).get("s 2");
    const put = async (...items: readonly IndexItem[]): Promise<void> => {
      await index.apply("n", [itemsOf("session", "s", items)]);
    };
    await index.apply("n", [containerOf("session", "s")]);
    await put(said(1, "own 0"));
    for (let round = 0; round < 2; round++) {
      expect(await lift()).toBeUndefined();
      expect(await lift()).toBeUndefined();
      await put(said(1, "own 0"), said(2, "own 1"));
      expect(await lift()).toBe(1);
      expect(await lift()).toBe(1);
      await put(said(1, "own 0"), said(2, "own 2"));
    }
  });

  test("lift less that have little of the query, or name many messages", async () => {
    const many = { sessionId: "s", messageIds: ["own 1", "own 2", "own 3", "own 4"] };
    const liftBy = async (text: string, from: typeof many) => {
      const index = await indexOf([memory(1, text, { source: from })]);
      await index.apply("n", [
        containerOf("session", "s"),
        itemsOf("session", "s", [said(1, "own 1")]),
      ]);
      return (await valuesOf(index, "bicycle Dora", "facts")).get("s 1");
    };
    expect(await liftBy("Dora has a bicycle", source)).toBe(1);
    expect(await liftBy("Dora has a bicycle", many)).toBe(0.5);
    expect(await liftBy("Dora has a boat", source)).toBeLessThan(0.6);
  });
});
