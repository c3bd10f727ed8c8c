import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LIMITS } from "../../kit/limits.ts";
import { Exports, type Send } from "./export-wire.ts";

const PIECE = new Uint8Array(3);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("exports", () => {
  test("are so many at one time", async () => {
    const exports = new Exports();
    const ends: (() => void)[] = [];
    const wait = () => new Promise<void>((resolve) => ends.push(resolve));
    const answers = { send: () => undefined };
    const run = (namespace: string) => exports.run(namespace, answers, wait);
    const all = Array.from({ length: LIMITS.namespaceExports }, () => run("flood"));
    const refused = run("flood");
    await expect(refused).rejects.toMatchObject({ reason: "STREAM_LIMIT_REACHED" });
    ends.shift()?.();
    await all.shift();
    const next = run("flood");
    const quiet = run("quiet");
    for (const end of ends) end();
    await Promise.all([...all, next, quiet]);
  });

  test("let go of a reader that takes nothing for a minute, and of no other", async () => {
    const exports = new Exports();
    let take = (): void => {};
    const answers = { send: () => new Promise<void>((resolve) => (take = resolve)) };
    const stream = async (send: Send) => {
      await send(PIECE);
      await send(PIECE);
    };
    const run = exports.run("n", answers, stream);
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
    await vi.advanceTimersByTimeAsync(1);
    await end;
    expect(vi.getTimerCount()).toBe(0);
  });
});
