// When the watchers are woken. Giving an event to a hundred watchers costs more than the call that
// made it, and most of that is per answer, not per event. So the first event after a pause wakes
// them at once, and while calls run the next waking comes only when a few times as long has passed
// as the last one took: what comes meanwhile goes out in one answer.

/**
 * Ratio of the pause after waking to the time that waking took. The measured time is the work in
 * JavaScript; the sockets, their callbacks and the garbage of an answer cost about twice that.
 */
const PAUSE_FACTOR = 12;
/** The longest pause, whatever waking took. */
const PAUSE_MS_MAX = 50;

/** The time of the process, so that tests can bring their own. */
export interface PacerTime {
  readonly nowMs: () => number;
  /** Calls back after a time. Returns how to cancel. */
  readonly later: (callback: () => void, ms: number) => () => void;
  /** Calls back when everything that is ready to run now has run. */
  readonly settled: (callback: () => void) => void;
}

const PROCESS_TIME: PacerTime = {
  nowMs: () => performance.now(),
  later: (callback, ms) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  // A tick that a microtask asks for comes when no microtask is left; that is when the watchers
  // have written, because nothing on their way waits for anything but other microtasks.
  settled: (callback) => queueMicrotask(() => process.nextTick(callback)),
};

/** Decides when to wake, so that waking takes a bounded share of the time while it is asked for. */
export class WakePacer {
  readonly #wake: () => void;
  readonly #time: PacerTime;
  #state: "idle" | "waking" | "waiting" = "idle";
  #wanted = false;
  #nextMs = 0;
  #cancel: () => void = () => {};

  constructor(wake: () => void, time: PacerTime = PROCESS_TIME) {
    this.#wake = wake;
    this.#time = time;
  }

  /** Wakes at once, or when the pause after the last time is over. */
  ask(): void {
    if (this.#state !== "idle") {
      this.#wanted = true;
      return;
    }
    const left = this.#nextMs - this.#time.nowMs();
    if (left <= 0) {
      this.#run();
      return;
    }
    this.#state = "waiting";
    this.#cancel = this.#time.later(() => this.#run(), left);
  }

  /** Wakes no more. */
  stop(): void {
    this.#cancel();
    this.#state = "waiting";
  }

  #run(): void {
    this.#state = "waking";
    this.#wanted = false;
    const startMs = this.#time.nowMs();
    this.#wake();
    this.#time.settled(() => {
      if (this.#state !== "waking") return;
      const nowMs = this.#time.nowMs();
      this.#nextMs = nowMs + Math.min(PAUSE_MS_MAX, (nowMs - startMs) * PAUSE_FACTOR);
      this.#state = "idle";
      if (this.#wanted) this.ask();
    });
  }
}
