// Measures what makes vectors in this process: the static table, and a sentence transformer in a
// directory if one is named.
//
//   node bench/embedders.ts [directory]

import { performance } from "node:perf_hooks";
import { openOnnxEmbedder } from "../src/recall/embed/onnx.ts";
import { loadStaticEmbedder } from "../src/recall/embed/static.ts";

const WORDS = `yesterday I went to a support group with my sister and it was powerful because the
  stories were inspiring and everybody felt thankful for the help that they had found there`;
const LENGTHS = [10, 30] as const;
const TEXTS = 50_000;
const MODEL_TEXTS = 256;

/** Distinct texts with the given number of words. */
function textsOf(count: number, words: number): string[] {
  const all = WORDS.split(/\s+/);
  return Array.from({ length: count }, (_, text) => {
    const from = text % all.length;
    return `${text} ${[...all.slice(from), ...all].slice(0, words - 1).join(" ")}`;
  });
}

function show(name: string, texts: number, startMs: number): void {
  const perSecond = texts / ((performance.now() - startMs) / 1000);
  console.log(`${name}: ${Math.round(perSecond).toLocaleString("en")} texts a second`);
}

const loadMs = performance.now();
const table = loadStaticEmbedder();
console.log(`${table.model}: loaded in ${(performance.now() - loadMs).toFixed(0)} ms`);
for (const words of LENGTHS) {
  const texts = textsOf(TEXTS, words);
  const start = performance.now();
  for (const text of texts) table.embedText(text);
  show(`${table.model}, ${words} words`, TEXTS, start);
}
await table.close();

const [directory] = process.argv.slice(2);
if (directory !== undefined) {
  const openMs = performance.now();
  const model = await openOnnxEmbedder({ name: "bench", directory });
  console.log(`${model.model}: loaded in ${(performance.now() - openMs).toFixed(0)} ms`);
  for (const words of LENGTHS) {
    const start = performance.now();
    await model.embed(textsOf(MODEL_TEXTS, words), "passage");
    show(`${model.model}, ${words} words`, MODEL_TEXTS, start);
  }
  await model.close();
}
