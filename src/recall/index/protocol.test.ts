import { describe, expect, test } from "vitest";
import { containerOf, itemsOf, recordItem } from "../../../test/support/recall/records.ts";
import type { IndexChange } from "./port.ts";
import { packChanges, piecesOf, unpackChanges } from "./protocol.ts";

const vector = (...values: number[]) => Float32Array.from(values);

function sample(): IndexChange[] {
  const container = { kind: "collection", id: "c" } as const;
  const plain = recordItem(1, { text: "one" });
  const embedded = { ...recordItem(2, { text: "two" }), vectors: [vector(1, 2), vector(3, 4)] };
  const given = { ...recordItem(5, { text: "x" }), given: { model: "m", values: vector(7, 8, 9) } };
  const both = { ...given, ...embedded, position: 6 };
  return [
    containerOf("collection", "c", { labels: new Map([["k", "v"]]), expireMs: 7 }),
    itemsOf("collection", "c", [plain, embedded, given, both]),
    { kind: "vectors", container, position: 1, vectors: [vector(5, 6)] },
    { kind: "want-tf-idf", container },
    { kind: "drop-container", container },
    itemsOf("collection", "c", []),
  ];
}

describe("changes that are packed", () => {
  test("are the same when they are unpacked", () => {
    expect(unpackChanges(packChanges(sample()))).toEqual(sample());
    const copied = structuredClone(packChanges(sample()));
    expect(unpackChanges(copied)).toEqual(sample());
  });

  test("share no memory with what they were made of", () => {
    const [change] = [itemsOf("session", "s", [recordItem(1, { text: "kitten" })])];
    const packed = packChanges([change]);
    if (change.kind === "items") change.items[0]?.bytes.fill(0);
    expect(unpackChanges(packed)).toEqual([
      itemsOf("session", "s", [recordItem(1, { text: "kitten" })]),
    ]);
  });
});

describe("pieces of changes", () => {
  test("hold everything in order, in ranges that follow one another", () => {
    const text = "word ".repeat(1_400);
    const items = [3, 4, 9, 12, 13, 20, 21, 30, 31, 40, 44, 45, 60].map((position) =>
      recordItem(position, { text }),
    );
    const whole = itemsOf("session", "s", items);
    const changes = [containerOf("session", "s"), { ...whole, firstPosition: 2, lastPosition: 70 }];
    const pieces = piecesOf(changes as IndexChange[]);
    expect(pieces.length).toBeGreaterThan(1);
    const parts = pieces.flatMap((piece) => piece.changes).filter((one) => one.kind === "items");
    expect(parts.flatMap((part) => part.items)).toEqual(items);
    expect(parts[0]?.firstPosition).toBe(2);
    expect(parts.at(-1)?.lastPosition).toBe(70);
    for (const [at, part] of parts.entries()) {
      const next = parts[at + 1];
      if (next !== undefined) expect(part.lastPosition + 1).toBe(next.firstPosition);
      for (const { position } of part.items) {
        expect(position >= part.firstPosition && position <= part.lastPosition).toBe(true);
      }
    }
  });

  test("are one piece when there is little or nothing", () => {
    expect(piecesOf([])).toMatchObject([{ changes: [] }]);
    expect(piecesOf(sample())).toMatchObject([{ changes: sample() }]);
  });
});
