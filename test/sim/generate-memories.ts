// Draws operations of memories and of jobs on them at random.

import { MEMORY_KINDS, MEMORY_TIERS, type MemoryScope } from "../../src/memory/rules/memory.ts";
import type { SessionRef } from "../../src/session/rules/session.ts";
import type { Random } from "../support/kit/random.ts";
import type {
  MemoryAction,
  MemoryDraft,
  MemoryWork,
  TurnAction,
} from "../support/store/memory-actions.ts";
import { START_MS } from "../support/store/plans.ts";
import type { Draw } from "./draw.ts";
import { COLLECTION_IDS } from "./generate-documents.ts";
import type { ReadOperation } from "./operations.ts";

/** The scopes of the simulation. */
const SCOPES: readonly MemoryScope[] = [
  { userId: "", agentId: "", sessionId: "" },
  { userId: "u", agentId: "", sessionId: "" },
  { userId: "u1", agentId: "a", sessionId: "" },
  { userId: "u", agentId: "", sessionId: "s" },
];
const WORDS = ["Ann", "ann", "Bob", "\u00e9", "likes"];
const MEMORY_IDS = 30;

function several<T>(random: Random, max: number, draw: () => T): readonly T[] {
  return Array.from({ length: random.int(0, max) }, draw);
}

function drawMemoryId({ random }: Draw): string {
  return random.chance(0.1) ? "\u{1f600}" : `m${random.int(0, MEMORY_IDS)}`;
}

function drawText(random: Random): string {
  return [random.pick(WORDS), random.pick(WORDS), random.pick(WORDS)].join(" ");
}

function drawDraft(draw: Draw): MemoryDraft {
  const { random } = draw;
  return {
    memoryId: drawMemoryId(draw),
    kind: random.pick(MEMORY_KINDS),
    scope: random.pick(SCOPES),
    text: drawText(random),
    key: random.pick(["", "k", "k2"]),
    importance: random.pick([0, 0.25, 0.5, 1]),
    persistent: random.chance(0.2),
    ttlMs: random.pick([0, 0, 50, 5_000]),
    past: random.chance(0.2),
    strengthen: random.chance(0.3),
    ...(random.chance(0.5) ? { messageIds: several(random, 3, () => random.pick(WORDS)) } : {}),
  };
}

function drawWork(draw: Draw): MemoryWork {
  const { random } = draw;
  const drafts = several(random, random.chance(0.1) ? 20 : 4, () => drawDraft(draw));
  const byId = new Map(drafts.map((draft) => [draft.memoryId, draft]));
  const promoted = () => ({ scope: random.pick(SCOPES), text: drawText(random) });
  return {
    put: [...byId.values()],
    remove: several(random, 3, () => drawMemoryId(draw)),
    promoted: several(random, 2, promoted),
    evict: random.chance(0.2) ? random.int(1, 2) : 0,
  };
}

/** A change of memories. */
export function drawMemories(draw: Draw): Omit<MemoryAction, "namespace" | "nowMs" | "requestId"> {
  return { kind: "memories", sessionId: "", ...drawWork(draw) };
}

/** A change of memories, jobs and documents together with a session. */
export function drawTurn(draw: Draw): Omit<TurnAction, keyof SessionRef | "nowMs" | "requestId"> {
  const { nowMs, random } = draw;
  const job = () => ({
    type: random.pick(["extract", "score"] as const),
    dueMs: random.chance(0.2) ? undefined : nowMs + random.int(-50, 5_000),
    dead: random.chance(0.2),
  });
  const collectionId = random.pick(COLLECTION_IDS);
  const document = { collectionId, documentId: `d${random.int(0, 9)}` };
  return {
    kind: "turn",
    ...drawWork(draw),
    jobs: several(random, 2, job),
    ...random.pick([{ seq: random.int(0, 40) }, {}]),
    ...(random.chance(0.3) ? { document } : {}),
  };
}

/** A read of memories or jobs. */
export function drawMemoryRead(draw: Draw, ref: SessionRef): ReadOperation {
  const { nowMs, random } = draw;
  const { namespace } = ref;
  const scope = random.pick(SCOPES);
  const order = random.pick(["asc", "desc"] as const);
  const limit = random.pick([1, 2, 7, 1_000]);
  const kind = random.pick([
    "list-memories",
    "list-memories",
    "ranked-memories",
    "read-entities",
    "query-relations",
    "memory-revisions",
    "memory-times",
  ] as const);
  switch (kind) {
    case "list-memories": {
      const within = random.pick([
        undefined,
        { kind: "scope", scope } as const,
        { kind: "user", userId: scope.userId } as const,
      ]);
      const asOfMs = random.int(START_MS, nowMs + 1);
      const query = {
        ...{ namespace, order, limit },
        ...(within === undefined ? {} : { within }),
        ...(random.chance(0.4) ? { asOfMs } : {}),
      };
      return { ...ref, kind, query };
    }
    case "ranked-memories":
      return {
        ...ref,
        kind,
        query: { namespace, scope, tier: random.pick(MEMORY_TIERS), order, limit },
      };
    case "read-entities":
      return { ...ref, kind, scopes: [scope, random.pick(SCOPES)], text: drawText(random) };
    case "query-relations":
      return {
        ...{ ...ref, kind, scope, limit },
        text: drawText(random),
        place: random.pick(["subject", "object"] as const),
      };
    case "memory-revisions":
      return { ...ref, kind, memoryId: drawMemoryId(draw), before: random.int(1, 5), limit };
    default:
      return { ...ref, kind, nowMs: nowMs + random.int(-3_000, 5_000) };
  }
}
