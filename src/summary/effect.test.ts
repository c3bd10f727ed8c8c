import { afterEach, describe, expect, test } from "vitest";
import { MANUAL_HOOKS } from "../../test/support/hooks/hooks.ts";
import {
  type EffectScene,
  lines,
  openPolicy,
  SESSION,
  sceneOf,
  summarizing,
} from "../../test/support/services/effect-scene.ts";
import { jsonCodec } from "../../test/support/services/json-codec.ts";
import { dropOldest } from "../../test/support/window/policies.ts";
import type { ServiceContext } from "../core/context.ts";
import { Etags } from "../kit/etag.ts";
import { PARTICIPANTS } from "../services.ts";
import { newSession } from "../session/sessions.ts";
import type { StoredEntry } from "../store/store.ts";
import type { Settling } from "../tasks/settle.ts";
import { CEILING } from "../window/policy/policy.ts";
import { changeAndTrim } from "./effect.ts";
import { TRUST } from "./rules/summary.ts";

const scenes: EffectScene[] = [];

afterEach(async () => {
  for (const made of scenes.splice(0)) await made.stop();
});

async function scene(...how: Parameters<typeof sceneOf>): Promise<EffectScene> {
  const made = await sceneOf(...how);
  scenes.push(made);
  return made;
}

describe("texts that only a tokenizer counts", () => {
  test("are counted before the decision, whatever it turns out to need", async () => {
    for (const keep of ["in-place", "append"] as const) {
      const stage = summarizing({ keep, prefix: "So far: " });
      const s = await scene(openPolicy([stage], { tokenRule: "o200k" }));
      await s.append(lines(5));
      await s.setSummary("known by hand already");
      expect(await s.make("a summary of five words")).toMatchObject({ kind: "done" });
      const { summary, inserts } = (await s.session()).fields;
      const shown = {
        "in-place": ["So far: a summary of five words", inserts[0]?.tokenCount],
        append: ["known by hand already a summary of five words", summary?.tokenCount],
      }[keep];
      const rule = { rule: "o200k", imageTokenCount: 0, custom: undefined } as const;
      const count = await s.context.tokens.countText(String(shown[0]), rule);
      expect(shown[1]).toBe(count);
    }
  });

  test("are cut at the end of a sentence at twice the tokens that were asked for", async () => {
    const words = (count: number) => Array(count).fill("word").join(" ");
    for (const [text, shown] of [
      [words(32), words(32)],
      [words(33), `${words(31)} …`],
      [`One. Two! ${words(33)}.`, "One. Two!"],
    ] as const) {
      const stage = summarizing({ maxTokens: 16, keep: "replace" });
      const s = await scene(openPolicy([stage], { tokenRule: "cl100k" }));
      await s.append(lines(5, 1, { tokenCount: 100 }));
      expect(await s.make(text)).toMatchObject({ kind: "done" });
      expect((await s.session()).fields.summary?.text).toBe(shown);
    }
  });
});

describe("the ceiling of a window", () => {
  const HUGE = 1_000_000;

  test("is not passed by a text that costs less and takes more bytes", async () => {
    const select = dropOldest({ maxMessages: 4 });
    const s = await scene(openPolicy([summarizing({ maxTokens: 16_384 }, { select })]));
    const small = lines(2, 1, { tokenCount: 50_000 });
    const size = CEILING.bytes / 4 - 5_000;
    const large = lines(4, 3).map((line) => ({ ...line, text: "x".repeat(size) }));
    await s.append([...small, ...large]);
    expect((await s.session()).head.window.messageCount).toBe(6);
    const result = await s.make("y".repeat(60_000));
    expect(result).toMatchObject({ kind: "failed", reason: "output-too-long" });
    expect((await s.session()).head.window.messageCount).toBe(6);
    s.services.advance(10_000);
    expect(await s.make("y")).toMatchObject({ kind: "done" });
  });

  test("keeps no result away: the policy has its turn later", () => {
    const context: ServiceContext = {
      store: undefined as never,
      etags: new Etags("0123456789abcdef"),
      codec: jsonCodec,
      world: { nowMs: () => 1, random: (length) => new Uint8Array(length) },
      tokens: undefined as never,
      hooks: MANUAL_HOOKS,
      participants: PARTICIPANTS,
      settings: { idempotencyWindowMs: 1, eventAgeMsMax: 1, eventCountMax: 1 },
    };
    const settling = {
      ...{ context, nowMs: 1, messageId: "m", goneTrust: TRUST.high, countText: () => 0 },
      call: undefined as never,
    } satisfies Settling;
    const stamp = { revision: 1, nowMs: 1 };
    const policy = openPolicy([summarizing()], {
      protections: { system: "all", pinFirst: 9, pinIds: [], minMessages: 1, lastUser: true },
    });
    const bare = newSession(SESSION, { policy }, stamp);
    const window = [1, 2, 3, 4].map(
      (seq): StoredEntry => ({
        ...{ seq, messageId: `m${seq}`, role: 1, callIds: [], answers: [], isResult: false },
        ...{ tokenCount: 1, createMs: 1, byteCount: HUGE, bytes: new Uint8Array(0) },
      }),
    );
    const head = { ...bare.head, lastSeq: 4, windowRanges: [{ first: 1, last: 4 }] };
    const base = { session: { ...bare, head }, window, stamp, tasks: () => [] };
    const change = changeAndTrim(settling, base);
    expect(change.window).toHaveLength(4);
    expect(change.tasks).toBeUndefined();
  });
});
