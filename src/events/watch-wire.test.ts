import { describe, expect, test } from "vitest";
import { Event } from "../gen/memorysidecar/v1/event.ts";
import { WatchEventsResponse } from "../gen/memorysidecar/v1/event_service.ts";
import { createResumeTokens } from "../grpc/resume-token.ts";
import type { StoredEvent } from "../store/store.ts";
import { encodeCheckpoint, encodeWatchAnswers } from "./watch-wire.ts";

const tokens = createResumeTokens("0123456789abcdef");
const ANSWER_BYTES_MAX = 32 * 1024;

function stored(revision: number, requestBytes = 0): StoredEvent {
  const place = { revision, index: 0, namespace: "n", sessionId: "s" };
  const requestId = "r".repeat(requestBytes);
  const wire = { ...Event.decode(new Uint8Array(0)), ...place, requestId };
  const body = Event.encode({ ...wire, revision: BigInt(revision) }).finish();
  return { ...place, userId: "", type: 1, createMs: 0, body } as StoredEvent;
}

const many = (count: number, bytes = 0): StoredEvent[] =>
  Array.from({ length: count }, (_, index) => stored(index + 1, bytes));

function decode(answers: readonly Uint8Array[]): WatchEventsResponse[] {
  return answers.map((answer) => WatchEventsResponse.decode(answer));
}

describe("the answers of a watch", () => {
  test("are what encoding the whole would give, with a token for each event", () => {
    const events = many(3);
    const [answer, ...others] = encodeWatchAnswers(events, tokens);
    expect(others).toEqual([]);
    const made = events.map((event) => tokens.make("n", event));
    const whole = {
      events: events.map((event, i) => ({
        event: Event.decode(event.body),
        resumeToken: made[i] ?? "",
      })),
      resumeToken: made[2] ?? "",
    };
    expect(answer).toEqual(WatchEventsResponse.encode(whole).finish());
    expect(decode([encodeCheckpoint("t")])).toEqual([{ events: [], resumeToken: "t" }]);
    expect(encodeWatchAnswers([], tokens)).toEqual([]);
  });

  test("hold at most 256 events, and 32 KiB or one event", () => {
    const counts = (events: readonly StoredEvent[]): number[] =>
      decode(encodeWatchAnswers(events, tokens)).map((answer) => answer.events.length);
    const big = stored(1, 60_000);
    expect(counts([stored(1), big, stored(2)])).toEqual([1, 1, 1]);
    expect(counts(many(600))).toEqual([256, 256, 88]);
    for (const bytes of [100, 1_000, 9_000]) {
      const events = many(500, bytes);
      const answers = encodeWatchAnswers(events, tokens);
      const largest = Math.max(...answers.map((answer) => answer.length));
      expect(largest).toBeLessThanOrEqual(ANSWER_BYTES_MAX);
      expect(largest).toBeGreaterThan(ANSWER_BYTES_MAX - (bytes + 128) * 2);
      const seen = decode(answers).flatMap((answer) => answer.events);
      expect(seen.map((one) => Number(one.event?.revision))).toEqual(events.map((e) => e.revision));
    }
  });

  test("are shared by readers of the same events, and only by them", () => {
    const [a, b, c, d] = many(4) as [StoredEvent, StoredEvent, StoredEvent, StoredEvent];
    const first = encodeWatchAnswers([a, b, d], tokens);
    expect(encodeWatchAnswers([a, b, d], tokens)).toBe(first);
    // The same ends and the same count, but another filter.
    const other = encodeWatchAnswers([a, c, d], tokens);
    expect(decode(other)[0]?.events.map((one) => one.event?.revision)).toEqual([1n, 3n, 4n]);
    for (let i = 0; i < 20; i++) encodeWatchAnswers([stored(i)], tokens);
    const again = encodeWatchAnswers([a, b, d], tokens);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});
