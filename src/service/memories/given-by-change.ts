// What a change of a window gives to long-term memory: which messages of the log leave it.

import type { Session } from "../../domain/session.ts";
import type { Trim } from "../../domain/window/types.ts";
import type { StoredEntry } from "../../storage/store.ts";
import type { ServiceContext } from "../context.ts";
import { isInLog } from "../window-view.ts";
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
  readonly turn?: TurnPart;
}

/** What long-term memory gets of a change, as its session says; undefined for nothing. */
export function givenByChange(
  context: ServiceContext,
  change: {
    readonly session: Session;
    readonly stamp: { readonly revision: number; readonly nowMs: number };
    readonly memory?: MemoryBase;
  },
  trims: readonly Trim<StoredEntry>[],
): Given | undefined {
  const { session, stamp, memory } = change;
  const policy = session.fields.memoryPolicy;
  if (memory === undefined || policy === undefined) return undefined;
  const { side, turn } = memory;
  const promoting = session.fields.policy.stages.filter(({ removedTo }) => removedTo === "promote");
  const marked = new Set(promoting.map(({ name }) => name));
  const left = leftMessages(trims, marked);
  if (left.length === 0 && turn === undefined) return undefined;
  const part = turn === undefined ? {} : { turn };
  return giveToMemory(context, { session, policy, stamp, side, left, ...part });
}

/** The messages of the log that trims take out, by rising seq; `marked` are stages that promote. */
function leftMessages(
  trims: readonly Trim<StoredEntry>[],
  marked: ReadonlySet<string>,
): readonly LeftMessage[] {
  const left = new Map<number, LeftMessage>();
  for (const { stage, removed, discarded } of trims) {
    for (const message of removed.filter(isInLog)) {
      const before = left.get(message.seq);
      left.set(message.seq, {
        message,
        isErased: discarded || before?.isErased === true,
        isMarked: marked.has(stage) || before?.isMarked === true,
      });
    }
  }
  return [...left.values()].sort((a, b) => a.message.seq - b.message.seq);
}
