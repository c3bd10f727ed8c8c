// `npm run bench:facts`: how much of what the rules find in labelled sentences, and of what is
// promoted of them, is true, and how much of what is stated they find. With `--wrong` it names the
// sentences of the part `dev` that went wrong; those of the part `test` stay held out.

import {
  figuresOf,
  judgeExtraction,
  judgePromotion,
  type Labelled,
  readSentences,
  type Verdict,
} from "./judge.ts";

const WAYS: readonly (readonly [string, (sentence: Labelled) => Verdict])[] = [
  ["extraction by rules", judgeExtraction],
  ["promotion by default", judgePromotion],
];
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const sentences = readSentences();
console.log("| way | part | sentences | made | precision | recall |");
console.log("| --- | --- | --- | --- | --- | --- |");
for (const [way, judge] of WAYS) {
  for (const part of ["dev", "test"] as const) {
    const verdicts = sentences.filter((one) => one.part === part).map(judge);
    const { precision, recall, madeCount } = figuresOf(verdicts);
    const figures = [percent(precision), percent(recall)];
    console.log(`| ${[way, part, verdicts.length, madeCount, ...figures].join(" | ")} |`);
  }
}

if (process.argv.includes("--wrong")) {
  for (const [way, judge] of WAYS) {
    for (const sentence of sentences.filter(({ part }) => part === "dev")) {
      const { made, rightCount } = judge(sentence);
      const isMissed = sentence.facts.length > 0 && rightCount === 0;
      if (!isMissed && rightCount === made.length) continue;
      console.log(`${way}, ${sentence.kind}: ${sentence.text} => ${made.join(" / ") || "nothing"}`);
    }
  }
}
