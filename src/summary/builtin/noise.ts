// Detects machine-readable text: it costs much and is of no use to a reader.

/** A long run of letters with digits among them: a hash, a key, an id, or a part of base64. */
const MACHINE = /(?<![^\s"'`([:,<|])(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])[\w+/=-]{16,}/gi;

/** A run that is worth checking; most texts have none. */
const LONG_RUN = /[\w+/=-]{16}/;

const CHECKSUM = /\b(?:checksums?|digests?|integrity|(?:sha|md)-?\d{1,3})\b/i;

/** As short as the shortest checksum that is not an id too, MD5. */
const CHECKSUM_CHARS = 32;

const WORDS = /\p{L}{2,}|\p{Script=Han}/gu;

/** Words that only name the run beside them. */
const LABELS = /^(?:a|an|the|is|are|of|its|was|and|hash|id|uuid|guid|key|token|commit|etag)$/i;

/** A text needs this many other words to say something about its long runs. */
const WORDS_MIN = 2;

/** From this share of its characters on, a text is data with a few words in it. */
const DATA_SHARE = 0.75;

/** Longer texts are checked part by part. */
const TEXT_CHARS = 4_096;

/** Whether a text is a checksum, or little but ids, keys or encoded data. */
export function isNoise(text: string): boolean {
  if (text.length > TEXT_CHARS || !LONG_RUN.test(text)) return false;
  const runs = text.match(MACHINE) ?? [];
  if (runs.length === 0) return false;
  if (CHECKSUM.test(text) && runs.some((run) => run.length >= CHECKSUM_CHARS)) return true;
  const chars = runs.reduce((sum, run) => sum + run.length, 0);
  if (chars >= DATA_SHARE * text.length) return true;
  const words = text.replace(MACHINE, " ").match(WORDS) ?? [];
  return words.filter((word) => !LABELS.test(word)).length < WORDS_MIN;
}

const FRAME = new RegExp(
  `^\\s*(?:${[
    "at [\\w$.<>[\\] ]{1,200}\\((?:<anonymous>|[^()\\s]{1,200}[a-z][^()\\s]{0,20}:\\d+)\\)",
    "at \\S{0,200}[/\\\\]\\S{1,200}:\\d+:\\d+",
    'File "[^"]{1,200}", line \\d+, in \\S+',
  ].join("|")})\\s*$`,
);

/** Whether a line is one of a stack trace, as JavaScript, Java or Python write it. */
export function isFrame(line: string): boolean {
  return line.length <= FRAME_CHARS && FRAME.test(line);
}

const FRAME_CHARS = 400;
