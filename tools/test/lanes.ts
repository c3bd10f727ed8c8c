// Runs the stages of `npm test` side by side.

/** A stage that is ready to run. */
export interface Job {
  readonly name: string;
  /** Only one job of a group runs at a time. */
  readonly group?: string;
  readonly run: () => Promise<void>;
}

/**
 * Runs jobs in so many lanes: each lane takes the first job whose group has none under way. One
 * that throws is told of, and the others run all the same.
 */
export async function runInLanes(
  jobs: readonly Job[],
  lanes: number,
  onFailure: (name: string, error: unknown) => void,
): Promise<void> {
  const waiting = [...jobs];
  const busy = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const runOne = async (job: Job): Promise<void> => {
    try {
      await job.run();
    } catch (error) {
      onFailure(job.name, error);
    }
  };
  for (;;) {
    const at = waiting.findIndex(({ group }) => group === undefined || !busy.has(group));
    const [job] = underWay.size < lanes && at >= 0 ? waiting.splice(at, 1) : [];
    if (job !== undefined) {
      const { group } = job;
      if (group !== undefined) busy.add(group);
      const running = runOne(job).finally(() => {
        underWay.delete(running);
        if (group !== undefined) busy.delete(group);
      });
      underWay.add(running);
    } else if (underWay.size > 0) await Promise.race(underWay);
    else return;
  }
}
