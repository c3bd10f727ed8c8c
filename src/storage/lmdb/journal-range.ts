// Which journal records exist: from the oldest that is still needed to the newest.

const REMOVALS_MAX = 1_024;

/** The numbers of the journal records. */
export class JournalRange {
  private first: number;
  private nextNo: number;
  private committedNo: number;

  constructor(first: number, next: number) {
    this.first = first;
    this.nextNo = next;
    this.committedNo = next - 1;
  }

  /** The number of the next record. */
  get next(): number {
    return this.nextNo;
  }

  /** The newest durable record. */
  get committed(): number {
    return this.committedNo;
  }

  /** Takes numbers for new records. */
  take(count: number): void {
    this.nextNo += count;
  }

  commit(lastNo: number): void {
    this.committedNo = lastNo;
  }

  /**
   * Takes out the records that are not needed once everything before `oldestDirty` is flushed (0:
   * once everything is). The newest durable one always stays, because it holds the counters.
   */
  takeRemovable(oldestDirty: number): number[] {
    const stop = oldestDirty === 0 ? this.committedNo : Math.min(oldestDirty, this.committedNo);
    const numbers: number[] = [];
    while (this.first < stop && numbers.length < REMOVALS_MAX) {
      numbers.push(this.first++);
    }
    return numbers;
  }
}
