// Which kind of record a container holds, and how it is read.

import type { RecallKind } from "../domain/recall/filter.ts";
import type { ContainerRef, IndexCodec, IndexedRecord } from "./port.ts";

/** What each kind of container holds. */
export const KINDS = {
  session: "message",
  collection: "document",
  scope: "memory",
} as const satisfies Readonly<Record<ContainerRef["kind"], RecallKind>>;

/** Reads the wire form of a record. */
export function readRecord(codec: IndexCodec, kind: RecallKind, bytes: Uint8Array): IndexedRecord {
  if (kind === "message") return codec.readMessage(bytes);
  return kind === "document" ? codec.readDocument(bytes) : codec.readMemory(bytes);
}
