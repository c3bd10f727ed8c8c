// What speakers like, dislike and use.

import { ADVERBS, AM, type Fit, I, keep, type Rule, relate, rule } from "./rules-engine.ts";
import { clauseOf, nameAt, slugOf } from "./rules-match.ts";
import { TECHNOLOGIES } from "./rules-words.ts";

/** What is liked of the talk itself, and no lasting liking. */
const PASSING = new RegExp(
  `^(?:${[
    ...[
      "you",
      "your",
      "yours",
      "it",
      "its",
      "it's",
      "this",
      "that",
      "these",
      "those",
      "him",
      "her",
    ],
    ...[
      "them",
      "how",
      "what",
      "when",
      "where",
      "why",
      "who",
      "if",
      "one",
      "both",
      "all of",
      "some",
    ],
    ...["everything", "nothing", "something", "anything", "to (?:see|know|have|hear|get|think)"],
    ...[
      "the (?:idea|way|one|fact|first|second|third|last|latter|former|other|look|sound|new|same)",
    ],
    ...["a (?:table|list|summary)", "my (?:new|order|money)", "us", "me", "myself", "so", "not"],
    ...["each", "more", "better", "here", "there", "\\\\d"],
  ].join("|")})\\b`.replaceAll("\\\\", "\\"),
  "i",
);

function object(fit: Fit): string | undefined {
  const said = clauseOf(fit.rest, 80)
    .replace(/ (?:better|best|more|most|the best|in the world|to death|over time)$/i, "")
    .replace(/^(?:the )?(?:taste|smell|sound) of /i, "");
  if (said.length < 2 || PASSING.test(said) || /^the \p{Ll}/u.test(said)) return undefined;
  if (/(?:^| )(?:to|is .*|makes .*)$/.test(said)) return undefined;
  return said;
}

const NEGATIVE = new Set(["dislikes", "hates"]);

function findLiking(verb: string): (fit: Fit) => void {
  return (fit) => {
    const said = object(fit);
    if (said === undefined) return;
    keep(fit, "preference", ` ${verb} ${said}`, { topics: topicsOf(said) });
    relate(fit, NEGATIVE.has(verb) || verb.startsWith("does not") ? "dislikes" : "likes", said);
  };
}

function topicsOf(said: string): readonly string[] {
  return said.split(" ").length <= 3 ? [said.toLowerCase()] : [];
}

function findPreferred(fit: Fit): void {
  const said = object(fit);
  if (said === undefined) return;
  keep(fit, "preference", ` prefers ${said}`, { topics: topicsOf(said) });
  const [better = ""] = said.split(/ (?:to|over|rather than|instead of) /);
  relate(fit, "prefers", better);
}

const THING = /^\p{L}[\p{L} -]{1,40}$/u;

function findFavorite(fit: Fit): void {
  const { thing = "", is = "is" } = fit.match.groups ?? {};
  const said = clauseOf(fit.rest, 80);
  if (!THING.test(thing) || said === "" || PASSING.test(said)) return;
  const { saidMs, speaker, found } = fit.speech;
  const key = `favorite_${slugOf(thing)}`;
  found.fact({
    text: `${speaker}'s favorite ${thing} ${is} ${said}.`,
    ...{ kind: "preference", confidence: fit.confidence, key },
    ...{ topics: [thing.toLowerCase()], validFromMs: saidMs },
  });
  relate(fit, key, said);
}

function findTool(predicate: string): (fit: Fit) => void {
  return (fit) => {
    const first = /^[\p{L}\p{N}.+#-]{1,30}/u.exec(fit.rest)?.[0] ?? "";
    const isKnown = TECHNOLOGIES.has(first.toLowerCase().replace(/[.]$/, ""));
    const name = nameAt(fit.rest) ?? (isKnown ? first.replace(/[.]$/, "") : undefined);
    if (name === undefined) return;
    const { verb = "use", article = "" } = fit.match.groups ?? {};
    keep(fit, "preference", ` ${verb}s ${article}${name}`, { topics: [name.toLowerCase()] });
    relate(fit, predicate, name);
    const type = isKnown ? "technology" : "product";
    fit.speech.found.entity({ name, type });
  };
}

/** The rules about likings. */
export const LIKING_RULES: readonly Rule[] = [
  rule(`${I}${ADVERBS} (?:like|love|enjoy|adore) `, 0.85, (fit) => {
    const verb = /(?:like|love|enjoy|adore) $/.exec(fit.match[0])?.[0].trim() ?? "like";
    findLiking(`${verb}s`)(fit);
  }),
  rule(`${I}${ADVERBS} (?:hate|dislike|detest|loathe) `, 0.85, findLiking("dislikes")),
  rule(`${I} (?:can't|cannot|can not) stand `, 0.85, findLiking("dislikes")),
  rule(
    `${I} (?:really )?(?:don't|do not|dont|never)(?: really| particularly| much)? (?:like|enjoy|care for) `,
    0.8,
    findLiking("does not like"),
  ),
  rule(
    `${AM} (?:an? )?(?:big |huge |massive |great )?(?:fan of|fond of|into|keen on) `,
    0.8,
    findLiking("likes"),
  ),
  rule(`${AM} (?:a )?(?:big |huge )?(?:fanatic|addict) of `, 0.75, findLiking("likes")),
  rule(`${I}(?:'d| would)?${ADVERBS} prefer (?!if|that|it|you)`, 0.85, findPreferred),
  rule(
    "[Mm]y (?:all-time |absolute |current |personal )?favou?rite (?<thing>[\\p{L} -]{2,40}?) (?<is>is|are|has always been) ",
    0.9,
    findFavorite,
  ),
  rule(`${I}${ADVERBS} (?:use|code in|program in|develop in) `, 0.75, findTool("uses")),
  rule(
    `${I}${ADVERBS} (?<verb>own|drive) (?<article>an? |the )?(?=\\p{Lu})`,
    0.8,
    findTool("owns"),
  ),
];
