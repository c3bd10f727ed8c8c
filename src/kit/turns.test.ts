import { setImmediate as turnOfLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

function scene() {
  let nowMs = 0;
  const turns = new Turns(() => nowMs);
  const started: string[] = [];
  const start = (namespace: string, count: number): void => {
    for (let n = 0; n < count; n++) turns.start(namespace, () => void started.push(namespace));
  };
  /** Makes calls that end at once, then goes to the next window. */
  const history = (calls: Readonly<Record<string, number>>): void => {
    for (const [namespace, count] of Object.entries(calls)) {
      for (let n = 0; n < count; n++) turns.start(namespace, () => turns.end(namespace));
    }
    nowMs += 1_000;
  };
  return { turns, started, start, history };
}

test("a namespace that calls alone is not held back", () => {
  const { started, start, history } = scene();
  history({ flood: 300 });
  start("flood", 300);
  expect(started).toHaveLength(300);
});

test("nor are namespaces that call as much as each other", () => {
  const { started, start, history } = scene();
  history({ one: 160, other: 300 });
  start("one", 160);
  start("other", 300);
  expect(started).toHaveLength(460);
});

test("a flood stays held back when that brought it down to a few times the quiet one", () => {
  const { started, start, history } = scene();
  history({ quiet: 100, flood: 300 });
  start("flood", 300);
  expect(started).toHaveLength(3);
});

test("beside a quiet one a flood runs a few calls, and the others in their turn", async () => {
  const { turns, started, start, history } = scene();
  history({ quiet: 1, flood: 40 });
  start("flood", 40);
  expect(started).toHaveLength(3);
  start("quiet", 2);
  expect(started.filter((name) => name === "quiet")).toHaveLength(2);
  turns.end("flood");
  expect(started).toHaveLength(5);
  await turnOfLoop();
  expect(started).toHaveLength(6);
  for (let n = 0; n < 39; n++) {
    turns.end("flood");
    await turnOfLoop();
  }
  expect(started.filter((name) => name === "flood")).toHaveLength(40);
});

test("all that wait run when the quiet one has been silent for a while", async () => {
  const { turns, started, start, history } = scene();
  history({ quiet: 1, flood: 40 });
  start("flood", 40);
  expect(started).toHaveLength(3);
  history({});
  turns.end("flood");
  await turnOfLoop();
  expect(started).toHaveLength(40);
});
