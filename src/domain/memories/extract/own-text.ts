// What of a message its writer says in their own voice. The rest is passed on: a mail, a letter, a
// log, a poem, whatever a line points at.

/** Nouns of texts that somebody else wrote, or that are not about the writer. */
const TEXTS =
  "e-?mails?|mails?|letter|message|text|note|poem|lines?|quote|review|article|post|story|chapter|paragraph|passage|lyrics|song|verse|transcript|chat|log|logs|conversation|dialogue|speech|statement|sentence|bio|cv|resume|application|essay|draft|comment|tweet|snippet|code|output|error|input";
const POINTERS = "this|these|the following|below|above|it";
const ORDERS =
  "translate|proofread|summari[sz]e|rewrite|rephrase|paraphrase|explain|analy[sz]e|correct|edit|improve|shorten|classify|review|check|fix|grade|format|convert|answer|continue|read";

/** A line behind which comes what is not the writer's own. */
const POINTING = [
  new RegExp(`\\b(?:${ORDERS})\\b.{0,80}(?:\\b(?:${POINTERS}|${TEXTS})\\b.{0,60}:?|:)$`, "i"),
  new RegExp(`\\b(?:${POINTERS}|${TEXTS})\\b.{0,60}:$`, "i"),
  /^(?:fyi|fwd|fw|quote|see below|copied|pasted)\b.{0,40}:$/i,
  /\b(?:who|what|why|how|where|does|is|did)\b.{0,60}\b(?:this|that|it|these)\b.{0,40}\?$/i,
];
/** What follows is the writer's own all the same. */
const ABOUT_WRITER =
  /\babout (?:me|myself|us)\b|\bmy (?:profile|details|preferences|data|facts|allergies)\b/i;

/** The head of a mail, and what mail programs put before one. */
const MAIL =
  /^\s*(?:-{2,}\s*(?:forwarded|original)\smessage|begin\sforwarded\smessage|(?:from|subject|sent|cc):\s|on\s.{4,80}\swrote:$)/i;
const SALUTATION = /^\s*(?:dear (?!assistant|ai\b|bot\b)[\p{L} .]{2,40}|to whom it may concern),/iu;
/** A line of a talk that was copied. */
const TURN = /^\s*(?:user|human|customer|client|bot|assistant|ai|agent|support|system)\s*:/i;
const OTHER_TURN = /^[ \t]*(?:bot|assistant|ai|agent|support|system)\s*:/im;

/** A text without what its writer only passes on. */
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
