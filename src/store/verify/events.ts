// Checks the events: that none is missing in the order of the commits, that each namespace has all
// of its own, and that the index leads from every revision to its events.

import { unseal } from "../engine/envelope.ts";
import type { Environment } from "../engine/environment.ts";
import type { Problems } from "../engine/problems.ts";
import type { StreamPositions } from "../store.ts";
import {
  CONSUMER,
  DROPPED,
  decodeEvent,
  NAMESPACE,
  REVISION,
  readEventKey,
} from "../tables/event-tables.ts";
import { describeKey, type IndexView, scan } from "./view.ts";

/** The parts that the check shares. */
export interface EventCheck {
  readonly env: Environment;
  readonly view: IndexView;
  readonly problems: Problems;
  /** The newest commit that has events. */
  readonly commitNo: number;
  readonly base: StreamPositions;
}

/** Checks everything about events; gives the number of events. */
export function checkEvents(check: EventCheck): number {
  return new EventsCheck(check).run();
}

/** Gives the newest revision of a namespace. */
export function newestRevisionIn(view: IndexView, base: StreamPositions) {
  return (namespace: string): number => (view.read(NAMESPACE, namespace) ?? base).newest.revision;
}

class EventsCheck {
  readonly #check: EventCheck;
  /** The newest revision of each namespace that was seen, above the base. */
  readonly #seen = new Map<string, number>();
  #revisions = 0;

  constructor(check: EventCheck) {
    this.#check = check;
  }

  run(): number {
    const { env, problems, view } = this.#check;
    const dropped = view.find(DROPPED.id, CONSUMER.decode)?.position;
    let commitNo = dropped?.revision ?? 0;
    let index = dropped?.index ?? 0;
    let isLast = true;
    let count = 0;
    for (const { key, record } of scan(env.event)) {
      const at = readEventKey(key);
      const follows = isLast
        ? at.commitNo === commitNo + 1 && at.index === 0
        : at.commitNo === commitNo && at.index === index + 1;
      problems.check(follows, "an event is missing", `${commitNo}/${index}`);
      ({ commitNo, index, isLast } = at);
      count++;
      try {
        const event = decodeEvent(unseal(key, record, "event"));
        this.#event(at, event.namespace, event.revision);
      } catch {
        problems.add("an event is damaged", `${commitNo}/${index}`);
      }
    }
    const isWhole = isLast && commitNo === this.#check.commitNo;
    problems.check(isWhole, "an event is missing", `${commitNo}/${index}`);
    this.#namespaces();
    return count;
  }

  #event(
    at: ReturnType<typeof readEventKey>,
    namespace: string,
    revision: number | undefined,
  ): void {
    const { base, problems, view } = this.#check;
    const { commitNo, index } = at;
    const place = `${commitNo}/${index}`;
    if (commitNo <= base.newest.revision) {
      problems.check(revision === undefined, "an event has a wrong revision", place);
      return;
    }
    const positions = view.read(NAMESPACE, namespace) ?? base;
    const first = Math.max(positions.oldest.revision, base.newest.revision);
    const before = this.#seen.get(namespace) ?? first;
    const expected = index === 0 ? before + 1 : before;
    problems.check(revision === expected, "an event has a wrong revision", place);
    if (index === 0) {
      this.#seen.set(namespace, expected);
      this.#revisions++;
      const found = view.read(REVISION, namespace, expected);
      problems.check(found === commitNo, "a revision does not lead to its events", place);
    }
  }

  #namespaces(): void {
    const { base, problems, view } = this.#check;
    const rows = view.count(REVISION.id);
    // Every revision was looked up above: the same number means that none is too many.
    problems.check(rows === this.#revisions, "the revisions of a namespace are wrong", "index");
    for (const { key, parts, record: positions } of view.rows(NAMESPACE)) {
      const [namespace] = parts;
      const newest = Math.max(positions?.oldest.revision ?? 0, base.newest.revision);
      const isWhole = positions?.newest.revision === (this.#seen.get(namespace) ?? newest);
      problems.check(isWhole, "a namespace lacks its newest events", describeKey(key));
      this.#seen.delete(namespace);
    }
    problems.check(this.#seen.size === 0, "a namespace with events is not known", "index");
  }
}
