import { EventEmitter } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { createAnswerStream, letGo } from "./answer-stream.ts";

/** A call whose reader takes answers only when told to. */
function slowCall() {
  const waiting: (() => void)[] = [];
  return {
    call: {
      write: (_: unknown, done: unknown) => {
        waiting.push(done as () => void);
        return true;
      },
    },
    /** The reader takes an answer. */
    take: () => waiting.shift()?.(),
    waiting,
  };
}

const kilobytes = (count: number) => new Uint8Array(count * 1_024);

describe("an answer stream", () => {
  test("sends on while little is under way, and waits while much is", async () => {
    const { call, take, waiting } = slowCall();
    const answers = createAnswerStream(call as never, new AbortController().signal);
    expect(answers.send(kilobytes(10))).toBeUndefined();
    const full = answers.send(kilobytes(10));
    expect(full).toBeInstanceOf(Promise);
    expect(waiting).toHaveLength(2);
    take();
    await full;
    expect(answers.send(kilobytes(1))).toBeUndefined();
  });

  test("stops waiting, and sending, when the call ends", async () => {
    const { call, waiting } = slowCall();
    const controller = new AbortController();
    const answers = createAnswerStream(call as never, controller.signal);
    const full = answers.send(kilobytes(64));
    controller.abort();
    await full;
    expect(answers.send(kilobytes(1))).toBeUndefined();
    expect(waiting).toHaveLength(1);
  });

  test("lets go of a reader that does not even take the end", () => {
    vi.useFakeTimers();
    for (const isOver of [false, true]) {
      const close = vi.fn();
      const stream = Object.assign(new EventEmitter(), { close, destroyed: false });
      letGo({ call: { stream } });
      vi.advanceTimersByTime(59_999);
      expect(close).not.toHaveBeenCalled();
      if (isOver) stream.emit("close");
      vi.advanceTimersByTime(1);
      expect(close.mock.calls).toEqual(isOver ? [] : [[8]]);
    }
    vi.useRealTimers();
  });
});
