// The filters of recall in domain terms: the public RecallFilter without its wire form.

import type { MemoryKind } from "../../memory/rules/memory.ts";
import { EVERYONE, type ScopeFilter } from "../../memory/rules/scopes.ts";
import type { Trust } from "../../summary/rules/summary.ts";
import type { Role } from "../../window/rules/types.ts";

/** A kind of record that recall finds. */
export type RecallKind = "message" | "document" | "memory";

/** A value in metadata that a condition can test. */
export type Scalar = string | number | boolean | null;

/**
 * The metadata of a record, flat: each path with its scalars. A dot goes into an inner object; a
 * list gives all of its scalars; objects and lists inside lists are left out. An object has its
 * path too, with no scalars: there is a value. Where a key holds a dot, the longest key that fits
 * is meant. Paths longer than LIMITS.metadataPathBytes are left out.
 */
export type FlatMetadata = ReadonlyMap<string, readonly Scalar[]>;

/** A test of the values of a record in one place. */
export type ValueTest =
  /** One of the values is one of these, type and all. */
  | { readonly kind: "one-of"; readonly values: readonly Scalar[] }
  /** One of the values is a number in this range. `max` is included, `lessThan` is not. */
  | {
      readonly kind: "range";
      readonly min?: number | undefined;
      readonly max?: number | undefined;
      readonly lessThan?: number | undefined;
    }
  | { readonly kind: "exists"; readonly exists: boolean }
  | TextTest;

/** One of the values is a text like this. Texts are compared by the bytes of their UTF-8. */
export type TextTest =
  | { readonly kind: "starts-with"; readonly text: string }
  | { readonly kind: "contains"; readonly text: string }
  /** `max` is included, `lessThan` is not. */
  | {
      readonly kind: "text-range";
      readonly min?: string | undefined;
      readonly max?: string | undefined;
      readonly lessThan?: string | undefined;
    };

/** The parts of a record that conditions test. */
export interface Described {
  readonly labels: ReadonlyMap<string, string>;
  readonly metadata: FlatMetadata;
}

/**
 * A condition on what describes a record: a test of its metadata at a path or of a label, or all,
 * any or none of several conditions, at least one.
 */
export type MetadataCondition =
  | { readonly path: string; readonly test: ValueTest }
  | { readonly label: string; readonly test: ValueTest }
  | { readonly of: "all" | "any" | "none"; readonly conditions: readonly MetadataCondition[] };

/** Selects the records of a recall. Everything that is set must hold; empty means any. */
export interface RecallFilter {
  readonly kinds: ReadonlySet<RecallKind>;
  readonly sessionIds: readonly string[];
  readonly excludeSessionIds: readonly string[];
  /** Only sessions whose id begins so. */
  readonly sessionIdPrefix?: string;
  /** Whose records are found; of messages see `sessionPasses`. */
  readonly scope: ScopeFilter;
  readonly sessionLabels: ReadonlyMap<string, string>;
  /** Empty means every role: the default of the contract is filled in at the edge. */
  readonly roles: ReadonlySet<Role>;
  readonly collectionIds: readonly string[];
  /** Collections below them are meant as well. Default false. */
  readonly isRecursive?: boolean;
  readonly labels: ReadonlyMap<string, string>;
  readonly metadata: readonly MetadataCondition[];
  readonly fromMs: number | undefined;
  readonly beforeMs: number | undefined;
  readonly minTrust: Trust | undefined;
  /** Chunks of this document, and the document itself; empty means any. */
  readonly sourceDocumentId: string;
  /** Empty means any, as for categories (in lower case). */
  readonly memoryKinds: ReadonlySet<MemoryKind>;
  readonly categories: ReadonlySet<string>;
  /**
   * `now`: active memories that are true at the query's reference time. `active`: those, whenever
   * they are true. `any`: all. A number: what was true at this time, superseded ones too.
   */
  readonly validity: "now" | "active" | "any" | number;
  readonly minConfidence: number | undefined;
}

/** Selects every record that the query's reference time allows. */
export const ANY_RECORD: RecallFilter = {
  kinds: new Set(),
  sessionIds: [],
  excludeSessionIds: [],
  scope: EVERYONE,
  sessionLabels: new Map(),
  roles: new Set(),
  collectionIds: [],
  labels: new Map(),
  metadata: [],
  fromMs: undefined,
  beforeMs: undefined,
  minTrust: undefined,
  sourceDocumentId: "",
  memoryKinds: new Set(),
  categories: new Set(),
  validity: "now",
  minConfidence: undefined,
};
