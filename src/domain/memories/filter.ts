// Which memories a call means.

import type { MetadataCondition } from "../recall/filter.ts";
import type { Trust } from "../summaries/summary.ts";
import type { Memory, MemoryKind, MemoryOrigin } from "./memory.ts";
import type { ScopeFilter } from "./scopes.ts";

/** Which memories are meant; see memorysidecar.v1.MemoryFilter. Empty and undefined mean any. */
export interface MemoryFilter {
  readonly scope: ScopeFilter;
  readonly kinds: ReadonlySet<MemoryKind>;
  /** Empty means active ones, or with `validAtMs` both; PurgeMemories fills in both. */
  readonly states: ReadonlySet<Memory["state"]>;
  /** In lower case, as are topics. */
  readonly categories: ReadonlySet<string>;
  readonly topics: ReadonlySet<string>;
  readonly key: string;
  readonly textContains: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly metadata: readonly MetadataCondition[];
  readonly minImportance: number;
  readonly minConfidence: number;
  readonly minTrust: Trust | undefined;
  readonly persistent: boolean | undefined;
  readonly validAtMs: number | undefined;
  readonly createFromMs: number | undefined;
  readonly createBeforeMs: number | undefined;
  readonly seenFromMs: number | undefined;
  readonly seenBeforeMs: number | undefined;
  readonly sourceSessionId: string;
  readonly origin: MemoryOrigin | undefined;
}
