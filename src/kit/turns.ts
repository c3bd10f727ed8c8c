// Turns of namespaces. While one calls far more than another, a few of its calls run and the others
// wait: a call of the quiet namespace then shares a commit with a few calls of the flood, not with
// all. A namespace that calls alone, or as much as the others, is not held back.

/** Calls of a namespace that run at one time while it is held back. */
const RUNNING_MAX = 3;
/**
 * Part of a flood that counts as quiet beside it. A flood that is held back makes some four times
 * the calls of a quiet one; a share near that would hold it back in one window and not in the next.
 */
const QUIET_SHARE = 1 / 2;
const WINDOW_MS = 1_000;

interface Turn {
  running: number;
  readonly waiting: (() => void)[];
}

/** Calls that run and calls that wait for their turn, by namespace. */
export class Turns {
  readonly #nowMs: () => number;
  readonly #turns = new Map<string, Turn>();
  /** Calls of each namespace in this window and in the one before. */
  #counts = new Map<string, number>();
  #countsBefore = new Map<string, number>();
  /** Calls of the quietest of several namespaces in the window before. */
  #least = Number.POSITIVE_INFINITY;
  #windowMs = 0;
  #isDraining = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Runs a call now or in its turn; it must end with `end`. */
  start(namespace: string, run: () => void): void {
    this.#look();
    this.#counts.set(namespace, (this.#counts.get(namespace) ?? 0) + 1);
    const turn = this.#turns.get(namespace) ?? { running: 0, waiting: [] };
    this.#turns.set(namespace, turn);
    if (turn.waiting.length > 0 || !this.#mayRun(namespace, turn)) turn.waiting.push(run);
    else {
      turn.running += 1;
      run();
    }
  }

  /** Ends a call that ran. */
  end(namespace: string): void {
    const turn = this.#turns.get(namespace);
    if (turn === undefined) return;
    turn.running -= 1;
    if (turn.waiting.length > 0) this.#drain();
    else if (turn.running === 0) this.#turns.delete(namespace);
  }

  /** Begins a new window when the time of the last one is over. */
  #look(): void {
    const nowMs = this.#nowMs();
    const passedMs = nowMs - this.#windowMs;
    // A clock that was put back begins a new window, too.
    if (passedMs >= 0 && passedMs < WINDOW_MS) return;
    this.#windowMs = nowMs;
    this.#countsBefore = passedMs < 2 * WINDOW_MS ? this.#counts : new Map();
    this.#counts = new Map();
    this.#least = Number.POSITIVE_INFINITY;
    if (this.#countsBefore.size < 2) return;
    for (const count of this.#countsBefore.values()) this.#least = Math.min(this.#least, count);
  }

  #mayRun(namespace: string, { running }: Turn): boolean {
    if (running < RUNNING_MAX) return true;
    const before = this.#countsBefore.get(namespace) ?? 0;
    const calls = Math.max(before, this.#counts.get(namespace) ?? 0);
    return this.#least >= calls * QUIET_SHARE;
  }

  /** Lets calls that wait run, once newcomers have been heard. */
  #drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    setImmediate(() => {
      this.#isDraining = false;
      this.#look();
      for (const [namespace, turn] of this.#turns) {
        while (turn.waiting.length > 0 && this.#mayRun(namespace, turn)) {
          turn.running += 1;
          turn.waiting.shift()?.();
        }
      }
    });
  }
}
