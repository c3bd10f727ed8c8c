// Seeded synthetic texts for search: words by Zipf's law, with topics.

const WORDS_MIN = 8;
const WORDS_MAX = 32;
const VOCABULARY = 20_000;
const TOPIC_SHARE = 0.6;

/** Seeded random numbers from 0 up to, but excluding, 1. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SYLLABLES = "ba ke li mo nu ra se ti vo zu da fe gi ho ju".split(" ");

/** An artificial word for a rank. */
function wordOf(rank: number): string {
  let word = "";
  for (let left = rank + SYLLABLES.length; left > 0; left = Math.floor(left / SYLLABLES.length)) {
    word += SYLLABLES[left % SYLLABLES.length] ?? "";
  }
  return word;
}

/** A word by Zipf's law; topics prefer different ones. */
export function draw(random: () => number, topic: number): string {
  const rank = Math.floor(VOCABULARY ** random()) - 1;
  return wordOf(random() < TOPIC_SHARE ? (rank + topic * 131) % VOCABULARY : rank);
}

/** A text about a topic. */
export function textOf(random: () => number, topic: number): string {
  const count = WORDS_MIN + Math.floor(random() * (WORDS_MAX - WORDS_MIN));
  return Array.from({ length: count }, () => draw(random, topic)).join(" ");
}
