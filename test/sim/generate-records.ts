// Draws operations of records at random.

import type { RecordName } from "../../src/records/rules/record.ts";
import type { Random } from "../support/kit/random.ts";
import type { RecordDraft } from "../support/store/action-types.ts";
import type { RecordAction, UploadAction } from "../support/store/records.ts";
import type { Draw } from "./draw.ts";
import { COLLECTION_IDS } from "./generate-documents.ts";
import type { ReadOperation, RefreshOperation } from "./operations.ts";

// One path is the start of another, one segment that of another, and one sorts before it.
const PATHS = [["p"], ["p", "q"], ["p", "q", "r"], ["p!"], ["pq"], ["\u00e9", "\u{1f600}"]];
const KEYS = ["a", "b", "b1", "b2", "b!", "\u{1f600}", "\uffff", "c"];
const TTLS = [0, 0, 0, 30, 400, 4_000];
const UPLOADS = ["u", "v", "\u00e9"];

function several<T>(random: Random, max: number, draw: () => T): readonly T[] {
  return Array.from({ length: random.int(0, max) }, draw);
}

function drawName({ random }: Draw): RecordName {
  return { path: random.pick(PATHS), key: random.pick(KEYS) };
}

/** Documents of a record; their collections hold others, too. */
function drawSearch({ random, nowMs }: Draw): NonNullable<RecordDraft["search"]> {
  const texts = Array.from(
    { length: random.int(1, 3) },
    (_, at) => `document ${at} ${nowMs} ${".".repeat(random.int(0, 9))}`,
  );
  return { collectionId: random.pick(COLLECTION_IDS), texts };
}

function drawDraft(draw: Draw): RecordDraft {
  const { random, nowMs } = draw;
  const ttlMs = random.pick(TTLS);
  return {
    ...drawName(draw),
    text: `text ${nowMs} ${"+".repeat(random.chance(0.02) ? 60_000 : random.int(0, 40))}`,
    ttlMs,
    ...(random.chance(0.3) ? { uploadId: random.pick(UPLOADS) } : {}),
    userId: random.pick(["", "u"]),
    // Those that end have documents more often, so that some live on with them.
    ...(random.chance(ttlMs === 0 ? 0.3 : 0.9) ? { search: drawSearch(draw) } : {}),
  };
}

/** A change of several records. */
export function drawRecords(draw: Draw): Pick<RecordAction, "kind" | "put" | "remove"> {
  const { random } = draw;
  const drafts = several(random, random.chance(0.1) ? 30 : 4, () => drawDraft(draw));
  const byId = new Map(drafts.map((draft) => [JSON.stringify([draft.path, draft.key]), draft]));
  const remove = several(random, 3, () => drawName(draw));
  return { kind: "records", put: [...byId.values()], remove };
}

/** A part of an upload, or its end. */
export function drawUpload({ random, nowMs }: Draw, namespace: string): UploadAction {
  const size = random.chance(0.05) ? 60_000 : random.int(1, 40);
  const text = random.chance(0.1) ? "" : `part ${nowMs} ${"-".repeat(size)}`;
  return { kind: "upload", namespace, uploadId: random.pick(UPLOADS), text, nowMs };
}

/** A refresh of some records. */
export function drawRefresh(draw: Draw, namespace: string): RefreshOperation {
  const { random, nowMs } = draw;
  const names = several(random, 20, () => drawName(draw));
  return { kind: "refresh-records", namespace, names, nowMs };
}

/** A read of records. */
export function drawRecordRead(draw: Draw, namespace: string): ReadOperation {
  const { random, nowMs } = draw;
  const base = { namespace, sessionId: "" };
  const kind = random.pick([
    ...["list-records", "list-records", "list-record-paths", "list-record-paths"],
    ...["read-records", "read-record-range", "read-record-range", "expired-records"],
  ]);
  if (kind === "list-record-paths") {
    const prefix = random.pick([[], [], ...PATHS]);
    const suffix = random.pick([[], [], ["q"], ["r"], ["q", "r"]]);
    const maxDepth = random.pick([0, 0, 1, 2, 3]);
    const limit = random.pick([1, 2, 3, 1_000]);
    const query = { namespace, prefix, suffix, maxDepth, limit, nowMs };
    return { ...base, kind, query };
  }
  if (kind === "expired-records") return { ...base, kind, nowMs };
  if (kind === "read-record-range") {
    const range = { offset: random.int(0, 90), limit: random.pick([0, 1, 30, 100_000]) };
    return { ...base, kind, name: drawName(draw), ...range };
  }
  if (kind === "read-records") {
    const names = several(random, 9, () => drawName(draw));
    return { ...base, kind, names, valuesMax: random.pick([0, 60, 1_000_000]) };
  }
  const recursive = random.chance(0.5);
  const keyOf = () => (recursive || random.chance(0.5) ? "" : random.pick(KEYS));
  const range = { recursive, keyPrefix: keyOf(), startKey: keyOf(), endKey: keyOf() };
  return {
    ...base,
    kind: "list-records",
    query: {
      namespace,
      ...(random.chance(0.2) ? {} : { range: { path: random.pick(PATHS), ...range } }),
      order: random.pick(["asc", "desc"]),
      limit: random.pick([1, 2, 7, 1_000]),
      withValues: random.chance(0.5),
      ...(random.chance(0.2) ? {} : { nowMs }),
    },
  };
}
