import { describe, expect, test } from "vitest";

import { checkScene } from "./check.ts";
import { type GoldenScene, readCorpus } from "./corpus.ts";

// `node test/golden/main.ts check` replays the longer ones as well.
const CALLS_MAX = 200;

const corpus = readCorpus();
const short = corpus.filter(({ steps }) => steps.length <= CALLS_MAX);

/** A scene that creates a session, cut behind its first session. */
function sceneToChange(): { readonly scene: GoldenScene; readonly at: number } {
  for (const scene of short) {
    const at = scene.steps.findIndex(
      ({ method }, index) =>
        method === "createSession" && scene.answers[index]?.failure === undefined,
    );
    if (at >= 0 && scene.answers[at] !== null) return { scene, at };
  }
  throw new Error("No scene creates a session.");
}

describe("the golden corpus", () => {
  test("has a call of every rpc that is not compared by its time", () => {
    const methods = new Set(corpus.flatMap(({ steps }) => steps.map(({ method }) => method)));
    expect(methods.size).toBeGreaterThan(60);
  });

  test.each(short.map((scene) => [scene.name, scene] as const))("%s", async (_, scene) => {
    expect((await checkScene(scene)).differences).toEqual([]);
  });

  test("says which field of which rpc has another value", async () => {
    const { scene, at } = sceneToChange();
    const answers = [...scene.answers];
    const [bytes = ""] = answers[at]?.messages ?? [];
    answers[at] = { messages: [bytes.replace("default", "defauld")] };
    const { differences } = await checkScene({ ...scene, answers });
    expect(differences).toHaveLength(1);
    expect(differences[0]).toContain("CreateSession");
    expect(differences[0]).toContain('- session.namespace: "defauld"');
    expect(differences[0]).toContain('+ session.namespace: "default"');
  });

  test("says which table holds other bytes", async () => {
    const { scene } = sceneToChange();
    const stored = { ...scene.stored, message: "1 other" };
    const { differences } = await checkScene({ ...scene, stored });
    expect(differences).toEqual([expect.stringContaining("stored in message")]);
  });
});
