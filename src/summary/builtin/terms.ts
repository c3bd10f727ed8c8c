// Stop words.

/** English words of grammar and of small talk, in lower case and without apostrophes. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about above actually after again against ah all almost already also although always am an " +
    "and another any anyone anything are arent around as at away awesome be because been before " +
    "being below between both bit but by bye can cannot cant certainly come could couldnt cool did " +
    "didnt do does doesnt doing done dont down during each either else enough especially etc even " +
    "ever every everyone everything few for from further gave get gets getting give gives go goes " +
    "going gonna gone good got great ha had hadnt haha hardly has hasnt have havent having he hed " +
    "hello her here hers herself hes hey hi him himself his hmm how hows however i id if ill im in " +
    "indeed into is isnt it itd itll its itself ive just keep kind know knows lately least less let " +
    "lets like ll lot lots made make makes making many may maybe me mean might mine more most much " +
    "must my myself need never nice no none nor not nothing now of off oh ok okay often on once " +
    "one only onto or other others our ours ourselves out over own perhaps please pretty put quite " +
    "rather re really right said same say says see seem seems she shed shes should shouldnt since " +
    "so some someone something soon sorry sort sounds still such sure take than thank thanks that " +
    "thatd thatll thats the their theirs them themselves then there theres these they theyd theyll " +
    "theyre theyve thing things think this those though through thus to together too totally " +
    "toward try um under until up upon us use used using ve very via want wanna was wasnt way we " +
    "wed well were werent weve what whatever whats when where whether which while who whole whom " +
    "whose why will with within without wont wow would wouldnt yeah yep yes yet you youd youll " +
    "your youre yours yourself yourselves youve"
  ).split(" "),
);

// The terms of a text: sentences are compared by them, and a summary should keep them.

// A number with its separators, or letters with apostrophes between them.
const WORD = /\p{N}+(?:[.,:]\p{N}+)*|[\p{L}\p{M}]+(?:['’]\p{L}+)*/gu;

// Scripts that write no spaces between words; two characters in a row are about a word.
const NO_SPACES = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]/u;
const ASCII = /^[\p{ASCII}]*$/u;

/** Longer runs are not words; they count by their start. */
const TERM_CHARS = 40;

/** Terms by the words that they were made of: most words occur again. */
export type TermCache = Map<string, string>;

/** Gives the terms of a text in order, repeated as often as they occur; stop words are left out. */
export function termsOf(text: string, cache: TermCache = new Map()): string[] {
  const terms: string[] = [];
  for (const word of text.match(WORD) ?? []) {
    let term = cache.get(word);
    if (term === undefined) {
      term = !ASCII.test(word) && NO_SPACES.test(word) ? PAIRS : termOf(word);
      cache.set(word, term);
    }
    if (term === PAIRS) addPairs(terms, word);
    else if (term !== "") terms.push(term);
  }
  return terms;
}

/** Stands for a word of a script without spaces, which is several terms. */
const PAIRS = " ";

function addPairs(terms: string[], word: string): void {
  const chars = Array.from(word);
  if (chars.length === 1) terms.push(word);
  for (let i = 1; i < chars.length; i++) terms.push(`${chars[i - 1]}${chars[i]}`);
}

function termOf(word: string): string {
  const lower = word.slice(0, TERM_CHARS).normalize("NFC").toLowerCase();
  const plain = lower.replace(/['’]/g, "");
  if (STOP_WORDS.has(plain)) return "";
  return stem(lower.replace(/['’].*$/u, ""));
}

const MONTHS =
  "january february march april may june july august september october november december";
const DAYS = "monday tuesday wednesday thursday friday saturday sunday yesterday today tomorrow";
const HOURS = "noon midnight morning afternoon evening night";
const COUNTS = "two three four five six seven eight nine ten eleven twelve first second third last";

const DISTINCTIVE: ReadonlySet<string> = new Set(
  [MONTHS, DAYS, HOURS, COUNTS].flatMap((list) => list.split(" ").map((word) => stem(word))),
);

/**
 * Whether a term distinguishes similar cases: a number, a word of a date, or one letter, as in
 * "platform B". Sentences that differ in such terms differ in meaning, however similar they are.
 */
export function isDistinctive(term: string): boolean {
  return /^(?:\p{N}|\p{L}$)/u.test(term) || DISTINCTIVE.has(term);
}

/**
 * Takes the commonest English endings off, so that the forms of a word are one term. Words of other
 * languages lose an ending now and then, always the same one, which is all that counts here.
 */
export function stem(word: string): string {
  if (word.length < 4 || /[^a-z]/.test(word)) return word;
  let base = word;
  if (base.endsWith("ies")) base = `${base.slice(0, -3)}y`;
  else if (/(?:[sxz]|ch|sh)es$/.test(base)) base = base.slice(0, -2);
  else if (/[^su]s$/.test(base) && !base.endsWith("is")) base = base.slice(0, -1);
  if (base.length > 5 && base.endsWith("ing")) base = undouble(base.slice(0, -3));
  else if (base.length > 4 && base.endsWith("ed")) base = undouble(base.slice(0, -2));
  else if (base.length > 5 && base.endsWith("ly")) base = base.slice(0, -2);
  return base.length > 3 && base.endsWith("e") ? base.slice(0, -1) : base;
}

function undouble(word: string): string {
  return /([bdgmnprt])\1$/.test(word) ? word.slice(0, -1) : word;
}
