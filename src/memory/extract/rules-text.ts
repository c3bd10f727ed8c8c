// Cuts what somebody wrote into sentences that rules can look at. What is not the writer's own
// statement is taken out: code, quotations, links, addresses.

/** Stands for what was taken out; no rule takes a text that holds it. */
export const HOLE = "¤";

/** A sentence. */
export interface RuleSentence {
  /** Without the mark at its end; runs of white space are one space. */
  readonly text: string;
  /** The mark. Empty when it has none. */
  readonly end: string;
  /** It asks, commands, supposes or jokes, or tells what others say: nothing in it is stated. */
  readonly isOpen: boolean;
}

/** Longer sentences are cut, so that no text makes the work more than linear. */
const SENTENCE_CHARS = 600;

const LINK =
  /\b(?:https?:\/\/|www\.)\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+|(?<![\w])[@#]\w+/g;
const QUOTES = [
  /`[^`\n]{0,500}`/g,
  /"[^"\n]{0,500}"/g,
  /“[^”\n]{0,500}”/g,
  /«[^»\n]{0,500}»/g,
  /‘[^’\n]{0,500}’(?!\p{L})/gu,
  /(?<![\p{L}\p{N}])'[^'\n]{3,500}'(?![\p{L}\p{N}])/gu,
];
/** A quotation that does not end: the rest of the line is its. */
const OPEN_QUOTE = /(?:["“«]|(?<=\s)`).*$/gm;

/** Titles never end a sentence; the others do before a capital. */
const TITLES = new Set(["mr", "mrs", "ms", "dr", "prof", "st", "vs", "e.g", "i.e", "mt"]);
const SHORT = new Set([
  ...["inc", "ltd", "co", "corp", "jr", "sr", "etc", "approx", "u.s", "u.k", "no", "ca"],
  ...["a.m", "p.m", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov"],
  "dec",
]);

/** Begins what states nothing: questions without their mark, orders about texts, suppositions. */
const OPEN_START = new RegExp(
  `^(?:(?:so|and|but|ok|okay|well|now|please|hey|hi),? )*(?:${[
    ...["do", "does", "did", "am", "is", "are", "was", "were", "can", "could", "should", "would"],
    ...["will", "shall", "may", "might", "have i", "has my", "what", "when", "where", "why", "how"],
    ...["who", "whose", "which", "if", "unless", "imagine", "pretend", "suppose", "supposing"],
    ...["assume", "assuming", "let's say", "say i", "say that", "act as", "act like", "translate"],
    ...["rewrite", "rephrase", "paraphrase", "summarize", "summarise", "write", "draft", "compose"],
    ...[
      "repeat",
      "role-?play",
      "correct (?:this|the|my)",
      "proofread",
      "complete the",
      "continue the",
      "i wish",
    ],
    ...["in my dream", "in the (?:story|novel|book|game|movie|film|example)", "for example"],
  ].join("|")})\\b`,
  "i",
);

/** Somewhere in what is supposed, or holds in another life only. */
const SUPPOSED =
  /\b(?:who knows|in another life|hypothetically|theoretically|in theory)\b|, or not$|^(?:had i|when i'm (?:old|rich|dead|famous)|say i|in my (?:novel|story|book|game|dreams?|campaign|film|play))\b/i;
/** What others say, think or show. The speaker's own words are not meant. */
const HEARSAY =
  /(?<!\b(?:i|i've|i have|we|i just|i already|i only)) (?:says?|said|told|tells|thinks?|thought|believes?|claims?|claimed|insists?|reckons?|swears?|wrote|writes|replied|asks|asked|calls me)\b|\b(?:apparently|allegedly|supposedly|rumou?r|according to)\b/i;
const LAUGHTER =
  /^(?:(?:ba|bwa|mwa)?(?:ha){1,6}h?|(?:he){2,6}|(?:ho ?){2,5}|lo+l|lmao|rofl)\b|\b(?:lol|lmao|rofl|haha+|hehe+)\W*$|[😂🤣😜😝]/iu;
const JOKING = /\b(?:kidding|joking|just a joke|jk|not serious(?:ly)?|teasing|pulling your leg)\b/i;
const IRONY =
  /^(?:oh,? (?:great|sure|yeah|joy|wonderful|yes)|yeah,? right|sure,? because)\b|\b(?:obviously|said no(?:body| one)|i'm (?:basically|literally|practically)|dying of|could eat a)\b/i;

/** The sentences of a text, in order. */
export function ruleSentences(text: string): RuleSentence[] {
  const sentences: RuleSentence[] = [];
  let isCode = false;
  const prose: string[] = [];
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    else if (!isCode) prose.push(line);
  }
  for (const line of ownWords(prose.join("\n")).split("\n")) {
    if (!/^\s*(?:>|\||\/\/|[$#] |<\w)/.test(line)) addLine(sentences, line);
  }
  return withoutJokes(sentences);
}

/** A joke makes one of what stands before it; what is owned up to, of the whole text. */
function withoutJokes(sentences: readonly RuleSentence[]): RuleSentence[] {
  const laughs = sentences.map(({ text, end }) => LAUGHTER.test(`${text}${end}`));
  const isOwned = sentences.some(({ text }) => JOKING.test(text));
  return sentences.map((sentence, at) => {
    const isAlone = at === 1 && laughs[0] === true && (sentences[0]?.text.length ?? 0) < 12;
    const isJoke =
      isOwned ||
      laughs[at] === true ||
      laughs[at + 1] === true ||
      isAlone ||
      IRONY.test(sentence.text);
    return isJoke ? { ...sentence, isOpen: true } : sentence;
  });
}

/** A text without what its writer only quotes. */
function ownWords(text: string): string {
  let own = text.replace(/(?<=\p{L})[’ʼ](?=\p{L})/gu, "'").replace(LINK, HOLE);
  for (const quote of QUOTES) own = own.replace(quote, HOLE);
  return own.replace(OPEN_QUOTE, HOLE);
}

const END = /([.!?…]+)(?=[)\]\s]|$)|;(?=\s)/g;

function addLine(sentences: RuleSentence[], line: string): void {
  const text = line.replace(/^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+/, "");
  let start = 0;
  for (const match of text.matchAll(END)) {
    if (match[0] === "." && isShort(text, start, match.index)) continue;
    addSentence(sentences, text.slice(start, match.index), match[0]);
    start = match.index + match[0].length;
  }
  addSentence(sentences, text.slice(start), "");
}

function isShort(text: string, start: number, end: number): boolean {
  const from = Math.max(start, end - 12);
  const word = /[\p{L}.]+$/u.exec(text.slice(from, end))?.[0] ?? "";
  const lower = word.toLowerCase();
  if (TITLES.has(lower)) return true;
  // An initial of a name, as in `J. Smith`.
  if (/^\p{Lu}$/u.test(word) && word !== "I") return true;
  const next = /\S/.exec(text.slice(end + 1, end + 8))?.[0] ?? "";
  return SHORT.has(lower) && next !== "" && !/\p{Lu}/u.test(next);
}

function addSentence(sentences: RuleSentence[], part: string, end: string): void {
  const text = part.replace(/\s+/g, " ").trim();
  if (!/\p{L}/u.test(text)) return;
  const isOpen =
    end.includes("?") || OPEN_START.test(text) || SUPPOSED.test(text) || HEARSAY.test(text);
  for (let at = 0; at < text.length; at += SENTENCE_CHARS) {
    const part = text.slice(at, at + SENTENCE_CHARS);
    sentences.push({ text: part, end: at + SENTENCE_CHARS < text.length ? "" : end, isOpen });
  }
}
