// Which journal records exist: from the oldest that is still needed to the newest.

const REMOVALS_MAX = 1_024;
// A store that changes few keys over and over has little to flush, yet every change has a record.
const RECORDS_MAX = 4_096;

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
    const stop = this.removableBefore(oldestDirty);
    const numbers: number[] = [];
    while (this.first < stop && numbers.length < REMOVALS_MAX) {
      numbers.push(this.first++);
    }
    return numbers;
  }

  /** So many records are kept that their keys must be flushed, however few these are. */
  get isLong(): boolean {
    return this.committedNo - this.first >= RECORDS_MAX;
  }

  /**
   * The oldest record that is needed, or is kept only because no more could be removed at once. 0
   * when there is none but the newest.
   */
  oldestKept(oldestDirty: number): number {
    return this.first < this.removableBefore(oldestDirty) ? this.first : oldestDirty;
  }

  private removableBefore(oldestDirty: number): number {
    return oldestDirty === 0 ? this.committedNo : Math.min(oldestDirty, this.committedNo);
  }
}
