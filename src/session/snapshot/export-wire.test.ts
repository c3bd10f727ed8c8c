import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../domain/limits.ts";
import { Exports, type Send } from "./export-answers.ts";

const PIECE = new Uint8Array(3);
const letGo = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("exports", () => {
  it("are so many at one time", async () => {
    const exports = new Exports();
    const ends: (() => void)[] = [];
    const wait = () => new Promise<void>((resolve) => ends.push(resolve));
    const answers = { send: () => undefined, letGo };
    const all = Array.from({ length: LIMITS.exports }, () => exports.run(answers, wait));
    const refused = exports.run(answers, wait);
    await expect(refused).rejects.toMatchObject({ reason: "STREAM_LIMIT_REACHED" });
    ends.shift()?.();
    await all.shift();
    const next = exports.run(answers, wait);
    for (const end of ends) end();
    await Promise.all([...all, next]);
  });

  it("let go of a reader that takes nothing for a minute, and of no other", async () => {
    const exports = new Exports();
    let take = (): void => {};
    const answers = { send: () => new Promise<void>((resolve) => (take = resolve)), letGo };
    const stream = async (send: Send) => {
      await send(PIECE);
      await send(PIECE);
    };
    const run = exports.run(answers, stream);
    const end = expect(run).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    await vi.advanceTimersByTimeAsync(LIMITS.exportStallMs - 1);
    take();
    await vi.advanceTimersByTimeAsync(LIMITS.exportStallMs - 1);
    let ended = false;
    void run.catch(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toBe(false);
    expect(letGo).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await end;
    expect(letGo).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });
});
