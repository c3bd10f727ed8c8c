// Cues that make a sentence worth keeping, apart from its terms.

/** A pattern for any of these phrases as whole words, in any case. */
function phrases(lists: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${lists.join("|")})\\b`, "i");
}

// English, with a few phrases of German, French and Spanish: other languages are weighed by their
// terms alone.
const DECISION = phrases([
  "decid(?:e|ed|es|ing)|decision|agreed?|agreement|chose|chosen|settled on|approved?|confirmed?",
  "let'?s|we'?ll|i'?ll|will|going to|plan(?:s|ned|ning)? to|must|should|promised?",
  "deadline|due|booked|scheduled|instead of|no longer|changed (?:my|our) mind",
  "entschieden|vereinbart|beschlossen|décidé|decidido",
]);
const IDENTITY = phrases([
  "my name is|call me|i am (?:a|an|the|from)|i'?m (?:a|an|the|from)|i live|i moved|i work",
  "i was born|i grew up|i have (?:a|an|two|three|\\d+)|we have|allergic|years old",
  "my (?:wife|husband|partner|mother|father|mom|dad|mum|son|daughter|brother|sister|friend)",
  "my (?:boss|job|company|team|dog|cat|birthday|address|phone|email|age)",
  "ich heiße|ich wohne|je m'appelle|me llamo",
]);
const PREFERENCE = phrases([
  "i (?:really |always |usually |never |also )?(?:prefer|like|love|enjoy|hate|dislike|want|need)",
  "i (?:really |always |usually |never |also )?(?:use|avoid|eat|drink|play|read|wish|hope)",
  "i'd (?:rather|like|love)|i'm (?:into|trying|working|planning|learning|interested)|keen on",
  "favou?rite|always|never|please (?:don'?t|do not)|remember",
]);
const DATE = phrases([
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may \\d+|june?|july?|aug(?:ust)?",
  "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
  "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|yesterday|today|tonight|tomorrow|ago|since",
  "(?:last|next|this|past) (?:week|weekend|month|year|night|summer|winter|spring|fall|autumn)",
  "\\d{4}-\\d{2}-\\d{2}|\\d{1,2}[:/.]\\d{2}",
]);
const FIGURE = /\p{N}/u;

// A capital letter inside of a sentence. German nouns have one too, which then weigh alike.
const NAME = /[^\s.!?:]["'“‘(]*\s["'“‘(]*(?!I\b)\p{Lu}/u;

// Only at the start.
const SMALL_TALK = new RegExp(
  `^(?:${[
    "hey|hi|hello|wow|thanks|thank you|bye|good (?:morning|night|luck)|sure|absolutely|certainly",
    "of course|great|got it|no problem|you'?re welcome|take care|congrat\\w*|sounds (?:good|great)",
    "that'?s (?:so |really |very )?(?:great|awesome|cool|amazing|wonderful|nice|good)",
    "i hope this helps|let me know|feel free|happy to help|here(?:'s| is| are)",
  ].join("|")})\\b`,
  "i",
);

/** Whether a text asks something. */
export function isQuestion(text: string): boolean {
  return /[?？]["'”’)\]*_]*$/.test(text);
}

/** Whether a sentence states a decision. */
export function isDecision(text: string): boolean {
  return DECISION.test(text);
}

/** Whether a sentence states an identity, a preference, a date or a figure. */
export function isFact(text: string): boolean {
  return IDENTITY.test(text) || PREFERENCE.test(text) || FIGURE.test(text) || DATE.test(text);
}

/** A property that raises or lowers the worth of a sentence. */
export type Cue =
  | "question"
  | "decision"
  | "identity"
  | "preference"
  | "figure"
  | "date"
  | "name"
  | "smallTalk";

/** Gives the cues that a sentence has. */
export function cuesOf(text: string): Cue[] {
  const cues: Cue[] = [];
  if (isQuestion(text)) cues.push("question");
  else if (DECISION.test(text)) cues.push("decision");
  if (IDENTITY.test(text)) cues.push("identity");
  if (PREFERENCE.test(text)) cues.push("preference");
  if (FIGURE.test(text)) cues.push("figure");
  if (DATE.test(text)) cues.push("date");
  if (NAME.test(text)) cues.push("name");
  if (SMALL_TALK.test(text)) cues.push("smallTalk");
  return cues;
}

// Openings without content. The rest is a sentence that the message still contains.
const OPENING = new RegExp(
  `^(?:(?:${[
    "hey|hi|hello|wow|oh|yeah|yep|yes|no|thanks|thank you|aw+|well|so|sure|ok|okay|haha",
    "absolutely|certainly|of course|great|cool|nice|awesome",
  ].join("|")})(?: (?:there|so much|again|[A-Z][a-z]{1,15}))?[,!.] +)+`,
  "i",
);

/**
 * Takes a greeting off the start of a sentence when what is left reads as a whole one: it is long
 * enough, and its capital is not just that of the name in the greeting.
 */
export function withoutOpening(text: string): string {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined || text.length - opening.length < OPENING_REST_CHARS) return text;
  const rest = text.slice(opening.length);
  return WHOLE_START.test(rest) ? rest : text;
}

const WHOLE_START = /^(?:I\b|\p{Lu}[\p{L}'’]*\s)/u;

/** Fewest characters of a sentence without its opening. */
const OPENING_REST_CHARS = 20;
