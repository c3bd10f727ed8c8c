// Cuts a text into sentences for the rules. Code, quotations, links and addresses are taken out, as
// are mails, logs and other texts that the writer only passes on.

import { anyOf, listOf } from "./rules-words.ts";

/** Stands for text that was taken out; no rule takes a text that holds it. */
export const HOLE = "¤";

/** A sentence. */
interface RuleSentence {
  /** Without the mark at its end; runs of white space are one space. */
  readonly text: string;
  /** The mark. Empty when it has none. */
  readonly end: string;
  /** It asks, commands, supposes or jokes, or reports others: nothing in it is stated. */
  readonly isOpen: boolean;
}

/** Longer sentences are cut, which keeps the work linear. */
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
const SHORT = new Set(
  listOf(`
  inc, ltd, co, corp, jr, sr, etc, approx, u.s, u.k, no, ca, a.m, p.m, jan, feb, mar, apr, jun,
  jul, aug, sep, sept, oct, nov, dec
`),
);

/** Begins a sentence that states nothing: a question, an order about a text, a supposition. */
const OPEN_START = new RegExp(
  `^(?:(?:so|and|but|ok|okay|well|now|please|hey|hi),? )*(?:${anyOf(`
  do, does, did, am, is, are, was, were, can, could, should, would, will, shall, may, might,
  have i, has my, what, when, where, why, how, who, whose, which, if, unless, imagine, pretend,
  suppose, supposing, assume, assuming, let's say, say i, say that, act as, act like, translate,
  rewrite, rephrase, paraphrase, summarize, summarise, write, draft, compose, repeat, role-?play,
  correct (?:this|the|my), proofread, complete the, continue the, i wish, in my dream,
  in the (?:story|novel|book|game|movie|film|example), for example
`)})\\b`,
  "i",
);

/** Found in suppositions. */
const SUPPOSED =
  /\b(?:who knows|in another life|hypothetically|theoretically|in theory)\b|, or not$|^(?:had i|when i'm (?:old|rich|dead|famous)|say i|in my (?:novel|story|book|game|dreams?|campaign|film|play))\b/i;
/** Reports of what others say or think. The speaker's own words are not meant. */
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

/** Laughter opens the sentence before it, too; an admitted joke opens the whole text. */
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

/** A text without quotations. */
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

// Finds the part of a message in the writer's own voice. The rest is passed on: a mail, a letter, a
// log, a poem.

/** Nouns of texts by others, or of texts that are not about the writer. */
const TEXTS =
  "e-?mails?|mails?|letter|message|text|note|poem|lines?|quote|review|article|post|story|chapter|paragraph|passage|lyrics|song|verse|transcript|chat|log|logs|conversation|dialogue|speech|statement|sentence|bio|cv|resume|application|essay|draft|comment|tweet|snippet|code|output|error|input";
const POINTERS = "this|these|the following|below|above|it";
const ORDERS =
  "translate|proofread|summari[sz]e|rewrite|rephrase|paraphrase|explain|analy[sz]e|correct|edit|improve|shorten|classify|review|check|fix|grade|format|convert|answer|continue|read";

/** A line that introduces text by others. */
const POINTING = [
  new RegExp(`\\b(?:${ORDERS})\\b.{0,80}(?:\\b(?:${POINTERS}|${TEXTS})\\b.{0,60}:?|:)$`, "i"),
  new RegExp(`\\b(?:${POINTERS}|${TEXTS})\\b.{0,60}:$`, "i"),
  /^(?:fyi|fwd|fw|quote|see below|copied|pasted)\b.{0,40}:$/i,
  /\b(?:who|what|why|how|where|does|is|did)\b.{0,60}\b(?:this|that|it|these)\b.{0,40}\?$/i,
];
/** The following text is the writer's own all the same. */
const ABOUT_WRITER =
  /\babout (?:me|myself|us)\b|\bmy (?:profile|details|preferences|data|facts|allergies)\b/i;

/** The head of a mail, and the lines that mail programs put before it. */
const MAIL =
  /^\s*(?:-{2,}\s*(?:forwarded|original)\smessage|begin\sforwarded\smessage|(?:from|subject|sent|cc):\s|on\s.{4,80}\swrote:$)/i;
const SALUTATION = /^\s*(?:dear (?!assistant|ai\b|bot\b)[\p{L} .]{2,40}|to whom it may concern),/iu;
/** A line of a talk that was copied. */
const TURN = /^\s*(?:user|human|customer|client|bot|assistant|ai|agent|support|system)\s*:/i;
const OTHER_TURN = /^[ \t]*(?:bot|assistant|ai|agent|support|system)\s*:/im;

/** A text without the parts that its writer only passes on. */
export function ownText(text: string): string {
  const isTalk = OTHER_TURN.test(text);
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  const own: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (MAIL.test(line) || SALUTATION.test(line)) break;
    if (isTalk && TURN.test(line)) continue;
    own.push(line);
    if (at < lines.length - 1 && pointsOn(line.slice(-200).trim())) break;
  }
  return own.join("\n");
}

function pointsOn(line: string): boolean {
  return POINTING.some((pattern) => pattern.test(line)) && !ABOUT_WRITER.test(line);
}
