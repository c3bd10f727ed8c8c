// How much a hook for vectors or orders may take in an hour for one namespace, as its settings say.
// Counted since the server started.

import type { HookSettings } from "../hook-port.ts";

const HOUR_MS = 3_600_000;
const CHARS_PER_TOKEN = 4;
/** Namespaces whose hour is remembered. */
const NAMESPACES_MAX = 10_000;

/** What a namespace took in an hour. */
interface Taken {
  hour: number;
  calls: number;
  tokens: number;
}

/** Counts calls and tokens by namespace. */
export class HourBudget {
  readonly #settings: Pick<HookSettings, "callsPerHour" | "tokensPerHour">;
  readonly #taken = new Map<string, Taken>();

  constructor(settings: Pick<HookSettings, "callsPerHour" | "tokensPerHour">) {
    this.#settings = settings;
  }

  /** Counts a call with these texts if it may go out; false when the hour is used up. */
  take(namespace: string, texts: readonly string[], nowMs: number): boolean {
    const { callsPerHour, tokensPerHour } = this.#settings;
    const taken = this.#of(namespace, Math.floor(nowMs / HOUR_MS));
    if (callsPerHour > 0 && taken.calls >= callsPerHour) return false;
    if (tokensPerHour > 0 && taken.tokens >= tokensPerHour) return false;
    taken.calls += 1;
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    taken.tokens += Math.ceil(chars / CHARS_PER_TOKEN);
    return true;
  }

  /** What a namespace took in this hour. */
  used(namespace: string, nowMs: number): Readonly<Omit<Taken, "hour">> {
    const taken = this.#taken.get(namespace);
    return taken?.hour === Math.floor(nowMs / HOUR_MS) ? taken : { calls: 0, tokens: 0 };
  }

  #of(namespace: string, hour: number): Taken {
    let taken = this.#taken.get(namespace);
    if (taken?.hour === hour) return taken;
    if (this.#taken.size >= NAMESPACES_MAX) this.#taken.clear();
    taken = { hour, calls: 0, tokens: 0 };
    this.#taken.set(namespace, taken);
    return taken;
  }
}
