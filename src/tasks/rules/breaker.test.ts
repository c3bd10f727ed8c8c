import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import { TASK_FAILURES } from "../../kit/errors.ts";
import {
  type BreakerState,
  type CallPass,
  CLOSED_BREAKER,
  mayCall,
  onAbandoned,
  onAnswer,
  onCall,
  onFailure,
  speaksAgainst,
} from "./breaker.ts";

const NO_JITTER = 0.5;
const seed = testSeed("breakers of hooks");

function failing(times: number, state: BreakerState = CLOSED_BREAKER, nowMs = 0): BreakerState {
  let next = state;
  for (let i = 0; i < times; i++) next = onFailure(next, "call", { nowMs, random: NO_JITTER });
  return next;
}

/** Fails the trial at the moment it may go out. */
function failTrial(state: BreakerState): BreakerState {
  const nowMs = state.retryMs;
  expect(mayCall(state, nowMs)).toBe("trial");
  return onFailure(onCall(state, "trial"), "trial", { nowMs, random: NO_JITTER });
}

describe("the breaker", () => {
  test("opens with the fifth failure in a row", () => {
    expect(mayCall(failing(4), 0)).toBe("call");
    const open = failing(5);
    expect(open.phase).toBe("open");
    expect(open.retryMs).toBe(30_000);
    expect(mayCall(open, 29_999)).toBe("wait");
    expect(mayCall(open, 30_000)).toBe("trial");
  });

  test("begins to count anew after an answer", () => {
    expect(failing(4, onAnswer(failing(4), "call")).phase).toBe("closed");
  });

  test("lets one trial through and closes when it has an answer", () => {
    const trying = onCall(failing(5), "trial");
    expect(trying.phase).toBe("half-open");
    expect(mayCall(trying, 1_000_000)).toBe("wait");
    expect(onAnswer(trying, "trial")).toEqual(CLOSED_BREAKER);
  });

  test("stays open twice as long after each trial that failed, up to five minutes", () => {
    let state = failing(5);
    const waits = [state.retryMs];
    for (let i = 0; i < 5; i++) {
      const before = state.retryMs;
      state = failTrial(state);
      waits.push(state.retryMs - before);
    }
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
    const closed = onAnswer(onCall(state, "trial"), "trial");
    expect(failing(5, closed).retryMs).toBe(30_000);
  });

  test("is jittered by 20 percent", () => {
    const openAt = (random: number): number =>
      onFailure(failing(4), "call", { nowMs: 0, random }).retryMs;
    expect([openAt(0), openAt(1)]).toEqual([24_000, 36_000]);
  });

  test("hears nothing of calls that went out before it opened", () => {
    const open = failing(5);
    expect(onFailure(open, "call", { nowMs: 10, random: NO_JITTER })).toBe(open);
    expect(onAnswer(open, "call")).toBe(open);
    const trying = onCall(open, "trial");
    expect(onAnswer(trying, "call")).toBe(trying);
  });

  test("lets another trial go when one was given up without a result", () => {
    const again = onAbandoned(onCall(failing(5), "trial"), "trial", 40_000);
    expect(mayCall(again, 40_000)).toBe("trial");
    expect(onAbandoned(CLOSED_BREAKER, "call", 5)).toBe(CLOSED_BREAKER);
  });

  test("takes an answer that is of no use for an answer", () => {
    const against = TASK_FAILURES.filter(speaksAgainst);
    expect(against).toEqual(["unreachable", "timeout", "busy", "hook-error", "worker", "no-hook"]);
  });

  test("never lets more than one trial through, and drains once the fault is over", () => {
    const step = fc.record({
      kind: fc.constantFrom("call", "end", "wait"),
      index: fc.nat({ max: 1_000 }),
      ms: fc.nat({ max: 100_000 }),
      outcome: fc.constantFrom("answer", "failure", "abandoned"),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let state = CLOSED_BREAKER;
        let nowMs = 0;
        const running: CallPass[] = [];
        const end = (pass: CallPass, outcome: string, random: number): void => {
          if (outcome === "answer") state = onAnswer(state, pass);
          else if (outcome === "failure") state = onFailure(state, pass, { nowMs, random });
          else state = onAbandoned(state, pass, nowMs);
        };
        for (const { kind, index, ms, outcome, random } of steps) {
          if (kind === "wait") nowMs += ms;
          if (kind === "call") {
            const pass = mayCall(state, nowMs);
            if (pass !== "wait") {
              state = onCall(state, pass);
              running.push(pass);
            }
          }
          if (kind === "end" && running.length > 0) {
            const [pass] = running.splice(index % running.length, 1);
            if (pass !== undefined) end(pass, outcome, random);
          }
          const trials = running.filter((pass) => pass === "trial").length;
          expect(trials).toBeLessThanOrEqual(1);
          expect(state.phase === "half-open").toBe(trials === 1);
        }
        // The fault is over: what runs is answered, and calls go through again within six minutes.
        for (const pass of running.splice(0)) end(pass, "answer", NO_JITTER);
        nowMs += 360_000;
        const pass = mayCall(state, nowMs);
        expect(pass).not.toBe("wait");
        state = onAnswer(onCall(state, pass), pass);
        expect(mayCall(state, nowMs)).toBe("call");
      }),
      { seed, numRuns: 500 },
    );
  });
});
