// Expected memories of scopes that are written while the server is killed: the acknowledged state,
// and the one call without an answer, which took effect completely or not at all. It implements the
// rules a second time, in their simplest form.

/** A memory as the account knows it. */
interface Held {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly key: string;
  readonly category: string;
  readonly importance: number;
  readonly mentions: number;
  readonly confidence: number;
  /** The number of the call that superseded it. */
  readonly endedAt: number | undefined;
  /** The number of the call that last said it. */
  readonly seenAt: number;
}

/** A memory as a call gives it; an entity has its name as key. */
export type Said = Pick<Held, "id" | "kind" | "text" | "key" | "category" | "importance">;

/** A call that changes a scope. */
export type MemoryCall =
  | { readonly kind: "turn"; readonly user: string; readonly assistant: string }
  | { readonly kind: "remember"; readonly said: readonly Said[] }
  | { readonly kind: "purge"; readonly category: string }
  | { readonly kind: "forget"; readonly ids: readonly string[] }
  | { readonly kind: "decay"; readonly factor: number; readonly deleteBelow: number };

/** Treatment of what a scope is given. */
interface ScopeRules {
  /**
   * Effect of a turn: promoted texts and episodes, or facts that a job extracts by repeating its
   * text.
   */
  readonly gives: "promotion" | "extraction" | "nothing";
  /** The most of each tier; turns only limit long-term ones. */
  readonly limit: number;
}

interface ScopeState {
  readonly calls: number;
  readonly log: readonly string[];
  readonly promoted: ReadonlySet<string>;
  /** By rising number. */
  readonly held: readonly Held[];
}

const EMPTY: ScopeState = { calls: 0, log: [], promoted: new Set(), held: [] };
const STRUCTURED = ["entity", "relation", "episode"];

/** Importance that the rules of the server give the texts of the load. */
function importanceOf(text: string): number {
  const lower = text.toLowerCase();
  if (lower.startsWith("my name is ")) return 0.9;
  if (lower.startsWith("my wife ")) return 0.85;
  return lower.startsWith("i prefer ") ? 0.75 : 0.3;
}

function newHeld(said: Said, seenAt: number): Held {
  return { ...said, mentions: 1, confidence: 1, endedAt: undefined, seenAt };
}

function saidOf(kind: string, text: string, importance: number): Said {
  return { id: "", kind, text, key: "", category: "", importance };
}

function tierOf({ endedAt, kind }: Held): string {
  if (endedAt !== undefined) return "past";
  return STRUCTURED.includes(kind) ? kind : "long-term";
}

function rankOf(held: Held): number {
  const tier = tierOf(held);
  if (tier === "long-term") return held.importance;
  if (tier === "past") return held.endedAt ?? 0;
  return tier === "entity" ? held.seenAt : 0;
}

/** Memories that remain under a limit on one tier. */
function limited(all: readonly Held[], tier: string, limit: number): readonly Held[] {
  const own = all.filter((held) => tierOf(held) === tier);
  const order = own.toSorted((a, b) => rankOf(a) - rankOf(b));
  const gone = new Set(order.slice(0, Math.max(0, own.length - limit)));
  return all.filter((held) => !gone.has(held));
}

function again(held: Held, seenAt: number): Held {
  const confidence = Math.min(1, Math.round((held.confidence + 0.1) * 1e12) / 1e12);
  return { ...held, seenAt, mentions: held.mentions + 1, confidence };
}

function remembered(all: readonly Held[], said: Said, call: number): readonly Held[] {
  const isActive = ({ endedAt }: Held): boolean => endedAt === undefined;
  const isKnown = (held: Held): boolean =>
    isActive(held) &&
    held.kind === said.kind &&
    (said.kind === "entity" ? held.key === said.key : held.text === said.text);
  if (all.some(isKnown)) {
    return all.map((held) => {
      if (!isKnown(held)) return held;
      return { ...again(held, call), text: said.text };
    });
  }
  const isRival = (held: Held): boolean =>
    isActive(held) && said.kind !== "entity" && said.key !== "" && held.key === said.key;
  const settled = all.map((held) => (isRival(held) ? { ...held, endedAt: call } : held));
  return [...settled, newHeld(said, call)];
}

function afterTurn(state: ScopeState, rules: ScopeRules, texts: readonly string[]): ScopeState {
  const call = state.calls + 1;
  const log = [...state.log, ...texts];
  const promoted = new Set(state.promoted);
  let held = state.held;
  if (rules.gives === "extraction") {
    const [user = ""] = texts;
    const text = user.replace(/^I am /, "The user is ");
    held = [...held, { ...newHeld(saidOf("fact", text, 0.9), call), confidence: 0.9 }];
  }
  if (rules.gives === "promotion") {
    // Two messages stay in the window: those of the turn before leave it.
    for (const text of state.log.slice(-2)) {
      const key = text.toLowerCase();
      const importance = importanceOf(text);
      if (importance < 0.7 || promoted.has(key)) continue;
      promoted.add(key);
      const kind = importance === 0.75 ? "preference" : "fact";
      // Any text is promoted, which need not state anything.
      const one = newHeld(saidOf(kind, text, importance), call);
      held = [...held, { ...one, confidence: 0.5 }];
    }
    const [user = "", assistant = ""] = texts;
    const episode = saidOf("episode", `user: ${user} | assistant: ${assistant}`, 0.5);
    held = [...held, newHeld(episode, call)];
  }
  return { calls: call, log, promoted, held: limited(held, "long-term", rules.limit) };
}

/** The state after a call. */
function afterCall(state: ScopeState, rules: ScopeRules, call: MemoryCall): ScopeState {
  const calls = state.calls + 1;
  let { held } = state;
  switch (call.kind) {
    case "turn":
      return afterTurn(state, rules, [call.user, call.assistant]);
    case "remember":
      for (const said of call.said) held = remembered(held, said, calls);
      for (const tier of ["long-term", "entity", "relation", "past"]) {
        held = limited(held, tier, rules.limit);
      }
      break;
    case "purge":
      held = held.filter(({ category }) => category !== call.category);
      break;
    case "forget":
      held = held.filter(({ id }) => !call.ids.includes(id));
      break;
    case "decay":
      held = held
        .map((one) =>
          one.endedAt === undefined ? { ...one, confidence: one.confidence * call.factor } : one,
        )
        .filter((one) => one.endedAt !== undefined || one.confidence >= call.deleteBelow);
  }
  return { ...state, calls, held };
}

/** A memory in words. */
export function wordsOf(held: {
  readonly kind: string;
  readonly isPast: boolean;
  readonly text: string;
  readonly importance: number;
  readonly mentions: number;
  readonly confidence: number;
}): string {
  const { confidence, importance, isPast, kind, mentions, text } = held;
  const numbers = [importance, mentions, confidence.toFixed(9)];
  return [kind, isPast ? "past" : "active", text, ...numbers].join("|");
}

function linesOf({ held, log }: ScopeState): readonly string[] {
  const memories = held.map((one) => wordsOf({ ...one, isPast: one.endedAt !== undefined }));
  return [...log.map((text) => `said ${text}`), ...memories];
}

/**
 * Observed state of a scope: the log of its session, and the texts of its memories, oldest first.
 */
export interface SeenScope {
  readonly log: readonly string[];
  readonly memories: readonly string[];
}

/** The account of one scope, which one writer writes, one call at a time. */
export class ScopeAccount {
  readonly name: string;
  readonly rules: ScopeRules;
  #state: ScopeState = EMPTY;
  #open: MemoryCall | undefined;
  readonly #forgotten = new Set<string>();
  acknowledged = 0;
  unanswered = 0;
  /** Number of calls without an answer that turned out to have happened. */
  happened = 0;

  constructor(name: string, rules: ScopeRules) {
    this.name = name;
    this.rules = rules;
  }

  /** Memories that exist now, to choose what to say and what to forget. */
  get held(): readonly Said[] {
    return this.#state.held;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Notes a call that goes out. */
  intend(call: MemoryCall): void {
    this.#open = call;
  }

  /** Number of memories that a call is to take away. */
  countOf(category: string): number {
    return this.#state.held.filter((held) => held.category === category).length;
  }

  /** Notes that the call was answered. */
  acknowledge(): void {
    if (this.#open === undefined) throw new Error("An answer to no call.");
    this.#become(afterCall(this.#state, this.rules, this.#open));
    this.#open = undefined;
    this.acknowledged += 1;
  }

  #become(next: ScopeState): void {
    for (const line of linesOf(this.#state)) this.#forgotten.add(line);
    for (const line of linesOf(next)) this.#forgotten.delete(line);
    this.#state = next;
  }

  /** Holds what is shown against what is known, and goes on from it; says what is wrong. */
  check({ log, memories }: SeenScope): readonly string[] {
    const found = [...log.map((text) => `said ${text}`), ...memories];
    const isSame = (lines: readonly string[]): boolean => lines.join("\n") === found.join("\n");
    const open = this.#open;
    this.#open = undefined;
    const states = [this.#state];
    if (open !== undefined) {
      this.unanswered += 1;
      const after = afterCall(this.#state, this.rules, open);
      if (isSame(linesOf(after))) {
        this.happened += 1;
        this.#become(after);
        return [];
      }
      states.push(after);
    }
    if (isSame(linesOf(this.#state))) return [];
    return [this.#faultOf(found, states, open)];
  }

  #faultOf(
    found: readonly string[],
    states: readonly ScopeState[],
    open: MemoryCall | undefined,
  ): string {
    const known = new Set(states.flatMap(linesOf));
    const sure = linesOf(this.#state).filter((line) =>
      states.every((s) => linesOf(s).includes(line)),
    );
    const lost = sure.filter((line) => !found.includes(line));
    const back = found.filter((line) => this.#forgotten.has(line) && !known.has(line));
    const odd = found.filter((line) => !known.has(line) && !this.#forgotten.has(line));
    const twice = found.filter((line, at) => found.indexOf(line) !== at);
    const word =
      (lost.length > 0 && "LOST") || (back.length > 0 && "BACK") || (odd.length > 0 && "WRONG");
    const some = [lost, back, odd, twice].map((lines) => [lines.length, ...lines.slice(0, 2)]);
    return `${word || "HALF"} ${this.name} (${open?.kind}): ${JSON.stringify(some)}`;
  }
}
