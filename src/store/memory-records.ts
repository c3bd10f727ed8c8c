// Long-term memories, their former states, and the jobs that make them, as the store keeps them.

import type { MemoryJob, MemoryJobType } from "../memory/rules/job.ts";
import type { MemoryLookup } from "../memory/rules/lookup.ts";
import type { Memory, MemoryKind, MemoryScope, MemoryTier } from "../memory/rules/memory.ts";
import type { Owner, SessionRef } from "../session/rules/session.ts";
import type { ErasureProgress } from "./erasure-records.ts";
import type { NewEvent, StoredReply } from "./stored.ts";

/** Entities of one scope that a name finds: a name that is given to more tells nothing. */
export const NAMESAKES_MAX = 64;

/** A scope that holds memories. */
export interface StoredScope {
  /** 32 hexadecimal digits, made of the scope: the same in every namespace. */
  readonly scopeId: string;
  readonly scope: MemoryScope;
  /** Number of memories, in any state. */
  readonly memoryCount: number;
  readonly updateMs: number;
}

/**
 * Reads of memories inside a decide function: of the state before its change. Each is read when it
 * is asked for, and costs nothing else.
 */
export type MemoryReads = MemoryLookup;

/** A change of memories of one namespace, as part of a plan. */
export interface MemoryPlan {
  /**
   * New memories, with the numbers from `nextMemoryNo` on in their order, and new states of old
   * ones. A state with the revision number of the stored one takes its place (only strength, state
   * of decay, source and etag may differ then); one with the next number keeps the stored one as a
   * revision.
   */
  readonly put?: readonly Memory[];
  /**
   * Ids of memories that are deleted with all their states, before `put` is saved. One of them is
   * among `put` only as a new memory, which takes the id of one whose time has run out.
   */
  readonly remove?: readonly string[];
  /**
   * Marks of texts that were promoted, by scope. At most 100,000 are kept in a scope, the newest.
   */
  readonly promoted?: readonly { readonly scope: MemoryScope; readonly promotionKey: string }[];
  /**
   * The marks with one of these parts go, before `promoted` is saved; see hasPromotionPart. `keys`:
   * only those of texts with these keys, so that no others are looked at.
   */
  readonly unpromoted?: readonly {
    readonly scope: MemoryScope;
    readonly parts: readonly string[];
    readonly keys?: readonly string[];
  }[];
}

/** A change of memories. */
export interface MemoryChange {
  readonly namespace: string;
  readonly requestId?: string;
  /** Lets the change through when the disk is below its floor, because it frees space. */
  readonly allowWhenFull?: boolean;
}

/** The view for the decide function of such a change. */
export interface MemoryView {
  /** The revision the change will have if it is saved. */
  readonly revision: number;
  readonly memories: MemoryReads;
  /** The owner of a session of the namespace; undefined when there is no such session. */
  readonly ownerOf: (sessionId: string) => Owner | undefined;
  readonly reply: StoredReply | undefined;
}

/** The decision. Saved in one transaction or not at all. */
export type MemoryDecision<T> =
  | { readonly kind: "answer"; readonly result: T; readonly reply?: StoredReply }
  | {
      readonly kind: "save";
      readonly result: T;
      readonly plan: MemoryPlan & {
        readonly nowMs: number;
        /** At least one, in order. */
        readonly events: readonly NewEvent[];
        readonly reply?: StoredReply;
        readonly erasure?: ErasureProgress;
      };
    };

/** Asks for memories by rising or falling number. */
export interface MemoryQuery {
  readonly namespace: string;
  /**
   * Only this scope, of it only memories of these kinds (default: every kind), or every scope of
   * this user. Default: the whole namespace.
   */
  readonly within?:
    | {
        readonly kind: "scope";
        readonly scope: MemoryScope;
        readonly kinds?: ReadonlySet<MemoryKind>;
      }
    | { readonly kind: "user"; readonly userId: string };
  readonly order: "asc" | "desc";
  /** Goes on after this number, in the order of the query. Default: from the start. */
  readonly after?: number;
  readonly limit: number;
  /**
   * Gives the states that were current at this time, of memories that still exist: those that were
   * not yet remembered then are left out. Default: the current states.
   */
  readonly asOfMs?: number;
}

export interface MemoryPage {
  /** Those whose time has run out are among them. */
  readonly memories: readonly Memory[];
  /** Goes on after this number; undefined at the end. May be set although `memories` is empty. */
  readonly next: number | undefined;
}

/** Asks for memories of one scope and tier by rank. */
export interface RankedQuery {
  readonly namespace: string;
  readonly scope: MemoryScope;
  readonly tier: MemoryTier;
  /** By rank, then by number: `desc` gives high ranks first, of equal ones low numbers first. */
  readonly order: "asc" | "desc";
  readonly limit: number;
}

/** Asks for relations of one scope that touch names; see QueryRelations. */
export interface RelationQuery {
  readonly namespace: string;
  readonly scope: MemoryScope;
  /** Name keys; relations that have one of them in this place. */
  readonly names: readonly string[];
  readonly place: "subject" | "object";
  readonly limit: number;
  /** Goes on after this number. */
  readonly after?: number;
}

/** A job with the session that waits for it. */
export interface StoredMemoryJob {
  readonly ref: SessionRef;
  readonly job: MemoryJob;
}

/** Changes of the jobs of a session, as part of its plan. Undefined removes one. */
export interface MemoryJobPlan {
  readonly put: readonly {
    readonly type: MemoryJobType;
    readonly job: MemoryJob | undefined;
  }[];
}

/** The calls on memories; part of Store. */
export interface MemoryStore {
  changeMemories<T>(
    change: MemoryChange,
    decide: (view: MemoryView) => MemoryDecision<T>,
  ): Promise<T>;
  /** Also one whose time has run out. */
  readMemory(namespace: string, memoryId: string): Promise<Memory | undefined>;
  /** By its number; also one whose time has run out. */
  readMemoryAt(namespace: string, memoryNo: number): Promise<Memory | undefined>;
  /** By their ids; those that do not exist are left out. At most 1,000. */
  readMemories(
    namespace: string,
    memoryIds: readonly string[],
  ): Promise<ReadonlyMap<string, Memory>>;
  /** Ends a page before its limit when it has many bytes. */
  listMemories(query: MemoryQuery): Promise<MemoryPage>;
  /**
   * Active entities by name or alias, in this order of scopes and names; at most 1,000 names. Of
   * those with one name in one scope the first NAMESAKES_MAX.
   */
  readEntities(
    namespace: string,
    scopes: readonly MemoryScope[],
    nameKeys: readonly string[],
  ): Promise<readonly Memory[]>;
  rankedMemories(query: RankedQuery): Promise<readonly Memory[]>;
  /** Active relations, oldest first. */
  queryRelations(query: RelationQuery): Promise<readonly Memory[]>;
  /**
   * The states that a memory has had, the current one first. `before`: goes on below this revision
   * number. Empty when there is no such memory.
   */
  listMemoryVersions(
    namespace: string,
    memoryId: string,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<readonly Memory[]>;
  /** The scopes that hold memories, by scope id, after the one given. */
  listMemoryScopes(
    namespace: string,
    after: string,
    limit: number,
  ): Promise<readonly StoredScope[]>;
  /** Undefined when it holds nothing. */
  readMemoryScope(namespace: string, scopeId: string): Promise<StoredScope | undefined>;
  /** Namespaces that hold memories, by name, after the one given. */
  listMemoryNamespaces(after: string, limit: number): Promise<readonly string[]>;
  /** Memories whose time has run out; at most `limit`. */
  expiredMemories(
    nowMs: number,
    limit: number,
  ): Promise<readonly { readonly namespace: string; readonly memoryId: string }[]>;
  /** Jobs that are due, the longest due first; of sessions that may be gone. */
  dueMemoryJobs(nowMs: number, limit: number): Promise<readonly StoredMemoryJob[]>;
  /** When the next job is due that is not due now; undefined when there is none. */
  nextMemoryJobMs(nowMs: number): Promise<number | undefined>;
  /** By rising task number, after the one given. */
  listMemoryJobs(
    namespace: string,
    after: number,
    limit: number,
  ): Promise<readonly StoredMemoryJob[]>;
  /** By its task number. */
  readMemoryJob(namespace: string, taskNo: number): Promise<StoredMemoryJob | undefined>;
  /** Those of one session. */
  readMemoryJobs(ref: SessionRef): Promise<readonly MemoryJob[]>;
}
