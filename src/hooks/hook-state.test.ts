// Goal: the log hears that a hook fails, that it is left alone, and that it is back, and is not
// flooded.

import { expect, test } from "vitest";
import { pollHook } from "../../test/support/hooks/hooks.ts";
import { type HookNews, HookState } from "./hook-state.ts";
import { HookFailure } from "./port.ts";

const MINUTE = 60_000;

function watched() {
  let nowMs = 1_000;
  const world = {
    nowMs: () => nowMs,
    random: (length: number) => new Uint8Array(length),
    advance: (ms: number) => {
      nowMs += ms;
    },
  };
  const told: HookNews[] = [];
  const tell = (news: HookNews): void => {
    told.push(news);
  };
  const state = new HookState(pollHook("h"), world, tell);
  const call = (failure?: HookFailure): void => {
    const pass = state.pass();
    state.begin(pass);
    if (failure === undefined) state.answered(pass);
    else state.callFailed(pass, failure);
  };
  return { world, told, state, call };
}

const down = new HookFailure("unreachable", "The hook cannot be reached.");

test("tells of the first failure at once, and of the next ones once a minute with their number", () => {
  const { world, told, state } = watched();
  for (let i = 0; i < 100; i++) state.failed("refused");
  expect(told).toEqual([{ kind: "failed", hook: "h", reason: "refused", count: 1 }]);
  state.failed("timeout");
  expect(told).toHaveLength(2);
  world.advance(MINUTE);
  state.failed("refused");
  expect(told.slice(2)).toEqual([{ kind: "failed", hook: "h", reason: "refused", count: 100 }]);
});

test("tells once that a hook is left alone, for each trial that fails, and that it is back", () => {
  const { world, told, state, call } = watched();
  for (let i = 0; i < 5; i++) call(down);
  const [failed, opened, ...rest] = told;
  expect(failed).toMatchObject({ kind: "failed", reason: "unreachable" });
  expect(opened).toMatchObject({ kind: "down", hook: "h", reason: "unreachable" });
  expect(rest).toEqual([]);
  world.advance(MINUTE);
  call(down);
  expect(told.slice(2).map(({ kind }) => kind)).toEqual(["failed", "down"]);
  world.advance(2 * MINUTE);
  call();
  call();
  expect(told.slice(4)).toEqual([{ kind: "up", hook: "h" }]);
  expect(state.breaker.phase).toBe("closed");
});
