// Etags: opaque to callers. Made of the revision that last changed what they stand for, so that two
// states never share one.

/** The etag of a state that a revision made. */
export function etagOf(revision: number): string {
  return `r${revision.toString(36)}`;
}

/** Whether an etag from a request allows a change; an empty one always does. */
export function etagAllows(given: string, revision: number): boolean {
  return given === "" || given === etagOf(revision);
}

/** The revision that an etag from a request names; undefined when it is none of ours. */
export function revisionOfEtag(given: string): number | undefined {
  const revision = Number.parseInt(given.slice(1), 36);
  return Number.isSafeInteger(revision) && given === etagOf(revision) ? revision : undefined;
}
