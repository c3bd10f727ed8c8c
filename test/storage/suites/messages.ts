// Conformance: messages by page and by id, with holes.

import { describe, expect } from "vitest";
import type { MessageQuery } from "../../../src/store/store.ts";
import { ROLE, type Role } from "../../../src/window/rules/types.ts";
import { plain } from "../../support/kit/plain.ts";
import { serverId } from "../../support/store/actions.ts";
import { newMessage, textOf } from "../../support/store/plans.ts";
import { messageView } from "../../support/store/read-all.ts";
import { type OpenEngine, refOf, type Scene, testsOn } from "../scene.ts";

const ROLES: readonly Role[] = [ROLE.user, ROLE.assistant, ROLE.system, ROLE.tool];

/** A log of 40 messages with roles in turn, of which some were erased. */
async function makeLog(scene: Scene): Promise<readonly number[]> {
  const drafts = Array.from({ length: 40 }, (_, index) => ({
    messageId: `id-${index + 1}`,
    role: ROLES[index % 4] ?? ROLE.user,
  }));
  await scene.append("s", drafts.slice(0, 25));
  await scene.append("s", drafts.slice(25));
  const holes = [1, 2, 7, 12, 13, 14, 15, 16, 30, 40];
  for (const seq of holes) {
    await scene.run("erase", "s", { messageId: `id-${seq}`, looks: false });
  }
  return drafts.map((_, index) => index + 1).filter((seq) => !holes.includes(seq));
}

/** Declares the tests of messages. */
export function messageSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a list of messages", () => {
    test("follows the seqs both ways, by range, role and limit, over holes", async (scene) => {
      const seqs = await makeLog(scene);
      const roleOf = (seq: number) => ROLES[(seq - 1) % 4] as Role;
      for (const order of ["asc", "desc"] as const) {
        for (const [firstSeq, lastSeq] of [
          [0, 999],
          [1, 40],
          [2, 39],
          [7, 7],
          [8, 8],
          [12, 16],
          [13, 20],
          [41, 50],
          [20, 10],
        ] as const) {
          for (const roles of [undefined, [ROLE.user], [ROLE.tool, ROLE.system], ROLES, []]) {
            for (const limit of [1, 3, 30, 1_000]) {
              const query: MessageQuery = {
                ...{ firstSeq, lastSeq, order, limit },
                ...(roles === undefined ? {} : { roles: new Set(roles) }),
              };
              const found = (await scene.messages("s", query))?.map(({ seq }) => seq);
              const expected = seqs.filter(
                (seq) =>
                  firstSeq <= seq &&
                  seq <= lastSeq &&
                  (roles === undefined || roles.includes(roleOf(seq))),
              );
              expect(found).toEqual(order === "asc" ? expected : expected.reverse());
            }
          }
        }
      }
    });

    test("gives those that a test means, and goes on where it stopped looking", async (scene) => {
      await scene.append("s", 30);
      const where = (bytes: Uint8Array) => textOf(bytes).endsWith("7");
      for (const order of ["asc", "desc"] as const) {
        const found = await scene.messages("s", { where, order, limit: 2 });
        const seqs = [8, 18, 28];
        expect(found?.map(({ seq }) => seq)).toEqual(order === "asc" ? seqs : seqs.reverse());
      }
      const all = { firstSeq: 1, lastSeq: 30, order: "asc", limit: 10 } as const;
      const page = await scene.store.listMessages(refOf("s"), { ...all, where, looks: 5 });
      expect(page?.messages.length).toBeLessThanOrEqual(3);
      const rest = { ...all, where, firstSeq: page?.next ?? 31 };
      const others = await scene.store.listMessages(refOf("s"), rest);
      const seqs = [...(page?.messages ?? []), ...(others?.messages ?? [])].map(({ seq }) => seq);
      expect(seqs).toEqual([8, 18, 28]);
    });

    test("gives whole messages", async (scene) => {
      const parts = {
        messageId: "mine",
        role: ROLE.tool,
        tokenCount: 77,
        text: "what a tool said",
      };
      await scene.append("s", [parts]);
      const { seq, messageId, role, tokenCount, bytes } = newMessage({ ...parts, seq: 1 });
      const message = { seq, messageId, role, tokenCount, bytes };
      expect(plain(await scene.messages("s"))).toEqual([plain(message)]);
      const found = await scene.store.readMessage(refOf("s"), "mine");
      expect(plain(found && messageView(found))).toEqual(plain(message));
    });

    test("is undefined without a session, and empty without messages", async (scene) => {
      expect(await scene.messages("s")).toBeUndefined();
      await scene.create("s");
      expect(await scene.messages("s")).toEqual([]);
    });

    test("shows a message as it was changed last", async (scene) => {
      await scene.append("s", [{ messageId: "a", text: "one" }, "two"]);
      for (const [text, tokenCount] of [
        ["short", 1],
        ["much longer than before", 99],
      ] as const) {
        await scene.run("replace", "s", { messageId: "a", text, tokenCount, looks: false });
        expect(await scene.texts("s")).toEqual([text, "two"]);
        const message = await scene.store.readMessage(refOf("s"), "a");
        expect(message).toMatchObject({ seq: 1, messageId: "a", tokenCount });
        expect(textOf(message?.bytes ?? new Uint8Array())).toBe(text);
      }
    });

    test("does not show what was trimmed any less", async (scene) => {
      await scene.append("s", 20, { looks: true, keep: 1 });
      expect((await scene.messages("s"))?.length).toBe(20);
    });
  });

  describe("a message by its id", () => {
    test("is found by an id of the caller and by one of the server", async (scene) => {
      await scene.append("s", [{ messageId: "mine" }, "unnamed"]);
      const [, unnamed] = (await scene.messages("s")) ?? [];
      expect(unnamed?.messageId).toMatch(/^m2-/);
      expect((await scene.store.readMessage(refOf("s"), "mine"))?.seq).toBe(1);
      const found = await scene.store.readMessage(refOf("s"), unnamed?.messageId ?? "");
      expect(plain(found && messageView(found))).toEqual(plain(unnamed));
    });

    test("is found though the caller's id looks like the server's of another seq", async (scene) => {
      const forOne = serverId(1, 1);
      const forTwo = serverId(2, 2);
      const forFive = serverId(5, 5);
      const far = serverId(1_000_000, 9);
      const drafts = [forTwo, forOne, far, forFive].map((messageId) => ({ messageId }));
      await scene.append("s", drafts);
      const seqOf = async (id: string) => (await scene.store.readMessage(refOf("s"), id))?.seq;
      for (let round = 0; round < 2; round += 1) {
        expect(await seqOf(forTwo)).toBe(1);
        expect(await seqOf(forOne)).toBe(2);
        expect(await seqOf(far)).toBe(3);
        expect(await seqOf(forFive)).toBe(4);
        expect(await seqOf(serverId(1, 77))).toBeUndefined();
        expect(await seqOf(serverId(3, 3))).toBeUndefined();
        await scene.engine.reopen();
      }
      const again = scene.append("s", [{ messageId: forTwo }]);
      await expect(again).rejects.toMatchObject({ reason: "MESSAGE_ALREADY_EXISTS" });
      const own = { messageId: serverId(5, 50) };
      await scene.append("s", [own]);
      expect(await seqOf(own.messageId)).toBe(5);
      await scene.run("erase", "s", { messageId: forFive, looks: false });
      expect(await seqOf(forFive)).toBeUndefined();
      expect(await seqOf(own.messageId)).toBe(5);
      await scene.append("s", [{ messageId: forFive }]);
      expect(await seqOf(forFive)).toBe(6);
      const copied = await scene.fork("s", "t");
      expect(copied.lastSeq).toBe(6);
      expect((await scene.store.readMessage(refOf("t"), forTwo))?.seq).toBe(1);
      expect((await scene.store.readMessage(refOf("t"), own.messageId))?.seq).toBe(5);
    });

    test("is gone once it is erased, and its id is free", async (scene) => {
      await scene.append("s", [{ messageId: "a" }, { messageId: "b" }, "unnamed"]);
      const unnamed = (await scene.messages("s"))?.[2]?.messageId ?? "";
      for (const messageId of ["a", unnamed]) {
        await scene.run("erase", "s", { messageId, looks: true });
        expect(await scene.store.readMessage(refOf("s"), messageId)).toBeUndefined();
        const again = scene.run("erase", "s", { messageId, looks: false });
        await expect(again).rejects.toMatchObject({ reason: "MESSAGE_NOT_FOUND" });
      }
      await scene.append("s", [{ messageId: "a", text: "new" }]);
      expect(await scene.store.readMessage(refOf("s"), "a")).toMatchObject({ seq: 4 });
      const session = await scene.store.readSession(refOf("s"));
      expect(session?.head.log).toEqual({ messageCount: 2, tokenCount: 20 });
    });

    test("never gets a seq that was used, also at the end of the log", async (scene) => {
      await scene.append("s", [{ messageId: "a" }, { messageId: "b" }]);
      await scene.run("erase", "s", { messageId: "b", looks: false });
      await scene.engine.reopen();
      expect((await scene.append("s", [{ messageId: "b" }])).lastSeq).toBe(3);
      await scene.run("reset", "s", { keepSystem: false });
      await scene.engine.reopen();
      expect((await scene.append("s", [{ messageId: "b" }])).lastSeq).toBe(4);
      expect((await scene.messages("s"))?.map(({ seq }) => seq)).toEqual([4]);
    });
  });
}
