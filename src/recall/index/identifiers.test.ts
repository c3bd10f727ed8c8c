// Goal: an identifier that stands in one message only ranks that message first, also when it is a
// few words of a long answer among messages that look alike.

import { beforeAll, describe, expect, test } from "vitest";
import { randomFrom } from "../../../test/support/kit/random.ts";
import {
  containerOf,
  itemsOf,
  JSON_INDEX_CODEC,
  queryOf,
  recordItem,
} from "../../../test/support/recall/records.ts";
import { loadStaticEmbedder } from "../embed/static.ts";
import { NOTHING_FITS_FLOOR } from "../rank/relevance.ts";
import { createLocalIndex } from "./local.ts";
import type { RecallIndex } from "./port.ts";

const MESSAGES = 400;
/** Every fourth message is a long answer. */
const EACH = 4;
const LONG = 25;

const random = randomFrom(48_213);
const hex = (digits: number): string =>
  Array.from({ length: digits }, () => random.int(0, 15).toString(16)).join("");
const number = (): number => random.int(10_000, 99_999);
const NAMES = ["maria", "tom", "li", "ana", "jo"];

/** One identifier of each kind, by turns. */
const KINDS: readonly (() => string)[] = [
  () => `ORD-${number()}`,
  () => `0x${hex(8)}`,
  () => `ERR_${random.pick(["IO", "NET", "AUTH"])}_${number()}`,
  () => `src/${random.pick(NAMES)}/module-${number()}.ts`,
  () => `${random.pick(NAMES)}.k${number()}@example.org`,
];

interface Said {
  readonly id: string;
  readonly text: string;
  readonly role: 1 | 2;
}

const SENTENCES = [
  "The parcel left the warehouse on time and should arrive in a day or two.",
  "Please check the address once more before the courier comes back.",
  "The log shows a retry after each timeout, which is what we expect.",
  "If the order does not arrive, the shop sends a new one for free.",
  "I would look at the module first, and at the file beside it.",
];

function said(place: number): Said {
  const id = KINDS[place % KINDS.length]?.() ?? "";
  if (place % EACH !== 0) {
    const about = random.pick(["Where is", "What about", "What is the status of"]);
    return { id, text: `${about} ${id}, the one from last week?`, role: 1 };
  }
  const sentences = Array.from({ length: LONG }, () => random.pick(SENTENCES));
  sentences.splice(random.int(0, LONG - 1), 0, `That one is ${id} in our list.`);
  return { id, text: sentences.join(" "), role: 2 };
}

const ALL = Array.from({ length: MESSAGES }, (_, at) => said(at));
let index: RecallIndex;

beforeAll(async () => {
  const { model, dimensions, embedText, nearWords } = loadStaticEmbedder();
  index = createLocalIndex({
    codec: JSON_INDEX_CODEC,
    model: { id: model, dimensions, isLocal: true },
    ...{ embedText, nearWords },
  });
  const items = ALL.map(({ text, role }, at) => recordItem(at + 1, { role, text }));
  await index.apply("n", [containerOf("session", "s"), itemsOf("session", "s", items)]);
});

describe.each(["hybrid", "lexical"] as const)("by %s", (mode) => {
  test.each([
    ["the identifier alone", (id: string) => id],
    ["a question with it", (id: string) => `What did you say about ${id}?`],
  ])("%s finds each of 100 long answers first", async (_name, ask) => {
    const missed: string[] = [];
    let asked = 0;
    for (const [at, { id, role }] of ALL.entries()) {
      if (role !== 2) continue;
      asked += 1;
      const { hits } = await index.search("n", queryOf(ask(id), { mode }));
      if (hits[0]?.position !== at + 1) missed.push(id);
      else expect(hits[0].relevance).toBeGreaterThan(NOTHING_FITS_FLOOR);
    }
    expect(asked).toBe(100);
    expect(missed).toEqual([]);
  });
});
