// Goal: what is found beside some messages of a log is what the pairing of the window rules puts
// into their groups, found without reading more of the log than the bound allows.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { draftOf, type JsonMessage } from "../../test/support/services/json-codec.ts";
import { groupAdjacent, groupEntries } from "../window/rules/groups.ts";
import { ROLE } from "../window/rules/types.ts";
import { findNeighbors, findPartners, type LogFacts, PARTNER_DISTANCE } from "./log-reader.ts";

/** A log with some messages, and everything known of it. */
function logOf(messages: readonly JsonMessage[]) {
  const all = messages.map((message, index): LogFacts => {
    const { role, callIds, answers, isResult } = draftOf(message);
    const seq = index + 1;
    const facts = { messageId: `m${seq}`, role, callIds, answers, isResult };
    return { ...facts, seq, byteCount: 1, tokenCount: 1, createMs: 0 };
  });
  return { all, log: { at: (seq: number) => Promise.resolve(all[seq - 1]) } };
}

async function partners(messages: readonly JsonMessage[], ...seqs: number[]): Promise<number[]> {
  const { log, all } = logOf(messages);
  const seeds = all.filter(({ seq }) => seqs.includes(seq));
  const found = await findPartners(log, seeds, messages.length);
  return found.map(({ seq }) => seq);
}

const call = (...callIds: string[]): JsonMessage => ({ role: ROLE.assistant, callIds });
const result = (toolCallId = ""): JsonMessage => ({ role: ROLE.tool, toolCallId });
const user = (...results: string[]): JsonMessage => ({ text: results.length ? "" : "hi", results });

describe("findPartners", () => {
  test("finds the results of a call, and the call and other results of a result", async () => {
    const log = [user(), call("a", "b"), result("b"), user(), result("a"), user()];
    expect(await partners(log, 2)).toEqual([3, 5]);
    expect(await partners(log, 5)).toEqual([2, 3]);
    expect(await partners(log, 1, 4, 6)).toEqual([]);
    expect(await partners(log, 2, 3, 5)).toEqual([]);
  });

  test("pairs a result with the nearest call of its id", async () => {
    const log = [call("a"), result("a"), call("a"), user(), result("a")];
    expect(await partners(log, 1)).toEqual([2]);
    expect(await partners(log, 5)).toEqual([3]);
  });

  test("pairs results without an id with the calls right before them", async () => {
    const log = [call("a", "b"), result(), result(), user(), result()];
    expect(await partners(log, 1)).toEqual([2, 3]);
    expect(await partners(log, 3)).toEqual([1, 2]);
    expect(await partners(log, 5)).toEqual([]);
  });

  test("follows messages that answer several calls", async () => {
    const log = [call("a"), user(), call("b", "c"), user("a", "b"), result("c")];
    expect(await partners(log, 1)).toEqual([3, 4, 5]);
  });

  test("looks no further than the bound, in both directions", async () => {
    const between = Array.from({ length: PARTNER_DISTANCE - 1 }, () => user());
    const near = [call("a"), ...between, result("a")];
    expect(await partners(near, 1)).toEqual([near.length]);
    expect(await partners(near, near.length)).toEqual([1]);
    const far = [call("a"), user(), ...between, result("a")];
    expect(await partners(far, 1)).toEqual([]);
    expect(await partners(far, far.length)).toEqual([]);
  });

  test("finds what the window rules put into one group", async () => {
    await fc.assert(
      fc.asyncProperty(someLog, fc.array(fc.nat(), { maxLength: 3 }), async (messages, picks) => {
        const { log, all } = logOf(messages);
        const seeds = [...new Set(picks.map((pick) => all[pick % all.length]))].filter(
          (one) => one !== undefined,
        );
        const { callOf } = groupEntries(all.map((facts) => ({ ...facts, byteCount: 0 })));
        const groups = new Set(seeds.map(({ seq }) => callOf[seq - 1] ?? -1));
        const expected = all.filter((facts) => {
          const group = callOf[facts.seq - 1] ?? -1;
          return group >= 0 && groups.has(group) && !seeds.includes(facts);
        });
        const found = await findPartners(log, seeds, messages.length);
        expect(found.map(({ seq }) => seq)).toEqual(expected.map(({ seq }) => seq));
      }),
      { numRuns: 1_000 },
    );
  });
});

async function neighbors(messages: readonly JsonMessage[], ...seqs: number[]): Promise<number[]> {
  const { log, all } = logOf(messages);
  const seeds = all.filter(({ seq }) => seqs.includes(seq)).reverse();
  const found = await findNeighbors(log, seeds, messages.length);
  return found.map(({ seq }) => seq);
}

describe("findNeighbors", () => {
  test("finds the call and the results that stand together, whatever their ids", async () => {
    const said = { ...user("a"), text: "beside" };
    const log = [call("a"), result("a"), said, result(), user(), result("a")];
    expect(await neighbors(log, 1)).toEqual([2, 3, 4]);
    expect(await neighbors(log, 3)).toEqual([1, 2, 4]);
    expect(await neighbors(log, 2, 4)).toEqual([1, 3]);
    expect(await neighbors(log, 5, 6)).toEqual([]);
  });

  test("passes over what is gone from the log", async () => {
    const { all, log } = logOf([call("a"), user(), result("a"), result("b")]);
    const at = (seq: number) => (seq === 2 ? Promise.resolve(undefined) : log.at(seq));
    const found = await findNeighbors({ at }, all.slice(2, 3), all.length);
    expect(found.map(({ seq }) => seq)).toEqual([1, 4]);
  });

  test("looks no further than the bound, in both directions", async () => {
    const between = Array.from({ length: PARTNER_DISTANCE - 1 }, () => result());
    const near = [call("a"), ...between, result("a")];
    expect((await neighbors(near, 1)).at(-1)).toBe(near.length);
    expect((await neighbors(near, near.length))[0]).toBe(1);
    const far = [call("a"), result(), ...between, result("a")];
    expect((await neighbors(far, 1)).at(-1)).toBe(far.length - 1);
    expect(await neighbors(far, far.length)).toEqual([]);
  });

  test("walks through a run of results once", async () => {
    const { all, log } = logOf(Array.from({ length: 1_000 }, () => result()));
    let looks = 0;
    const at = (seq: number) => {
      looks++;
      return log.at(seq);
    };
    expect(await findNeighbors({ at }, all, all.length)).toEqual([]);
    expect(looks).toBeLessThan(all.length);
  });

  test("finds what the window rules put into one group", async () => {
    await fc.assert(
      fc.asyncProperty(someLog, fc.array(fc.nat(), { maxLength: 3 }), async (messages, picks) => {
        const { all } = logOf(messages);
        const seqs = picks.map((pick) => (pick % all.length) + 1);
        const { callOf } = groupAdjacent(all.map((facts) => ({ ...facts, byteCount: 0 })));
        const groups = new Set(seqs.map((seq) => callOf[seq - 1] ?? -1));
        const expected = all
          .map(({ seq }) => seq)
          .filter((seq) => {
            const group = callOf[seq - 1] ?? -1;
            return group >= 0 && groups.has(group) && !seqs.includes(seq);
          });
        expect(await neighbors(messages, ...seqs)).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** One turn: calls, and when each is answered: so many messages later, or never. */
const turn = fc.record({
  ids: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }),
  delays: fc.array(fc.integer({ min: -1, max: 6 }), { minLength: 3, maxLength: 3 }),
  nameless: fc.boolean(),
});

/** A log of turns that overlap. */
const someLog: fc.Arbitrary<readonly JsonMessage[]> = fc
  .array(turn, { minLength: 1, maxLength: 8 })
  .map((turns) => {
    const log: JsonMessage[] = [];
    const due: { readonly id: string; left: number }[] = [];
    const step = (): void => {
      const ready = due.filter((one) => one.left-- === 0).map(({ id }) => id);
      if (ready.length === 1) log.push(result(ready[0]));
      else if (ready.length > 1) log.push(user(...ready));
      else log.push(user());
    };
    for (const [index, { ids, delays, nameless }] of turns.entries()) {
      const own = ids.map((id) => `${id}${index}`);
      log.push(call(...own));
      if (nameless) log.push(result());
      for (const [at, id] of own.entries()) due.push({ id, left: delays[at] ?? -1 });
      step();
    }
    for (let more = 0; more < 8; more++) step();
    return log;
  });
