// Messages as people write them, made of a seed: each about a topic, so that vectors and words lie
// in clusters, with names, numbers and days in between.

import type { Random } from "../kit/random.ts";

const TOPICS: readonly (readonly string[])[] = [
  "recipe oven bread flour butter sugar yeast dough kitchen bake taste dinner soup salad".split(
    " ",
  ),
  "train flight ticket hotel airport luggage passport beach island museum journey map".split(" "),
  "server deploy bug test code function database query cache latency commit branch".split(" "),
  "doctor appointment pain allergy medicine clinic nurse sleep headache blood vitamin".split(" "),
  "guitar song concert piano melody album band rhythm drum singer lyrics stage".split(" "),
  "garden tomato seed soil water rose tree leaf compost spring flower fence".split(" "),
  "football match goal team coach league stadium training injury season player".split(" "),
  "exam teacher school homework lesson library essay math history student grade".split(" "),
  "dog puppy cat vet leash walk kitten fur toy bark park collar".split(" "),
  "rent invoice salary bank loan budget tax savings account payment receipt".split(" "),
  "wedding sister mother cousin birthday gift party cake family uncle baby".split(" "),
  "rain snow storm wind sun cloud winter summer forecast heat cold umbrella".split(" "),
];
const COMMON = (
  "the a I you we it is was to of and in my your that this for on with have not but so just " +
  "really about when will can like think know need want today tomorrow maybe please thanks"
).split(" ");
const NAMES = "Ana Ben Carla David Elena Farid Grace Hiro Ines Jonas Kemal Lena".split(" ");
const NAME_SHARE = 0.08;
const COMMON_SHARE = 0.5;
const WORDS_MIN = 4;
const WORDS_MAX = 34;

/** The number of topics that texts are about. */
export const TOPIC_COUNT: number = TOPICS.length;

/** A text about a topic: 4 to 34 words. */
export function chatText(random: Random, topic: number): string {
  const words = TOPICS[topic % TOPICS.length] ?? [];
  return Array.from({ length: random.int(WORDS_MIN, WORDS_MAX) }, () => {
    if (random.chance(NAME_SHARE)) return random.pick(NAMES);
    return random.pick(random.chance(COMMON_SHARE) ? COMMON : words);
  }).join(" ");
}

/** A question about a topic. */
export function chatQuestion(random: Random, topic: number): string {
  const words = TOPICS[topic % TOPICS.length] ?? [];
  const asked = [random.pick(words), random.pick(words), random.pick(words)];
  return `What did ${random.pick(NAMES)} say about the ${asked[0]} and the ${asked[1]} ${asked[2]}?`;
}
