// Kills the server between the commit of the store and the change of the index, and at random
// moments, while writers write and readers recall. After each start everything that was answered
// for is found, nothing that was deleted or ran out is, and the index answers as one made anew.

import { join } from "node:path";
import { expect, test } from "vitest";
import { type Random, randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { briefFault, keyOf, RecallAccount, type SeenHit } from "./recall-account.ts";
import { newRecallTally, RecallChain, type RecallEnd, type RecallTally } from "./recall-rounds.ts";

const ROUNDS = 10 * TEST_DEPTH;
const ROUNDS_PER_DIRECTORY = 10;
/** A server that is broken on purpose is found out in so many rounds. */
const ROUNDS_BROKEN = 10;
/** A run with less traffic than this shows nothing and fails. */
const ACKNOWLEDGED_MIN = 15 * ROUNDS;

const PLACES = ["before-commit", "after-commit", "before-index", "before-index"] as const;

function endOf(random: Random, last: RecallEnd["kind"]): RecallEnd {
  const isKill = last === "failpoint" || random.chance(0.3);
  if (isKill) return { kind: "kill", afterMs: random.int(20, 300) };
  const place = random.pick(PLACES);
  return { kind: "failpoint", spec: `${place}:${random.int(1, 60)}` };
}

function report(tally: RecallTally, seed: number): void {
  console.log(
    `recall: ${tally.rounds} rounds, ${tally.acknowledged} acknowledged, ` +
      `${tally.unanswered} without an answer, ${tally.found} records found again, ` +
      `${tally.looks} looks beside the writes, ${tally.compared} queries compared with a new ` +
      `index, ${tally.brief} brief sessions, ${tally.wrong.length} faults, seed ${seed}`,
  );
}

test("recall finds what was answered for and nothing else, by SIGKILL at any moment", {
  timeout: 600_000 * TEST_DEPTH,
}, async () => {
  const random = randomFrom(testSeed("recall"));
  const tally = newRecallTally();
  for (let round = 0; round < ROUNDS; round += ROUNDS_PER_DIRECTORY) {
    await using directory = await makeTempDir();
    const chain = new RecallChain(directory.path, random, tally);
    let last: RecallEnd["kind"] = "failpoint";
    for (let i = 0; i < ROUNDS_PER_DIRECTORY; i++) {
      const end = endOf(random, last);
      last = end.kind;
      await chain.round(end);
    }
    await chain.finish();
    expect(tally.wrong.slice(0, 20)).toEqual([]);
  }
  report(tally, random.seed);
  expect(tally.rounds).toBe(ROUNDS);
  expect(tally.acknowledged).toBeGreaterThan(ACKNOWLEDGED_MIN);
  expect(tally.unanswered).toBeGreaterThan(ROUNDS / 2);
  expect(tally.looks).toBeGreaterThan(ROUNDS);
  expect(tally.brief).toBeGreaterThan(ROUNDS);
});

test("a server whose index is not told of changes is found out", {
  timeout: 300_000,
}, async () => {
  const random = randomFrom(testSeed("recall broken"));
  const tally = newRecallTally();
  await using directory = await makeTempDir();
  const nodeArgs = ["--import", join(import.meta.dirname, "broken-marks.ts")];
  const chain = new RecallChain(directory.path, random, tally, nodeArgs);
  for (let i = 0; i < ROUNDS_BROKEN && tally.wrong.length === 0; i++) {
    await chain.round({ kind: "kill", afterMs: 200 });
  }
  expect(tally.wrong.join("\n")).toMatch(/LOST LIVE/);
});

/** An account of a record that is there, one that was changed, and one that was deleted. */
function honest(): { account: RecallAccount; hits: SeenHit[] } {
  const account = new RecallAccount();
  const put = (id: string, token: string | undefined) => {
    const changes = [[account.recordOf("message", "s", id), token]] as const;
    account.intend(changes);
    account.acknowledge(changes);
  };
  put("there", "a");
  put("changed", "b");
  put("changed", "c");
  put("deleted", "d");
  put("deleted", undefined);
  const hit = (id: string, token: string) => ({ key: keyOf("message", "s", id), token });
  return { account, hits: [hit("there", "a"), hit("changed", "c")] };
}

test("the oracle accepts an honest answer, and finds each fault of another", () => {
  const { account, hits } = honest();
  expect(account.check(hits)).toEqual([]);
  const [first, second] = hits as [SeenHit, SeenHit];
  expect(account.check([second]).join()).toMatch(/^LOST message s\/there/);
  expect(account.check([first, { ...second, token: "b" }]).join()).toMatch(/^RETURNED .* with b/);
  const gone = { key: keyOf("message", "s", "deleted"), token: "d" };
  expect(account.check([...hits, gone]).join()).toMatch(/^RETURNED .*, which was deleted/);
  const forged = { key: keyOf("document", "s", "there"), token: "a" };
  expect(account.check([...hits, forged]).join()).toMatch(/^RETURNED .*, which nobody wrote/);
  const record = account.recordOf("message", "s", "there");
  account.intend([[record, "e"]]);
  expect(account.check([{ ...first, token: "e" }, second])).toEqual([]);
  expect(account.check([first, second]).join()).toMatch(/RETURNED .* with a where it has e/);
  const session = { sessionId: "b", token: "f", ttlMs: 1_000, beginMs: 0, answerMs: 10 };
  const at = (askMs: number) => ({ askMs, toldMs: askMs + 1 });
  expect(briefFault(session, true, at(500))).toBeUndefined();
  expect(briefFault(session, false, at(500))).toMatch(/^LOST/);
  expect(briefFault(session, true, at(1_500))).toMatch(/^RETURNED/);
  expect(briefFault(session, false, at(1_500))).toBeUndefined();
});
