// Where in the index something changes when documents or memories do: no event tells of it.

import type { MemoryScope } from "../../domain/memories/memory.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { ContainerRef } from "../../recall/port.ts";
import { scopeIdOf } from "../../storage/scope-id.ts";
import type { CollectionRef } from "../../storage/store.ts";
import type { MemoryPlace } from "./watched-store.ts";

/** A container, and what of it may have changed; undefined for all of it. */
export interface ChangedPlace {
  readonly ref: ContainerRef;
  readonly run: SeqRange | undefined;
  /** Whose memories they are. */
  readonly scope?: MemoryScope;
}

/** The places of documents by their numbers. */
export function documentPlaces(
  { collectionId }: CollectionRef,
  numbers: readonly number[] | "all",
): ChangedPlace[] {
  const ref = { kind: "collection", id: collectionId } as const;
  if (numbers === "all") return [{ ref, run: undefined }];
  return numbers.map((number) => ({ ref, run: { first: number, last: number } }));
}

/** The places of memories. */
export function memoryPlaces(places: readonly MemoryPlace[]): ChangedPlace[] {
  return places.map(({ scope, memoryNo }) => ({
    ref: { kind: "scope", id: scopeIdOf(scope) },
    run: { first: memoryNo, last: memoryNo },
    scope,
  }));
}
