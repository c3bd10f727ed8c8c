import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Embedder } from "./embedder.ts";
import { type OnnxOptions, openOnnxEmbedder } from "./onnx.ts";

const TINY = join(import.meta.dirname, "../../../test/support/recall/tiny-model");

let scratch = "";
let directory = "";
const open: Embedder[] = [];

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "onnx-"));
  directory = join(scratch, "tiny");
  cpSync(TINY, directory, { recursive: true });
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((embedder) => embedder.close()));
  rmSync(scratch, { recursive: true });
});

async function opened(options: Partial<OnnxOptions> = {}): Promise<Embedder> {
  const embedder = await openOnnxEmbedder({ name: "mine", directory, ...options });
  open.push(embedder);
  return embedder;
}

function write(name: string, value: unknown): void {
  mkdirSync(join(directory, name, ".."), { recursive: true });
  writeFileSync(join(directory, name), typeof value === "string" ? value : JSON.stringify(value));
}

/** A thread that answers as the code says; `first` is what every model is asked at the start. */
function threadOf(code: string): URL {
  const source = `
    import { parentPort } from "node:worker_threads";
    const opened = { digest: "0123456789abcdef", dimensions: 2, queryPrefix: "", passagePrefix: "" };
    const vectorsOf = (texts) => texts.map(() => new Float32Array([1, 0]));
    parentPort.on("message", ({ id, texts }) => {
      const answer = (rest) => parentPort.postMessage({ id, ...rest });
      if (texts === undefined) answer({ opened });
      else { ${code} }
    });`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

const one = (embedder: Embedder, text: string): Promise<Float32Array[]> =>
  embedder.embed([text], "passage");

describe("a sentence transformer of the operator", () => {
  test("gives a vector of unit length for each text, in order, over several batches", async () => {
    const embedder = await opened({ batchSize: 2 });
    const texts = ["the dog", "a cat sleeps", "hello world", "the dog runs", "cat"];
    const vectors = await embedder.embed(texts, "passage");
    expect(embedder.dimensions).toBe(4);
    expect(vectors.map((vector) => Math.hypot(...vector))).toEqual(
      texts.map(() => expect.closeTo(1, 5)),
    );
    for (const [i, text] of texts.entries()) {
      const [alone = new Float32Array()] = await one(embedder, text);
      expect([...(vectors[i] ?? [])]).toEqual([...alone].map((value) => expect.closeTo(value, 5)));
    }
  });

  test("pools as the directory says", async () => {
    const mean = await one(await opened(), "dog");
    write("1_Pooling/config.json", { pooling_mode_cls_token: true });
    const cls = await opened();
    const first = await one(cls, "dog");
    expect(first).not.toEqual(mean);
    // The first token begins every text, and this model knows no context.
    expect(await one(cls, "world cat")).toEqual(first);
  });

  test("reads a text as far as the model does, and keeps the token that ends it", async () => {
    const embedder = await opened();
    const [long] = await one(embedder, `${"dog ".repeat(6)}cat`);
    expect(long).toEqual((await one(embedder, "dog dog dog dog dog dog"))[0]);
    const [huge] = await one(embedder, "dog ".repeat(300_000));
    expect(huge).toEqual(long);
  });

  test("gives zeros for blank text and takes any other", async () => {
    const embedder = await opened();
    const texts = ["", " \n", "🎉", "犬が走る", "half \ud83c", "\0", "[SEP] [PAD]"];
    const lengths = (await embedder.embed(texts, "query")).map((vector) => Math.hypot(...vector));
    expect(lengths).toEqual([0, 0, ...Array(5).fill(expect.closeTo(1, 5))]);
    expect(await embedder.embed([], "query")).toEqual([]);
  });

  test("puts the prefixes of the directory before texts, or those of the operator", async () => {
    write("config_sentence_transformers.json", {
      prompts: { query: "query: ", document: "passage: " },
    });
    const embedder = await opened();
    const [query] = await embedder.embed(["dog"], "query");
    const [passage] = await embedder.embed(["dog"], "passage");
    expect(query).not.toEqual(passage);
    const plain = await opened({ queryPrefix: "", passagePrefix: "query: " });
    expect(await plain.embed(["query: dog"], "query")).toEqual([query]);
    expect(await plain.embed(["dog"], "passage")).toEqual([query]);
    expect(plain.model).not.toBe(embedder.model);
  });

  test("names the model by its content", async () => {
    const one = await opened();
    const again = await opened();
    expect(again.model).toBe(one.model);
    expect(one.model).toMatch(/^onnx-tiny-[0-9a-f]{12}\/d4\//);
    write("sentence_bert_config.json", { max_seq_length: 6 });
    expect((await opened()).model).not.toBe(one.model);
  });

  test("stops waiting when it is told, and goes on for others", async () => {
    const embedder = await opened();
    const stop = new AbortController();
    const stopped = embedder.embed(Array(200).fill("dog"), "passage", stop.signal);
    stop.abort();
    await expect(stopped).rejects.toBe(stop.signal.reason);
    await expect(embedder.embed(["dog"], "query", stop.signal)).rejects.toBe(stop.signal.reason);
    expect(await one(embedder, "dog")).toHaveLength(1);
  });

  test("fails calls after it was closed", async () => {
    const embedder = await opened();
    const waiting = embedder.embed(Array(200).fill("dog"), "passage");
    const failed = expect(waiting).rejects.toMatchObject({ reason: "EMBEDDER_UNAVAILABLE" });
    await embedder.close();
    await failed;
    await expect(one(embedder, "dog")).rejects.toMatchObject({ reason: "EMBEDDER_UNAVAILABLE" });
  });
});

describe("a directory that cannot be used", () => {
  const gone = (name: string): void => rmSync(join(directory, name), { recursive: true });

  test.each<[string, () => void, RegExp]>([
    ["is missing", () => gone("."), /the directory does not exist/],
    ["has no model", () => gone("model.onnx"), /model\.onnx is missing/],
    ["has no tokenizer", () => gone("tokenizer.json"), /tokenizer\.json is missing/],
    ["has a damaged model", () => write("model.onnx", "no model"), /model\.onnx is damaged/],
    ["has an empty model", () => write("model.onnx", ""), /model\.onnx is damaged/],
    ["has half a tokenizer", () => write("tokenizer.json", "{"), /tokenizer\.json is not JSON/],
    ["has another tokenizer", () => write("tokenizer.json", {}), /tokenizer\.json is damaged/],
    [
      "pools in two ways",
      () =>
        write("1_Pooling/config.json", {
          pooling_mode_cls_token: true,
          pooling_mode_mean_tokens: true,
        }),
      /exactly one of/,
    ],
    [
      "has a step that is not done",
      () => write("modules.json", [{ type: "sentence_transformers.models.Dense" }]),
      /has the step Dense/,
    ],
    [
      "reads too little",
      () => write("sentence_bert_config.json", { max_seq_length: 2 }),
      /fewer tokens than every text has/,
    ],
  ])("%s", async (_, breakIt, problem) => {
    breakIt();
    await expect(opened()).rejects.toThrow(problem);
    await expect(opened()).rejects.toThrow(`embedder mine: ${directory} cannot be used: `);
  });
});

describe("the runtime", () => {
  test("is named with its version when it is not installed", async () => {
    const worker = new URL("./onnx-worker.ts", import.meta.url).href;
    const source = `
      import { registerHooks } from "node:module";
      const gone = () => {
        throw Object.assign(new Error("gone"), { code: "ERR_MODULE_NOT_FOUND" });
      };
      const resolve = (name, context, next) =>
        name === "onnxruntime-node" ? gone() : next(name, context);
      registerHooks({ resolve });
      await import(${JSON.stringify(worker)});`;
    const workerUrl = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
    await expect(opened({ workerUrl })).rejects.toThrow(
      /onnxruntime-node is not installed; install onnxruntime-node@1\.30\.0 beside the server/,
    );
  });

  test("has the version that the tests run with", async () => {
    const session = readFileSync(join(import.meta.dirname, "onnx-session.ts"), "utf8");
    const manifest = readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8");
    const [, version = ""] = /RUNTIME_VERSION = "([^"]+)"/.exec(session) ?? [];
    expect(manifest).toContain(`"onnxruntime-node": "${version}"`);
  });
});

describe("the thread of the model", () => {
  test("starts again after it crashed", async () => {
    const code = 'if (texts[0] === "crash") throw new Error("broken"); ';
    const embedder = await opened({
      workerUrl: threadOf(`${code} answer({ vectors: vectorsOf(texts) })`),
    });
    const crashed = one(embedder, "crash");
    const after = one(embedder, "dog");
    await expect(crashed).rejects.toMatchObject({
      reason: "EMBEDDER_UNAVAILABLE",
      cause: new Error("broken"),
    });
    expect(await after).toEqual([new Float32Array([1, 0])]);
    expect(await one(embedder, "dog")).toHaveLength(1);
  });

  test("starts again after it ended", async () => {
    const code = 'if (texts[0] === "end") process.exit(0); answer({ vectors: vectorsOf(texts) })';
    const embedder = await opened({ workerUrl: threadOf(code) });
    await expect(one(embedder, "end")).rejects.toMatchObject({ reason: "EMBEDDER_UNAVAILABLE" });
    expect(await one(embedder, "dog")).toHaveLength(1);
  });

  test("fails what waits when a batch takes too long, and goes on when it is done", async () => {
    const code = `const late = texts[0] === "slow" ? 600 : 0;
      setTimeout(() => answer({ vectors: vectorsOf(texts) }), late);`;
    const embedder = await opened({ workerUrl: threadOf(code), timeoutMs: 200 });
    const calls = [one(embedder, "slow"), one(embedder, "dog")];
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ reason: "EMBEDDER_UNAVAILABLE" });
    }
    await expect(one(embedder, "dog")).rejects.toMatchObject({ reason: "EMBEDDER_UNAVAILABLE" });
    await expect
      .poll(() => one(embedder, "dog").catch(() => []), { timeout: 5_000 })
      .toHaveLength(1);
  });

  test("does not wait for ever to be closed", async () => {
    const embedder = await opened({ workerUrl: threadOf(""), timeoutMs: 30 });
    await expect(one(embedder, "dog")).rejects.toMatchObject({ reason: "EMBEDDER_UNAVAILABLE" });
    await embedder.close();
  });

  test("fails to open when the thread does not answer", async () => {
    const silent = new URL("data:text/javascript,setInterval(() => {}, 1000)");
    await expect(opened({ workerUrl: silent, timeoutMs: 20, loadTimeoutMs: 30 })).rejects.toThrow(
      /more than 50 ms/,
    );
  });

  test("answers queries before passages that wait", async () => {
    const embedder = await opened({ batchSize: 1 });
    const order: string[] = [];
    const passages = embedder.embed(Array(50).fill("dog"), "passage");
    const query = embedder.embed(["dog"], "query");
    await Promise.all([
      passages.then(() => order.push("passages")),
      query.then(() => order.push("query")),
    ]);
    expect(order).toEqual(["query", "passages"]);
  });
});
