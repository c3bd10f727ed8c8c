// Ids of collections as paths: segments divided by `/`.

/** Divides the segments of an id. */
export const DIVIDER = "/";

/** Number of segments of an id; 0 for the empty one. */
export function depthOf(collectionId: string): number {
  return collectionId === "" ? 0 : collectionId.split(DIVIDER).length;
}

/** The id of the first segments of an id. */
export function firstSegments(collectionId: string, count: number): string {
  return collectionId.split(DIVIDER).slice(0, count).join(DIVIDER);
}

/**
 * A text whose order is that of collections: by segments, so that a collection comes directly
 * before those below it. No id holds a control character.
 */
export function collectionOrder(collectionId: string): string {
  return collectionId.replaceAll(DIVIDER, "\0");
}

/** The id that a text of `collectionOrder` stands for. */
export function collectionOf(order: string): string {
  return order.replaceAll("\0", DIVIDER);
}

/** Whether a collection is one of these, or is below one of them. */
export function isWithin(collectionId: string, roots: ReadonlySet<string>): boolean {
  if (roots.has(collectionId)) return true;
  for (let at = collectionId.indexOf(DIVIDER); at !== -1; ) {
    if (roots.has(collectionId.slice(0, at))) return true;
    at = collectionId.indexOf(DIVIDER, at + 1);
  }
  return false;
}
