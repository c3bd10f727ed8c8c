// Wire forms that several features share.

import type * as wireFilter from "../gen/memorysidecar/v1/filter.ts";
import * as wire from "../gen/memorysidecar/v1/memory.ts";
import type { ToolOutcome } from "../gen/memorysidecar/v1/message.ts";
import { numbersByWord, wordsByNumber } from "../grpc/enums.ts";
import {
  type MemoryKind,
  type MemoryOrigin,
  type MemoryScope,
  SHARED_SCOPE,
} from "../memory/rules/memory.ts";
import { type ScopeFilter, SHARED_RECORDS } from "../memory/rules/scopes.ts";
import type { ListTotal } from "../store/store.ts";
import type { ToolOutcome as Outcome } from "../window/rules/types.ts";

/** Gives the signals of a checked request. */
export function fromSignals(request: {
  readonly modelInputTokens?: bigint | undefined;
  readonly toolOutcomes: readonly ToolOutcome[];
}): { readonly modelInputTokens?: number; readonly toolOutcomes: readonly Outcome[] } {
  const { modelInputTokens, toolOutcomes } = request;
  return {
    ...(modelInputTokens === undefined ? {} : { modelInputTokens: Number(modelInputTokens) }),
    toolOutcomes: toolOutcomes.map(({ tool, error }) => ({ tool, error })),
  };
}

/** Gives the public form of a count. */
export function toListTotal({ count, isAtLeast }: ListTotal): wireFilter.ListTotal {
  return { count: BigInt(count), atLeast: isAtLeast };
}

// Enums of long-term memory.

const KINDS = numbersByWord(wire.MemoryKind);
const KIND_NAMES = wordsByNumber(wire.MemoryKind, "fact");
const ORIGINS = numbersByWord(wire.MemoryOrigin);
const ORIGIN_NAMES = wordsByNumber(wire.MemoryOrigin, undefined);

/** The public number of a kind. */
export function toMemoryKind(kind: MemoryKind): wire.MemoryKind {
  return KINDS[kind];
}

/** The kind that a number stands for: none is a fact. */
export function fromMemoryKind(kind: wire.MemoryKind): MemoryKind {
  return KIND_NAMES[kind] ?? "fact";
}

/** The public number of how a memory came. */
export function toMemoryOrigin(origin: MemoryOrigin): wire.MemoryOrigin {
  return ORIGINS[origin];
}

/** Converts provenances of memories from their numbers; undefined for none, which means any. */
export function fromMemoryOrigin(origin: wire.MemoryOrigin): MemoryOrigin | undefined {
  return ORIGIN_NAMES[origin];
}

// Scopes of memories and documents.

/** Gives a checked scope; unset means everybody's. */
export function fromMemoryScope(scope: wire.MemoryScope | undefined): MemoryScope {
  if (scope === undefined) return SHARED_SCOPE;
  const { userId = "", agentId = "", sessionId = "" } = scope;
  return { userId, agentId, sessionId };
}

/** Writes a scope; undefined for the shared one. */
export function toMemoryScope(scope: MemoryScope): wire.MemoryScope | undefined {
  const { userId, agentId, sessionId } = scope;
  if (userId === "" && agentId === "" && sessionId === "") return undefined;
  const member = (id: string) => (id === "" ? undefined : id);
  return { userId: member(userId), agentId: member(agentId), sessionId: member(sessionId) };
}

/** Gives whose records a checked filter means; unset means those that everybody shares. */
export function fromScopeFilter(filter: wire.ScopeFilter | undefined): ScopeFilter {
  const choice = filter?.scope;
  switch (choice?.$case) {
    case "visibleTo":
      return { kind: "visible-to", scope: fromMemoryScope(choice.value) };
    case "exact":
      return { kind: "exact", scope: fromMemoryScope(choice.value) };
    case "ownedBy":
      return { kind: "owned-by", scope: fromMemoryScope(choice.value) };
    case "everyone":
      return { kind: "everyone" };
    case undefined:
      return SHARED_RECORDS;
  }
}
