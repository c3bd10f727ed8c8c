// In which order the questions to the index's thread are sent. Those about one namespace go in the
// order in which they were asked, so that a search sees what was applied before it. Namespaces take
// turns, and those in which somebody waits for an answer come first: so a search waits for nothing
// but the changes of its own namespace.

/** A question that waits. */
export interface Job {
  readonly namespace: string;
  /** How much work it is, in bytes; 0 for what somebody waits for. */
  readonly bytes: number;
}

interface Lane<T> {
  readonly namespace: string;
  jobs: T[];
  /** The first of `jobs` that was not sent. */
  next: number;
  urgent: number;
}

/** Jobs that were taken are let go of when there are so many. */
const TAKEN_MAX = 64;

/** The jobs of all namespaces. */
export class Lanes<T extends Job> {
  /** Namespaces with jobs, the one whose turn is next first. */
  private readonly lanes = new Map<string, Lane<T>>();
  private readonly urgent = new Set<Lane<T>>();

  add(job: T): void {
    const { namespace } = job;
    let lane = this.lanes.get(namespace);
    if (lane === undefined) {
      lane = { namespace, jobs: [], next: 0, urgent: 0 };
      this.lanes.set(namespace, lane);
    }
    lane.jobs.push(job);
    if (job.bytes > 0) return;
    lane.urgent += 1;
    this.urgent.add(lane);
  }

  /**
   * Takes the next job if it is of at most so many bytes. While somebody waits, only the namespaces
   * in which somebody does have a turn; a large job is not passed over for smaller ones forever.
   */
  take(bytes: number): T | undefined {
    const [first] = this.lanes.values();
    const lanes = this.urgent.size > 0 ? this.urgent : first === undefined ? [] : [first];
    for (const lane of lanes) {
      const job = lane.jobs[lane.next];
      if (job !== undefined && job.bytes <= bytes) return this.taken(lane, job);
    }
    return undefined;
  }

  /** Takes every job. */
  clear(): T[] {
    const all = [...this.lanes.values()].flatMap(({ jobs, next }) => jobs.slice(next));
    this.lanes.clear();
    this.urgent.clear();
    return all;
  }

  private taken(lane: Lane<T>, job: T): T {
    lane.next += 1;
    if (job.bytes === 0) lane.urgent -= 1;
    if (lane.urgent === 0) this.urgent.delete(lane);
    if (lane.next >= TAKEN_MAX) {
      lane.jobs = lane.jobs.slice(lane.next);
      lane.next = 0;
    }
    this.lanes.delete(lane.namespace);
    if (lane.next < lane.jobs.length) this.lanes.set(lane.namespace, lane);
    return job;
  }
}
