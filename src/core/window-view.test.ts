import { describe, expect, test } from "vitest";
import { draftOf, jsonCodec } from "../../test/support/services/json-codec.ts";
import { insertOf } from "../../test/support/window/inserts.ts";
import { policyOf, stageOf } from "../../test/support/window/policies.ts";
import type { WindowInsert } from "../session/rules/session.ts";
import type { StoredEntry } from "../store/store.ts";
import { mergeInserts, namedTools, splitInserts, withInserts } from "./window-view.ts";

function entry(seq: number): StoredEntry {
  const messageId = `m${seq}`;
  const bytes = jsonCodec.encodeMessage(draftOf({ text: `text ${seq}` }), {
    messageId,
    seq,
    tokenCount: 2,
    tokenRule: "given",
    writer: "",
    createMs: 0,
    updateMs: 0,
    etag: "",
  });
  return { ...jsonCodec.readFacts(bytes), seq, byteCount: bytes.length, bytes };
}

const insert = (position: number): WindowInsert => insertOf(position);

describe("inserts", () => {
  const window = [entry(2), entry(3), entry(7)];
  const inserts = [insert(0.5), insert(2.25), insert(2.5), insert(7.5)];

  test("stand among the messages by their positions", () => {
    const entries = mergeInserts(window, inserts, jsonCodec);
    expect(entries.map(({ seq }) => seq)).toEqual([0.5, 2, 2.25, 2.5, 3, 7, 7.5]);
    expect(entries[0]).toMatchObject({ messageId: "i0.5", role: 3, tokenCount: 5, createMs: 7 });
  });

  test("that there are none of cost nothing", () => {
    expect(mergeInserts(window, [], jsonCodec)).toBe(window);
    expect(splitInserts(window, [])).toEqual({ window, inserts: [] });
    const totals = { messageCount: 1, tokenCount: 2, byteCount: 3 };
    expect(withInserts(totals, [])).toBe(totals);
  });

  test("are taken apart again, without those that left", () => {
    const entries = mergeInserts(window, inserts, jsonCodec);
    expect(splitInserts(entries, inserts).inserts).toBe(inserts);
    const left = splitInserts(
      entries.filter(({ seq }) => seq > 2.25),
      inserts,
    );
    expect(left.window.map(({ seq }) => seq)).toEqual([3, 7]);
    expect(left.inserts).toEqual(inserts.slice(2));
  });

  test("count in the window that callers see", () => {
    const totals = withInserts({ messageCount: 3, tokenCount: 6, byteCount: 100 }, inserts);
    const bytes = inserts.reduce((sum, one) => sum + one.bytes.length, 0);
    expect(totals).toEqual({ messageCount: 7, tokenCount: 26, byteCount: 100 + bytes });
  });
});

test("the tools of triggers are those of the stages that are meant", () => {
  const policy = policyOf([
    stageOf({ anyOf: [{ kind: "tool-success", names: ["a", "b"] }] }),
    stageOf({ name: "end", on: "turn-end", anyOf: [{ kind: "tool-error", names: ["c"] }] }),
  ]);
  expect(namedTools(policy)).toEqual(new Set(["a", "b", "c"]));
  expect(namedTools(policy, (stage) => stage.on === "turn-end")).toEqual(new Set(["c"]));
  expect(namedTools(policyOf([stageOf()]))).toBeUndefined();
});
