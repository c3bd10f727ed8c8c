// Conformance: tasks of sessions, and changes of single tasks.

import { describe, expect } from "vitest";
import type { SessionRef } from "../../../src/session/rules/session.ts";
import type { SessionView, Store, TaskPlan, TaskView } from "../../../src/store/store.ts";
import { NO_USAGE, type Task, taskNoAt } from "../../../src/tasks/rules/task.ts";
import { plain } from "../../support/kit/plain.ts";
import { newEvent, newLease, newReply, newTask, START_MS } from "../../support/store/plans.ts";
import { allTasks } from "../../support/store/read-all.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, type Ref, refOf, type Scene, testsOn } from "../scene.ts";

const HOUR = 472_222;

/** Saves a plan for the tasks of a session that exists. */
export function saveTasks(
  store: Store,
  ref: SessionRef,
  plan: (view: SessionView) => TaskPlan,
): Promise<readonly number[]> {
  return store.changeSession(ref, (view) => {
    const head = view.session?.head;
    if (head === undefined) throw new Error("There is no session.");
    const tasks = plan(view);
    return {
      kind: "save",
      result: (tasks.put ?? []).map(({ taskNo }) => taskNo),
      plan: { head: { ...head, revision: view.revision }, tasks, events: [newEvent(ref)] },
    };
  });
}

/** Makes tasks for a session that exists; gives their numbers. */
export function makeTasks(
  store: Store,
  ref: SessionRef,
  parts: readonly Partial<Task>[],
): Promise<readonly number[]> {
  return saveTasks(store, ref, ({ revision }) => ({
    put: parts.map((part, index) =>
      newTask({ ...ref, taskNo: taskNoAt(revision, index), ...part }),
    ),
  }));
}

async function make(scene: Scene, ref: Ref, count: number): Promise<readonly number[]> {
  await scene.append(ref, 1);
  return await makeTasks(
    scene.store,
    refOf(ref),
    Array.from({ length: count }, () => ({})),
  );
}

function tasksIn(scene: Scene, ref: Ref): Promise<readonly Task[]> {
  return scene.store.changeSession(refOf(ref), (view) => ({
    kind: "answer",
    result: view.tasks(),
  }));
}

function changeOf(taskNo: number) {
  return { namespace: "default", taskNo, hour: HOUR };
}

function look(scene: Scene, taskNo: number): Promise<TaskView> {
  return scene.store.changeTask(changeOf(taskNo), (view) => ({ kind: "answer", result: view }));
}

const FULL: Partial<Task> = {
  hook: "h\u00f6ok-\u{1f600}",
  state: "leased",
  dueMs: START_MS + 60_000,
  generation: 7,
  failedAttempts: 2,
  callCount: 5,
  lease: newLease({ worker: "w\u00f6rker", priorVersion: 3 }),
  lastFailure: { reason: "timeout", message: "It took too long.\n", atMs: START_MS - 1 },
  summarize: {
    ...newTask({ taskNo: 1, sessionId: "s" }).summarize,
    ranges: [
      { first: 1, last: 3 },
      { first: 9, last: 2 ** 40 },
    ],
    made: [{ messageId: "m\u00fc", version: 4 }],
    triggers: [{ kind: "tool-error", tool: "s\u00fcch" }],
    loop: 2,
    draft: {
      text: "d\u{1f600}",
      missingEntities: ["x"],
      requestText: "",
      facts: [],
      openThreads: [],
      model: "m",
      inputTokens: 1,
      outputTokens: 2,
    },
  },
};

/** Declares the tests of tasks. */
export function taskSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("the tasks of a session", () => {
    test("come back as they were saved, by rising number", async (scene) => {
      await scene.append("s", 1);
      await scene.append("other", 1);
      const first = await makeTasks(scene.store, refOf("s"), [
        FULL,
        {},
        { state: "waiting", dueMs: 0 },
      ]);
      await make(scene, "other", 2);
      const second = await makeTasks(scene.store, refOf("s"), [
        { state: "dead", dueMs: 0, deadMs: START_MS },
      ]);
      const numbers = [...first, ...second];
      for (let round = 0; round < 2; round += 1) {
        const found = await tasksIn(scene, "s");
        expect(found.map(({ taskNo }) => taskNo)).toEqual(numbers);
        expect(found[0]).toStrictEqual(newTask({ ...refOf("s"), ...FULL, taskNo: first[0] ?? 0 }));
        expect(found[1]).toStrictEqual(newTask({ ...refOf("s"), taskNo: first[1] ?? 0 }));
        expect(await scene.store.readTask("default", first[0] ?? 0)).toStrictEqual(found[0]);
        expect(await scene.store.readTask("other", first[0] ?? 0)).toBeUndefined();
        expect(await scene.store.readTask("default", 12_345_678)).toBeUndefined();
        await scene.engine.reopen();
      }
    });

    test("are none without a session", async (scene) => {
      expect(await tasksIn(scene, "none")).toEqual([]);
    });

    test("change and go with plans, and each plan sees the ones before", async (scene) => {
      const [one = 0, two = 0, three = 0] = await make(scene, "s", 3);
      const seen = await Promise.all([
        saveTasks(scene.store, refOf("s"), (view) => ({
          put: view
            .tasks()
            .filter(({ taskNo }) => taskNo === one)
            .map((task) => ({ ...task, generation: 2 })),
          remove: [two],
        })),
        saveTasks(scene.store, refOf("s"), (view) => ({
          put: view.tasks().map((task) => ({ ...task, callCount: task.callCount + 1 })),
        })),
        tasksIn(scene, "s"),
      ]);
      expect(seen[0]).toEqual([one]);
      expect(seen[1]).toEqual([one, three]);
      const after = await tasksIn(scene, "s");
      expect(seen[2]).toEqual(after);
      expect(after.map(({ generation, callCount }) => [generation, callCount])).toEqual([
        [2, 1],
        [1, 1],
      ]);
      expect(await scene.store.readTask("default", two)).toBeUndefined();
    });

    test("go with their session, whatever ends it", async (scene) => {
      const gone = await make(scene, "gone", 2);
      const replaced = await make(scene, "replaced", 2);
      const [kept = 0] = await make(scene, "kept", 1);
      await scene.run("remove", "gone", {});
      await scene.run("reset", "kept", { keepSystem: false });
      const log = await scene.store.importLog({ firstSeq: 1, lastSeq: 0 });
      await log.publish(refOf("replaced"), (view) => {
        const session = view.target;
        if (session === undefined) throw new Error("There is no session.");
        const empty = { messageCount: 0, tokenCount: 0 };
        const window = { ...empty, byteCount: 0 };
        const { fields, head } = session;
        return {
          kind: "save",
          result: 0,
          fields,
          head: { ...head, lastSeq: 0, log: empty, window, windowRanges: [] },
          events: [newEvent(refOf("replaced"))],
        };
      });
      for (let round = 0; round < 2; round += 1) {
        for (const taskNo of [...gone, ...replaced]) {
          expect(await scene.store.readTask("default", taskNo)).toBeUndefined();
        }
        const listed = await allTasks(scene.store, { namespace: "default", limit: 1 });
        expect(listed.map(({ taskNo }) => taskNo)).toEqual([kept]);
        const query = { hook: "hook", nowMs: START_MS, limit: 9, perNamespace: 9 };
        expect((await scene.store.dueTasks(query)).map(({ taskNo }) => taskNo)).toEqual([kept]);
        expect((await look(scene, gone[0] ?? 0)).task).toBeUndefined();
        await scene.append("gone", 1);
        expect(await tasksIn(scene, "gone")).toEqual([]);
        await scene.engine.reopen();
      }
    });

    test("are refused as a whole when one is not sound", async (scene) => {
      const [own = 0] = await make(scene, "s", 1);
      const [foreign = 0] = await make(scene, "other", 1);
      const ref = refOf("s");
      const parts = { ...ref, taskNo: own };
      const faulty: ((view: SessionView) => TaskPlan)[] = [
        ({ revision }) => ({ put: [newTask({ ...parts, taskNo: taskNoAt(revision + 1, 0) })] }),
        () => ({ put: [newTask({ ...parts, taskNo: own - 1 })] }),
        () => ({ put: [newTask({ ...parts, taskNo: foreign })] }),
        () => ({ put: [newTask({ ...parts, sessionId: "other" })] }),
        () => ({ put: [newTask({ ...parts, namespace: "other" })] }),
        () => ({ put: [newTask(parts), newTask(parts)] }),
        () => ({ put: [newTask(parts)], remove: [own] }),
        () => ({ remove: [foreign] }),
        () => ({ remove: [own, own] }),
        () => ({ remove: [own + 1] }),
        () => ({ put: [newTask({ ...parts, state: "leased" })] }),
        () => ({ put: [newTask({ ...parts, lease: newLease() })] }),
        () => ({ put: [newTask({ ...parts, state: "waiting" })] }),
        () => ({ put: [newTask({ ...parts, state: "dead" })] }),
        () => ({ put: [newTask({ ...parts, deadMs: 5 })] }),
        () => ({ put: [newTask({ ...parts, dueMs: -1 })] }),
        () => ({ put: [newTask({ ...parts, dueMs: 0.5 })] }),
        () => ({ put: [newTask({ ...parts, hook: "" })] }),
        () => ({ put: [newTask({ ...parts, callCount: -1 })] }),
        () => ({ put: [newTask({ ...parts, work: { ranges: [{ first: 2, last: 1 }] } })] }),
        () => ({ usage: { hook: "hook", hour: HOUR, usage: { calls: -1, tokens: 0 } } }),
        () => ({ usage: { hook: "hook", hour: 1.5, usage: { calls: 1, tokens: 0 } } }),
      ];
      const { revision } = await scene.append("s", 1);
      for (const [index, plan] of faulty.entries()) {
        const good = (view: SessionView) => newTask({ ...ref, taskNo: taskNoAt(view.revision, 9) });
        const saving = saveTasks(scene.store, ref, (view) => {
          const bad = plan(view);
          return { ...bad, put: [good(view), ...(bad.put ?? [])] };
        });
        const outcome = await saving.then(() => "saved", String);
        expect([index, outcome]).toEqual([index, expect.stringMatching(/^Error/)]);
      }
      const removal = scene.store.changeSession(ref, (view) => ({
        kind: "save",
        result: 0,
        plan: {
          remove: true,
          tasks: { put: [newTask({ ...ref, taskNo: taskNoAt(view.revision, 0) })] },
          events: [newEvent(ref)],
        },
      }));
      await expect(removal).rejects.toThrow("it adds to a session");
      expect(await revisionOf(scene.store)).toBe(revision);
      expect((await tasksIn(scene, "s")).map(({ taskNo }) => taskNo)).toEqual([own]);
      expect(await scene.store.readUsage("default", "hook", HOUR)).toEqual(NO_USAGE);
    });
  });

  describe("a change of a task", () => {
    test("sees it, changes it and makes neither revision nor event", async (scene) => {
      const [taskNo = 0] = await make(scene, "s", 1);
      const revision = await revisionOf(scene.store);
      const events = await scene.events();
      const lease = newLease();
      const result = await scene.store.changeTask(changeOf(taskNo), (view) => {
        const { task } = view;
        if (task === undefined) throw new Error("There is no task.");
        const dueMs = START_MS + 9;
        return { kind: "save", result: view, task: { ...task, state: "leased", dueMs, lease } };
      });
      expect(result.task).toStrictEqual(newTask({ ...refOf("s"), taskNo }));
      expect([result.usage, result.reply]).toEqual([NO_USAGE, undefined]);
      const session = await scene.store.readSession(refOf("s"));
      for (let round = 0; round < 2; round += 1) {
        expect((await look(scene, taskNo)).task).toMatchObject({ state: "leased", lease });
        expect(await revisionOf(scene.store)).toBe(revision);
        expect(await scene.events()).toEqual(events);
        expect(plain(await scene.store.readSession(refOf("s")))).toEqual(plain(session));
        await scene.engine.reopen();
      }
    });

    test("deletes it", async (scene) => {
      const [one = 0, two = 0] = await make(scene, "s", 2);
      const save = { kind: "save", result: 0, task: undefined } as const;
      await scene.store.changeTask(changeOf(one), () => save);
      expect((await tasksIn(scene, "s")).map(({ taskNo }) => taskNo)).toEqual([two]);
      expect(await look(scene, one)).toEqual({
        task: undefined,
        usage: NO_USAGE,
        reply: undefined,
      });
    });

    test("sees none of another namespace", async (scene) => {
      const [taskNo = 0] = await make(scene, "s", 1);
      const seen = await scene.store.changeTask(
        { ...changeOf(taskNo), namespace: "other" },
        (view) => ({ kind: "save", result: view.task, task: undefined }),
      );
      expect(seen).toBeUndefined();
      expect((await look(scene, taskNo)).task).toBeDefined();
    });

    test("counts what the hook took, for its namespace and hour", async (scene) => {
      const [taskNo = 0] = await make(scene, "s", 1);
      const usages = await Promise.all(
        [1, 2, 3].map((tokens) =>
          scene.store.changeTask(changeOf(taskNo), ({ task, usage }) => ({
            kind: "save",
            result: usage,
            task,
            usage: { calls: usage.calls + 1, tokens: usage.tokens + tokens },
          })),
        ),
      );
      expect(usages[2]).toEqual({ calls: 2, tokens: 3 });
      await saveTasks(scene.store, refOf("s"), (view) => {
        const { calls, tokens } = view.usage("hook", HOUR);
        return { usage: { hook: "hook", hour: HOUR, usage: { calls, tokens: tokens - 5 } } };
      });
      await scene.engine.reopen();
      const read = (namespace: string, hook: string, hour: number) =>
        scene.store.readUsage(namespace, hook, hour);
      expect(await read("default", "hook", HOUR)).toEqual({ calls: 3, tokens: 1 });
      expect(await read("default", "hook", HOUR + 1)).toEqual(NO_USAGE);
      expect(await read("default", "hoo", HOUR)).toEqual(NO_USAGE);
      expect(await read("defaul", "thook", HOUR)).toEqual(NO_USAGE);
      expect((await look(scene, taskNo)).usage).toEqual({ calls: 3, tokens: 1 });
    });

    test("remembers its answer under a request id", async (scene) => {
      const [taskNo = 0] = await make(scene, "s", 1);
      const change = { ...changeOf(taskNo), requestId: "r" };
      const reply = newReply("answer");
      await scene.store.changeTask(change, () => ({
        kind: "save",
        result: 0,
        task: undefined,
        reply,
      }));
      await scene.engine.reopen();
      const again = await scene.store.changeTask(change, (view) => ({
        kind: "answer",
        result: view.reply,
      }));
      expect(Buffer.from(again?.bytes ?? []).toString()).toBe("answer");
    });

    test("is refused when it is not sound, and throws what decide throws", async (scene) => {
      const [one = 0, two = 0] = await make(scene, "s", 2);
      const task = newTask({ ...refOf("s"), taskNo: one });
      const faulty: readonly Task[] = [
        { ...task, taskNo: two },
        { ...task, namespace: "other" },
        { ...task, sessionId: "other" },
        { ...task, state: "dead" },
      ];
      for (const other of faulty) {
        const saving = scene.store.changeTask(changeOf(one), () => ({
          kind: "save",
          result: 0,
          task: other,
        }));
        await expect(saving).rejects.toThrow();
      }
      const usage = { calls: 1, tokens: 1 };
      const none = { kind: "save", result: 0, task: undefined, usage } as const;
      await expect(scene.store.changeTask(changeOf(999), () => none)).rejects.toThrow();
      const fail = () => {
        throw new Error("not now");
      };
      await expect(scene.store.changeTask(changeOf(one), fail)).rejects.toThrow("not now");
      expect((await look(scene, one)).task).toStrictEqual(task);
      expect(await scene.store.readUsage("default", "hook", HOUR)).toEqual(NO_USAGE);
    });
  });
}
