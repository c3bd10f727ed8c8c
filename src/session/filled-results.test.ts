// Goal: a filled result gives way to the tool's own result and to nothing else.

import { describe, expect, test } from "vitest";
import { draftOf, type JsonMessage, jsonCodec } from "../../test/support/services/json-codec.ts";
import { insertOf } from "../../test/support/window/inserts.ts";
import { ROLE, type WindowEntry } from "../window/rules/types.ts";
import { mayAnswerFilled, withoutAnswered } from "./fill-tool-results.ts";
import type { WindowInsert } from "./rules/session.ts";

function entry(seq: number, fields: JsonMessage): WindowEntry {
  const { role, callIds, answers, isResult } = draftOf(fields);
  const messageId = fields.messageId ?? `m${seq}`;
  const cost = { tokenCount: 1, byteCount: 1, createMs: 0 };
  return { seq, messageId, role, callIds, answers, isResult, ...cost };
}

const call = (seq: number, ...callIds: string[]) => entry(seq, { role: ROLE.assistant, callIds });
const result = (seq: number, toolCallId = "") => entry(seq, { role: ROLE.tool, toolCallId });

function insert(position: number, kind: WindowInsert["kind"], toolCallId = ""): WindowInsert {
  const messageId = `${kind} ${toolCallId} ${position}`;
  return insertOf(position, { kind, messageId, text: "text", toolCallId });
}

const filled = (position: number, callId: string) => insert(position, "result", callId);

function left(
  inserts: readonly WindowInsert[],
  window: readonly WindowEntry[],
  messages: readonly WindowEntry[],
): readonly number[] {
  return withoutAnswered(inserts, { window, messages }, jsonCodec).map(({ position }) => position);
}

describe("withoutAnswered", () => {
  test("drops the filled result of a call that is answered, and keeps the others", () => {
    const inserts = [insert(0.5, "summary"), filled(1.3, "c1"), filled(1.6, "c2")];
    expect(left(inserts, [call(1, "c1", "c2")], [result(2, "c1")])).toEqual([0.5, 1.6]);
    const parts = entry(2, { role: ROLE.user, results: ["c1", "c2"] });
    expect(left(inserts, [call(1, "c1", "c2")], [parts])).toEqual([0.5]);
  });

  test("gives back the very list when nothing is answered", () => {
    const inserts = [filled(1.5, "c1")];
    const window = [call(1, "c1")];
    const keep = (messages: readonly WindowEntry[]) =>
      withoutAnswered(inserts, { window, messages }, jsonCodec);
    expect(keep([])).toBe(inserts);
    expect(keep([entry(2, { text: "hi" })])).toBe(inserts);
    expect(keep([result(2, "other")])).toBe(inserts);
    const summaries = [insert(1.5, "summary")];
    const messages = [result(2, "c1")];
    expect(withoutAnswered(summaries, { window, messages }, jsonCodec)).toBe(summaries);
  });

  test("tells an id that was used again from its first use", () => {
    const inserts = [filled(1.5, "c1")];
    const window = [call(1, "c1"), call(2, "c1")];
    expect(left(inserts, window, [result(3, "c1")])).toEqual([1.5]);
    expect(left(inserts, [call(1, "c1")], [call(2, "c1"), result(3, "c1")])).toEqual([1.5]);
    expect(left(inserts, [call(1, "c1")], [result(2, "c1"), call(3, "c1")])).toEqual([]);
  });

  test("takes a result without an id for the first filled call right before it", () => {
    const inserts = [filled(1.3, "c1"), filled(1.6, "c2")];
    const window = [call(1, "c1", "c2")];
    expect(left(inserts, window, [result(2)])).toEqual([1.6]);
    expect(left(inserts, window, [result(2), result(3)])).toEqual([]);
    expect(left(inserts, window, [entry(2, { text: "hi" }), result(3)])).toEqual([1.3, 1.6]);
  });
});

describe("mayAnswerFilled", () => {
  test("is false when there is nothing filled or nothing answers", () => {
    expect(mayAnswerFilled([insert(0.5, "summary")], [result(1, "c1")])).toBe(false);
    expect(mayAnswerFilled([filled(0.5, "c1")], [entry(1, { text: "hi" })])).toBe(false);
    expect(mayAnswerFilled([filled(0.5, "c1")], [result(1)])).toBe(true);
    expect(mayAnswerFilled([filled(0.5, "c1")], [entry(1, { results: ["x"] })])).toBe(true);
  });
});
