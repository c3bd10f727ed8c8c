import { beforeEach, describe, expect, test } from "vitest";
import { type PacerTime, WakePacer } from "./wake-pacer.ts";

let nowMs: number;
let timers: { readonly atMs: number; readonly callback: () => void }[];
let settled: (() => void)[];
let wakes: number[];
/** Time that waking takes. */
let costMs: number;

const time: PacerTime = {
  nowMs: () => nowMs,
  later: (callback, ms) => {
    const timer = { atMs: nowMs + ms, callback };
    timers.push(timer);
    return () => {
      timers = timers.filter((other) => other !== timer);
    };
  },
  settled: (callback) => void settled.push(callback),
};

beforeEach(() => {
  nowMs = 1_000;
  timers = [];
  settled = [];
  wakes = [];
  costMs = 1;
});

function makePacer(): WakePacer {
  return new WakePacer(() => {
    wakes.push(nowMs);
    nowMs += costMs;
  }, time);
}

/** The watchers have written. */
function settle(): void {
  for (const callback of settled.splice(0)) callback();
}

/** Moves the clock on, with what falls due. */
function advance(ms: number): void {
  const endMs = nowMs + ms;
  for (;;) {
    settle();
    const due = timers.filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
    if (due === undefined) break;
    timers = timers.filter((timer) => timer !== due);
    nowMs = Math.max(nowMs, due.atMs);
    due.callback();
  }
  nowMs = Math.max(nowMs, endMs);
}

describe("the pacer", () => {
  test("wakes at once after a pause", () => {
    const pacer = makePacer();
    pacer.ask();
    expect(wakes).toEqual([1_000]);
    advance(1_000);
    pacer.ask();
    expect(wakes).toEqual([1_000, 2_001]);
    expect(timers).toEqual([]);
  });

  test("wakes once for all that comes in the pause, which follows the cost", () => {
    const pacer = makePacer();
    pacer.ask();
    pacer.ask();
    settle();
    for (let i = 0; i < 10; i++) pacer.ask();
    advance(11);
    expect(wakes).toEqual([1_000]);
    advance(1);
    expect(wakes).toEqual([1_000, 1_013]);
    advance(100);
    expect(wakes).toHaveLength(2);
  });

  test("takes a bounded share of the time while it is asked for", () => {
    const pacer = makePacer();
    for (let i = 0; i < 700; i++) {
      pacer.ask();
      advance(1);
    }
    const spent = wakes.length * costMs;
    expect(spent / (nowMs - 1_000)).toBeLessThan(0.08);
    expect(spent / (nowMs - 1_000)).toBeGreaterThan(0.05);
  });

  test("does not wait for more than 50 ms, whatever waking cost", () => {
    costMs = 400;
    const pacer = makePacer();
    pacer.ask();
    pacer.ask();
    advance(50);
    expect(wakes).toEqual([1_000, 1_450]);
  });

  test("wakes no more once it is stopped", () => {
    const pacer = makePacer();
    pacer.ask();
    settle();
    pacer.ask();
    pacer.stop();
    advance(1_000);
    pacer.ask();
    advance(1_000);
    expect(wakes).toEqual([1_000]);
  });

  test("with the time of the process, wakes when what the watchers do is done", async () => {
    let steps = 0;
    const seen: number[] = [];
    const pacer = new WakePacer(() => {
      seen.push(steps);
      void (async () => {
        for (let i = 0; i < 20; i++) {
          await Promise.resolve();
          steps += 1;
        }
      })();
    });
    pacer.ask();
    pacer.ask();
    while (seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(seen).toEqual([0, 20]);
  });
});
