import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { callSemaphore, Deadline } from "./deadline.ts";

function longDeadline(signal = new AbortController().signal): Deadline {
  return new Deadline(60_000, signal);
}

describe("callSemaphore", () => {
  test("lets so many calls run at one time, in their order", async () => {
    const gate = callSemaphore(2);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const call = async (number: number): Promise<void> => {
      using deadline = longDeadline();
      await gate.run(deadline.signal, async () => {
        order.push(number);
        running += 1;
        most = Math.max(most, running);
        await wait(2);
        running -= 1;
      });
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(call));
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("gives a place back when a call fails, and when one gives up waiting", async () => {
    const gate = callSemaphore(1);
    const held = Promise.withResolvers<void>();
    const first = gate.run(longDeadline().signal, () => held.promise);
    const caller = new AbortController();
    const second = gate.run(longDeadline(caller.signal).signal, async () => {});
    const third = gate.run(longDeadline().signal, async () => "third");
    caller.abort();
    await expect(second).rejects.toMatchObject({ reason: "unreachable" });
    held.reject(new Error("the call failed"));
    await expect(first).rejects.toThrow("the call failed");
    expect(await third).toBe("third");
    expect(await gate.run(longDeadline().signal, async () => "fourth")).toBe("fourth");
  });

  test("refuses calls when too many wait", async () => {
    const gate = callSemaphore(1);
    const held = Promise.withResolvers<void>();
    const calls = Array.from({ length: 257 }, () =>
      gate.run(longDeadline().signal, () => held.promise),
    );
    await expect(gate.run(longDeadline().signal, async () => {})).rejects.toMatchObject({
      reason: "busy",
    });
    held.resolve();
    await Promise.all(calls);
  });

  test("does not start a call that is over already", async () => {
    const gate = callSemaphore(1);
    const caller = new AbortController();
    const deadline = longDeadline(caller.signal);
    caller.abort();
    await expect(gate.run(deadline.signal, async () => {})).rejects.toMatchObject({
      reason: "unreachable",
    });
  });
});
