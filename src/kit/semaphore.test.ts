import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Pace, Semaphore, searchSemaphore } from "./semaphore.ts";

const never = new AbortController().signal;
const noop = async (): Promise<void> => {};

/** A semaphore with one place, which is taken until `free` is called. */
function taken(waiting?: number) {
  const semaphore = new Semaphore({
    running: 1,
    ...(waiting !== undefined && { waiting }),
    full: () => new Error("full"),
  });
  semaphore.enter();
  return { semaphore, free: () => semaphore.leave() };
}

describe("a semaphore", () => {
  test("runs so many at one time, in their order", async () => {
    const semaphore = new Semaphore({ running: 2 });
    let most = 0;
    const order: number[] = [];
    const call = (number: number): Promise<void> =>
      semaphore.run(never, async () => {
        order.push(number);
        most = Math.max(most, semaphore.running);
        await wait(2);
      });
    await Promise.all([0, 1, 2, 3, 4, 5].map(call));
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
    expect(semaphore.running).toBe(0);
  });

  test("lets those wait least whose namespace runs least", async () => {
    const semaphore = new Semaphore({ running: 2 });
    for (const holder of ["flood", "flood"]) semaphore.enter(holder);
    const order: string[] = [];
    const call = (name: string, holder: string): Promise<void> =>
      semaphore.run(undefined, async () => void order.push(name), holder);
    const calls = [call("a", "flood"), call("b", "flood"), call("c", "quiet")];
    semaphore.leave("flood");
    await Promise.all(calls);
    expect(order).toEqual(["c", "a", "b"]);
  });

  test("keeps places, and places in the queue, for namespaces with few", async () => {
    const semaphore = new Semaphore({ running: 4, waiting: 4, full: ({ few }) => Error(`${few}`) });
    const ends: (() => void)[] = [];
    const call = (holder: string): Promise<void> =>
      semaphore.run(never, () => new Promise((resolve) => ends.push(resolve)), holder);
    const flood = Array.from({ length: 6 }, () => call("flood"));
    await expect(call("flood")).rejects.toThrow("1");
    expect(semaphore.running).toBe(3);
    const quiet = call("quiet");
    await wait(1);
    expect(semaphore.running).toBe(4);
    while (semaphore.running > 0) {
      ends.shift()?.();
      await wait(0);
    }
    await Promise.all([...flood, quiet]);
  });

  test("gives a place back when work fails", async () => {
    const semaphore = new Semaphore({ running: 1 });
    const failed = semaphore.run(never, async () => {
      throw new Error("failed");
    });
    const next = semaphore.run(never, async () => "next");
    await expect(failed).rejects.toThrow("failed");
    expect(await next).toBe("next");
  });

  test("refuses callers when too many wait", async () => {
    const { semaphore, free } = taken(2);
    const waiting = [semaphore.run(never, noop), semaphore.run(never, noop)];
    await expect(semaphore.run(never, noop)).rejects.toThrow("full");
    expect(() => semaphore.enter()).toThrow("full");
    free();
    await Promise.all(waiting);
    await semaphore.run(never, noop);
  });

  test("lets a caller go when its signal aborts", async () => {
    const { semaphore, free } = taken(1);
    const caller = new AbortController();
    const gone = semaphore.run(caller.signal, noop);
    caller.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    const next = semaphore.run(never, async () => "next");
    free();
    expect(await next).toBe("next");
    await expect(semaphore.run(caller.signal, noop)).rejects.toThrow("gone");
    expect(semaphore.running).toBe(0);
  });

  test("is idle when nobody runs", async () => {
    const { semaphore, free } = taken();
    let isIdle = false;
    const idle = semaphore.idle().then(() => {
      isIdle = true;
    });
    await wait(1);
    expect(isIdle).toBe(false);
    free();
    await idle;
    await semaphore.idle();
    semaphore.enter();
    const again = semaphore.idle();
    free();
    await again;
  });
});

test("searches beyond the limit are overloaded, and those that ended have passed a deadline", async () => {
  const searches = searchSemaphore(1, 1);
  searches.enter();
  const caller = new AbortController();
  const ended = searches.run(caller.signal, noop);
  await expect(searches.run(never, noop)).rejects.toMatchObject({
    reason: "OVERLOADED",
    message: "1 searches are already waiting. Retry.",
  });
  caller.abort();
  await expect(ended).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
});

test("a pace gives each turn of the event loop to one piece, urgent ones first", async () => {
  const pace = new Pace();
  const order: string[] = [];
  const piece = async (name: string, isUrgent: boolean): Promise<void> => {
    await pace.turn(isUrgent);
    order.push(name);
  };
  const pieces = [piece("normal", false), piece("later", false), piece("urgent", true)];
  await wait(20);
  await Promise.all(pieces);
  expect(order).toEqual(["urgent", "normal", "later"]);
});
