// A text that a search may take quadratic time over: nearly every place of it looks for long as if
// the part began there.

/** A part that `nearMisses` texts do not hold, of an odd number of characters. */
export function missedPart(chars: number): string {
  const half = "a".repeat((chars - 1) / 2);
  return `${half}b${half}`;
}

/** A text of this many characters. */
export function nearMisses(chars: number): string {
  // Read from bytes, so that it is not made of pieces.
  return Buffer.alloc(chars, "a").toString("latin1");
}

/** The processor time that something takes, in milliseconds: other processes do not count. */
export function cpuMsOf(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
