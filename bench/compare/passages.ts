// Synthetic chat passages of about 23 words each. Word frequencies follow Zipf's law: the most
// frequent words are English, and the others have English endings. A passage prefers the words of
// its topic.

import { seeded } from "./random.ts";

/** Passages, and questions about some of them. */
export interface Corpus {
  readonly passages: readonly string[];
  readonly questions: readonly string[];
}

const FREQUENT = `the i to and a you it that of is in so for my was have we on but with not be this
  do are just at like me your all what they about she he up out really can if her when think how got
  know been from there would get time one had good did were more some an has or his them then going
  now will want too`.split(/\s+/);
const ASKING = ["what did i say about", "when was the", "who told me about", "do you know which"];
const STARTS = "b c d f g h l m n p r s t v w br cl dr fl gr pl sh st th tr ch".split(" ");
const VOWELS = "a e i o u ai ea ee oa ou".split(" ");
const CLOSES = "b d g k l m n p r s t ck ll nd nt rd rt st th".split(" ");
const ENDINGS = ["", "", "", "s", "ed", "ing", "er", "ly", "ation", "ness"];

const STEMS = 12_000;
const MEAN_WORDS = 23;
/** Share of a passage's rarer words that come from its topic. */
const TOPIC_SHARE = 0.3;
const TOPIC_WORDS = 60;

class Speech {
  readonly #random: () => number;
  readonly #words: readonly string[];
  /** Cumulative weights of the words. */
  readonly #sums: Float64Array;

  constructor(seed: number) {
    this.#random = seeded(seed);
    this.#words = [
      ...new Set([...FREQUENT, ...this.#stems().flatMap((stem) => this.#forms(stem))]),
    ];
    let sum = 0;
    this.#sums = Float64Array.from(this.#words, (_, rank) => {
      sum += 1 / (rank + 2.7);
      return sum;
    });
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[Math.floor(this.#random() * list.length)];
    if (picked === undefined) throw new Error("there is nothing to pick");
    return picked;
  }

  #stems(): string[] {
    return Array.from({ length: STEMS }, () => {
      const parts = Array.from({ length: 1 + Math.floor(this.#random() * 2) }, () =>
        [this.pick(STARTS), this.pick(VOWELS)].join(""),
      );
      return parts.join("") + this.pick(CLOSES);
    });
  }

  #forms(stem: string): string[] {
    return Array.from({ length: 3 }, () => stem + this.pick(ENDINGS));
  }

  word(): string {
    const wanted = this.#random() * (this.#sums.at(-1) ?? 0);
    let low = 0;
    let high = this.#sums.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sums[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    return this.#words[low] ?? "";
  }

  rareWord(): string {
    for (;;) {
      const word = this.word();
      if (!FREQUENT.includes(word)) return word;
    }
  }

  passage(topic: readonly string[]): string {
    const count = Math.ceil(MEAN_WORDS * (0.3 + 1.4 * this.#random()));
    const words = Array.from({ length: count }, () => {
      const word = this.word();
      const isTurned = !FREQUENT.includes(word) && this.#random() < TOPIC_SHARE;
      return isTurned ? this.pick(topic) : word;
    });
    return `${words.join(" ")}.`;
  }

  /** Makes a question of some words of a passage, and one word that may occur in none. */
  question(passage: string): string {
    const rare = passage.slice(0, -1).split(" ");
    const own = rare.filter((word) => !FREQUENT.includes(word));
    const words = Array.from({ length: 3 }, () => this.pick(own.length > 0 ? own : rare));
    return `${[this.pick(ASKING), ...words, this.rareWord()].join(" ")}?`;
  }
}

/** Makes a corpus that depends only on the given numbers. */
export function makeCorpus(passages: number, questions: number): Corpus {
  const speech = new Speech(passages);
  const topics = Array.from({ length: Math.ceil(Math.sqrt(passages)) }, () =>
    Array.from({ length: TOPIC_WORDS }, () => speech.rareWord()),
  );
  const texts = Array.from({ length: passages }, () => speech.passage(speech.pick(topics)));
  return {
    passages: texts,
    questions: Array.from({ length: questions }, () => speech.question(speech.pick(texts))),
  };
}
