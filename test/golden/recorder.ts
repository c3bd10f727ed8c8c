// Records what the contract suite asks its servers. `vitest.config.ts` loads it before each test
// file when the variable GOLDEN_RECORD names a folder; each server then leaves a scene there.

import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { status as codes, InterceptingCall, type Interceptor } from "@grpc/grpc-js";
import { expect } from "vitest";
import type { WatchEventsResponse } from "../../src/gen/memorysidecar/v1/event_service.ts";
import type { Hooks } from "../../src/hooks/port.ts";
import type { Store } from "../../src/store/store.ts";
import { type Recording, recordWith, type TestServerOptions } from "../support/contract/client.ts";
import { storeWith } from "../support/services/services.ts";
import {
  methodOfPath,
  type Scene,
  type SceneHook,
  SceneWorld,
  START_MS,
  STORE_IDS,
  type Step,
} from "./scene.ts";

const FOLDER = process.env["GOLDEN_RECORD"] ?? "";
const ROOT = join(import.meta.dirname, "../..");
const WORK = ["summarize", "embedder", "rerank", "extract", "score", "resolve"] as const;

/** Statuses of calls whose client went away: nobody knows their outcome. */
const LOST = new Set<number>([codes.CANCELLED, codes.DEADLINE_EXCEEDED]);

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The scene of one server while it runs. */
class SceneRecording implements Recording {
  readonly world = new SceneWorld();
  readonly #scene: Omit<Scene, "steps">;
  readonly #steps: Step[] = [];
  readonly #open = new Set<number>();

  constructor(options: TestServerOptions) {
    const { testPath, currentTestName } = expect.getState();
    const file = relative(join(ROOT, "test"), testPath ?? "");
    const lacks = options.wrapStore === undefined ? [] : ["its store"];
    const { listen: _, tokenFile, ...settings } = options.settings ?? {};
    this.#scene = {
      name: currentTestName === undefined ? file : `${file} > ${currentTestName}`,
      settings: {
        ...settings,
        ...(tokenFile === undefined ? {} : { tokens: readFileSync(tokenFile, "utf8") }),
      },
      ...readHooks(options.hooks, lacks),
      lacks,
    };
    if (options.startMs !== undefined) this.world.offsetMs = options.startMs - START_MS;
  }

  readonly #interceptor: Interceptor = (options, nextCall) => {
    const method = methodOfPath(options.method_definition.path);
    let at = -1;
    let token: string | undefined;
    let step: Writable<Step> | undefined;
    return new InterceptingCall(nextCall(options), {
      start: (metadata, _listener, next) => {
        token = metadata.get("authorization")[0]?.toString();
        next(metadata, {
          onReceiveMessage: (message, nextMessage) => {
            if (step !== undefined && method === "watchEvents") {
              const { events } = message as WatchEventsResponse;
              step.events = (step.events ?? 0) + events.length;
            }
            nextMessage(message);
          },
          onReceiveStatus: (status, nextStatus) => {
            this.#open.delete(at);
            if (step !== undefined && method !== "watchEvents" && LOST.has(status.code)) {
              step.isLost = true;
            }
            nextStatus(status);
          },
        });
      },
      sendMessage: (message: Buffer, next) => {
        if (method !== undefined) {
          this.world.offsetMs += 1;
          step = {
            method,
            atMs: this.world.offsetMs,
            request: message.toString("latin1"),
            ...(token === undefined ? {} : { token }),
            ...(this.#open.size === 0 ? {} : { during: [...this.#open] }),
          };
          at = this.#steps.push(step) - 1;
          this.#open.add(at);
        }
        next(message);
      },
    });
  };

  /** The store with the ids that every scene has. */
  nameStore(store: Store): Store {
    return this.#scene.lacks.includes("its store") ? store : storeWith(store, STORE_IDS);
  }

  readonly interceptors = [this.#interceptor];

  /** Writes the scene. */
  end(): void {
    if (this.#steps.length === 0) return;
    const scene: Scene = { ...this.#scene, steps: this.#steps };
    writeFileSync(join(FOLDER, `${randomUUID()}.json`), JSON.stringify(scene));
  }
}

function readHooks(hooks: Hooks | undefined, lacks: string[]) {
  if (hooks === undefined) return { hooks: [], defaults: {} };
  const { byName, close: _, ...defaults } = hooks;
  const described = [...byName.values()].map((hook): SceneHook => {
    const { name, kind, settings, polled } = hook;
    if (name !== "builtin" && WORK.some((work) => hook[work] !== undefined)) lacks.push(name);
    return { name, kind, settings, ...(polled === undefined ? {} : { polled }) };
  });
  return { hooks: described, defaults };
}

recordWith((options) => new SceneRecording(options));
