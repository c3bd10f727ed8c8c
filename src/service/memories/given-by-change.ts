// What a change of a window gives to long-term memory: which messages of the log leave it.

import type { MemoryPolicy } from "../../domain/memories/policy.ts";
import type { Session } from "../../domain/session.ts";
import type { Trim } from "../../domain/window/types.ts";
import type { StoredEntry } from "../../storage/store.ts";
import type { ServiceContext } from "../context.ts";
import {
  type Given,
  giveToMemory,
  type LeftMessage,
  type MemorySide,
  type TurnPart,
} from "./give.ts";

/** What a change needs to give something to long-term memory. */
export interface MemoryBase {
  readonly side: MemorySide;
  /** The policy of a session that has none. Default: such a session gives nothing. */
  readonly otherwise?: MemoryPolicy;
  readonly turn?: TurnPart;
}

/**
 * What long-term memory gets of a change, as the policy of its session says; undefined for nothing.
 * `all` is the window before the trims.
 */
export function givenByChange(
  context: ServiceContext,
  change: {
    readonly session: Session;
    readonly stamp: { readonly revision: number; readonly nowMs: number };
    readonly memory?: MemoryBase;
  },
  { all, trims }: { readonly all: readonly StoredEntry[]; readonly trims: readonly Trim[] },
): Given | undefined {
  const { session, stamp, memory } = change;
  const policy = session.fields.memoryPolicy ?? memory?.otherwise;
  if (memory === undefined || policy === undefined) return undefined;
  const { side, turn } = memory;
  const promoting = session.fields.policy.stages.filter(({ removedTo }) => removedTo === "promote");
  const offers = new Set(promoting.map(({ name }) => name));
  const left = leftMessages(trims, all, { side, offers });
  if (left.length === 0 && turn === undefined) return undefined;
  const part = turn === undefined ? {} : { turn };
  return giveToMemory(context, { session, policy, stamp, side, left, ...part });
}

/**
 * The messages of the log that trims take out, by rising seq. `entries` is the window before the
 * trims; those that are not in it are read as they were before the change.
 */
function leftMessages(
  trims: readonly Trim[],
  entries: readonly StoredEntry[],
  {
    side,
    offers,
  }: {
    readonly side: Pick<MemorySide, "message">;
    /** The stages that promote what they remove. */
    readonly offers: ReadonlySet<string>;
  },
): readonly LeftMessage[] {
  const erased = new Map<number, boolean>();
  const offered = new Set<number>();
  for (const { stage, removed, discarded } of trims) {
    for (const { seq } of removed) {
      if (!Number.isInteger(seq)) continue;
      erased.set(seq, discarded || erased.get(seq) === true);
      if (offers.has(stage)) offered.add(seq);
    }
  }
  if (erased.size === 0) return [];
  const known = new Map(entries.map((entry) => [entry.seq, entry]));
  return [...erased]
    .sort(([a], [b]) => a - b)
    .flatMap(([seq, isErased]) => {
      const message = known.get(seq) ?? side.message(seq);
      return message === undefined ? [] : [{ message, isErased, isOffered: offered.has(seq) }];
    });
}
