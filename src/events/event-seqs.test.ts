import { expect, test } from "vitest";
import { EVENT_TYPE, type EventDetail } from "./rules/event.ts";
import { encodeEvent, readEventSeqs } from "./wire.ts";

const TOTALS = { messageCount: 2, tokenCount: 9 };

function seqsOf(detail: EventDetail): ReturnType<typeof readEventSeqs> {
  const event = { revision: 9, index: 1, namespace: "n", sessionId: "s", userId: "u" };
  const rest = { agentId: "a", createMs: 1_700_000_000_000, requestId: "r", continued: false };
  return readEventSeqs(encodeEvent({ ...event, ...rest, detail }));
}

test("an append gives its run, with ids before it", () => {
  const detail: EventDetail = {
    type: EVENT_TYPE.messagesAppended,
    messageIds: ["a", "b".repeat(200)],
    seqs: { first: 300, last: 301 },
    appended: TOTALS,
    window: TOTALS,
  };
  expect(seqsOf(detail)).toEqual({ first: 300, last: 301 });
});

test("a change and a deletion give the message", () => {
  const named = { messageId: "m", seq: 70_000, tokenCount: 4 };
  expect(seqsOf({ type: EVENT_TYPE.messageUpdated, ...named, paths: ["text"] })).toEqual({
    first: 70_000,
    last: 70_000,
  });
  expect(seqsOf({ type: EVENT_TYPE.messageDeleted, ...named, wasInWindow: true })).toEqual({
    first: 70_000,
    last: 70_000,
  });
});

test("other events give nothing", () => {
  expect(seqsOf({ type: EVENT_TYPE.sessionCreated })).toBeUndefined();
  expect(seqsOf({ type: EVENT_TYPE.turnEnded, window: TOTALS })).toBeUndefined();
});
