// The check of accounts must find each fault: every case breaks a correct account in one way.

import { expect, test } from "vitest";
import { coverOf, numbered, numbersIn } from "./cover.ts";
import { checkAccount, type SeenSummary, type SummaryAccount } from "./summary-account.ts";

function summary(version: number, first: number, last: number): SeenSummary {
  const listed = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return {
    ...{ version, current: true, placedMessageId: `s${version}`, taskId: `t${version}` },
    ...{ text: `covers ${first}-${last}`, placeholder: false, sourceCount: listed.length, listed },
    ...{ runs: [[first, last]], added: [[first, last]] },
  };
}

const FIRST = summary(1, 1, 3);
const SECOND = summary(2, 4, 6);

/** Ten messages: two summaries of three, one that left with a task, three in the window. */
const HONEST: SummaryAccount = {
  sessionId: "s",
  lastSeq: 10,
  log: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  window: [8, 9, 10],
  placed: ["s1", "s2"],
  summaries: [FIRST, SECOND],
  tasks: [{ taskId: "t3", isDead: false, leavesAtOnce: true, runs: [[7, 7]] }],
  fates: [
    { taskId: "t1", kind: "requested", version: 0 },
    { taskId: "t1", kind: "set", version: 1 },
    { taskId: "t2", kind: "requested", version: 0 },
    { taskId: "t2", kind: "set", version: 2 },
    { taskId: "t3", kind: "requested", version: 0 },
  ],
};

test("an honest account is accepted", () => {
  expect(checkAccount(HONEST, { textsCover: true })).toEqual([]);
});

const [ASKED, SET, ...OTHERS] = HONEST.fates;
if (ASKED === undefined || SET === undefined) throw new Error("the honest account is cut");

test.for<[string, Partial<SummaryAccount>, RegExp]>([
  ["a lost message", { log: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, /LOST from the log 10/],
  ["a message in no place", { window: [9, 10] }, /LOST between: 8/],
  ["a message in two places", { window: [6, 8, 9, 10] }, /in the window and in a summary: 6/],
  [
    "a task of a summary",
    { tasks: [{ ...HONEST.tasks[0], ...taskOf(6, 7) }] },
    /waiting for it: 6/,
  ],
  ["a summary made twice", { summaries: [FIRST, { ...FIRST, version: 2 }] }, /two summaries: 1-3/],
  ["a version left out", { summaries: [FIRST, { ...SECOND, version: 3 }] }, /versions are 1,3/],
  ["a level that lost its sources", { summaries: [FIRST, stale(SECOND)] }, /in no current.* 4-6/],
  [
    "sources that are not listed",
    { summaries: [FIRST, { ...SECOND, listed: [4] }] },
    /lists 4 and/,
  ],
  ["a wrong count", { summaries: [FIRST, { ...SECOND, sourceCount: 2 }] }, /counts 2 of 3/],
  ["another text", { summaries: [FIRST, { ...SECOND, text: "covers 4" }] }, /was made from 4 and/],
  ["a summary that is not shown", { placed: ["s1"] }, /1 summaries are in the window, 2 say so/],
  ["an effect done twice", { fates: [ASKED, SET, SET, ...OTHERS] }, /TWICE t1: set, set/],
  ["a task that vanished", { tasks: [], window: [7, 8, 9, 10] }, /LOST task t3/],
  ["a task done and there", { tasks: [...HONEST.tasks, taskOf(8, 8, "t2")] }, /TWICE t2: done/],
  ["an effect not asked for", { fates: [SET, ...OTHERS] }, /t1 was set, never asked for/],
  ["an effect not told", { fates: [ASKED, ...OTHERS] }, /events tell of versions 2, there are 1,2/],
])("%s is found", ([, change, expected]) => {
  expect(checkAccount({ ...HONEST, ...change }, { textsCover: true }).join("\n")).toMatch(expected);
});

function taskOf(first: number, last: number, taskId = "t3") {
  return { taskId, isDead: false, leavesAtOnce: true, runs: [[first, last]] as const };
}

function stale(one: SeenSummary): SeenSummary {
  return { ...one, current: false };
}

test("what still waits is found when nothing should", () => {
  const wrong = checkAccount(HONEST, { settled: true }).join("\n");
  expect(wrong).toContain("left, and in no current summary: 7");
  expect(wrong).toContain("1 tasks are left");
});

test("texts say what they cover, also over levels", () => {
  const text = coverOf(numbered(1), numbered(2), "summary: covers 4-6,9", numbered(7));
  expect(text).toBe("covers 1-2,4-7,9");
  expect(numbersIn(`${text} and ${coverOf(numbered(3))}`)).toEqual([1, 2, 3, 4, 5, 6, 7, 9]);
  expect(coverOf("nothing")).toBe("");
});
