// Which memories a call means, from the wire to the domain.

import type { MemoryFilter } from "../../domain/memories/filter.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { Trust } from "../../domain/summaries/summary.ts";
import type { Timestamp } from "../../gen/google/protobuf/timestamp.ts";
import * as wire from "../../gen/memorysidecar/v1/memory.ts";
import { MemoryState } from "../../gen/memorysidecar/v1/memory.ts";
import { fromMemoryKind, fromMemoryOrigin } from "./memory-enums.ts";
import { fromConditions } from "./recall-filter.ts";
import { fromScopeFilter } from "./scope.ts";
import { floorTimestamp, fromTimestamp } from "./time.ts";

const EMPTY = wire.MemoryFilter.decode(new Uint8Array(0));

function lowered(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.map((text) => text.toLowerCase()));
}

function fromState(state: MemoryState): Memory["state"] {
  return state === MemoryState.SUPERSEDED ? "superseded" : "active";
}

/** The first whole millisecond from a time on. */
function boundOf(time: Timestamp | undefined): number | undefined {
  return time === undefined ? undefined : fromTimestamp(time);
}

/** Gives which memories a checked filter means; unset means the active ones that are shared. */
export function fromMemoryFilter(filter: wire.MemoryFilter = EMPTY): MemoryFilter {
  const { minTrust, validAtTime } = filter;
  return {
    scope: fromScopeFilter(filter.scope),
    kinds: new Set(filter.kinds.map(fromMemoryKind)),
    states: new Set(filter.states.map(fromState)),
    categories: lowered(filter.categories),
    topics: lowered(filter.topics),
    key: filter.key ?? "",
    textContains: filter.textContains ?? "",
    labels: filter.labels,
    metadata: fromConditions(filter.metadata),
    minImportance: filter.minImportance,
    minConfidence: filter.minConfidence,
    minTrust: minTrust === 0 ? undefined : (minTrust as Trust),
    persistent: filter.persistent,
    validAtMs: validAtTime === undefined ? undefined : floorTimestamp(validAtTime),
    createFromMs: boundOf(filter.createTimeFrom),
    createBeforeMs: boundOf(filter.createTimeBefore),
    seenFromMs: boundOf(filter.lastSeenTimeFrom),
    seenBeforeMs: boundOf(filter.lastSeenTimeBefore),
    sourceSessionId: filter.sourceSessionId ?? "",
    origin: fromMemoryOrigin(filter.origin),
  };
}

const BOTH_STATES: ReadonlySet<Memory["state"]> = new Set(["active", "superseded"]);

/** Gives which memories a checked filter means whose unset states mean all of them. */
export function fromWholeFilter(filter: wire.MemoryFilter | undefined): MemoryFilter {
  const given = fromMemoryFilter(filter);
  return given.states.size === 0 ? { ...given, states: BOTH_STATES } : given;
}
