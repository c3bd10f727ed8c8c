// Revisions: the numbers of the changes of a namespace, as callers know them.
//
// The engine itself numbers all changes of the store in one order, that of their commits: events
// stand under commit numbers, and upkeep drops the oldest of them whatever their namespace. Callers
// see none of that. A namespace counts its own changes, one by one, and the index leads from a
// revision to the commit that has its events.
//
// In formats 1 and 2 the commit number was the revision. The identity of a store that was written
// then keeps where that counting ended, its base. Every namespace goes on from there, so that
// revisions, resume tokens and consumers of before stay what they were, no revision is given twice,
// and nothing needs to be rewritten. Up to the base a namespace has gaps.

import { comparePositions, type EventPosition, STREAM_START } from "../../domain/event.ts";
import type { NewEvent, StreamPositions } from "../store.ts";
import { decodeNamespace, decodeNumber, encodeNamespace, encodeNumber } from "./codec.ts";
import { type Core, readIndex } from "./core.ts";
import { namespaceKey, revisionKey } from "./keys.ts";
import type { Visibility } from "./memtable.ts";

/** The base of a new store. */
export const NO_BASE: StreamPositions = { newest: STREAM_START, oldest: STREAM_START };

type Parts = Pick<Core, "base" | "env" | "memtable">;

function readPositions(core: Parts, namespace: string, visibility: Visibility): StreamPositions {
  return readIndex(core, namespaceKey(namespace), visibility, decodeNamespace) ?? core.base;
}

/** Where the events of a namespace begin and end. */
export function positionsOf(core: Parts, namespace: string): StreamPositions {
  return {
    newest: readPositions(core, namespace, "committed").newest,
    // Readers are told at once: what is being removed must not look like a gap.
    oldest: readPositions(core, namespace, "pending").oldest,
  };
}

/** The revision that the next change of a namespace gets. */
export function nextRevision(core: Parts, namespace: string): number {
  return readPositions(core, namespace, "pending").newest.revision + 1;
}

/** The newest revision of a namespace, durable or not. */
export function newestRevision(core: Parts, namespace: string): number {
  return readPositions(core, namespace, "pending").newest.revision;
}

/** The number of the commit that has the events of a revision above the base. */
export function commitOf(core: Parts, namespace: string, revision: number): number | undefined {
  return readIndex(core, revisionKey(namespace, revision), "committed", decodeNumber);
}

/** Adds the events of a change of one namespace, under its next revision. */
export function putEvents(core: Core, namespace: string, events: readonly NewEvent[]): void {
  const { memtable, writer } = core;
  const revision = nextRevision(core, namespace);
  const { oldest } = readPositions(core, namespace, "pending");
  const commitNo = writer.putEvents(revision, events);
  const newest = { revision, index: events.length - 1 };
  const key = namespaceKey(namespace);
  memtable.set(key, encodeNamespace(key, { newest, oldest }));
  const at = revisionKey(namespace, revision);
  memtable.set(at, encodeNumber(at, commitNo));
}

/** Forgets the revisions of a namespace up to a position, whose events are being removed. */
export function dropRevisions(
  core: Core,
  namespace: string,
  dropped: readonly EventPosition[],
): void {
  const { base, memtable } = core;
  for (const { revision } of dropped) {
    if (revision > base.newest.revision) {
      memtable.set(revisionKey(namespace, revision), null);
    }
  }
  const oldest = dropped.at(-1);
  const positions = readPositions(core, namespace, "pending");
  if (oldest !== undefined && comparePositions(oldest, positions.oldest) > 0) {
    const key = namespaceKey(namespace);
    memtable.set(key, encodeNamespace(key, { ...positions, oldest }));
  }
}
