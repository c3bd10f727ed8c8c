// The model that finds facts and says how important texts are: a chat endpoint that the sidecar's
// hooks ask over HTTP. It answers with the raw words of a case, fences and nonsense included. Cases
// run one after the other, and what is asked does not say for whom.

import {
  answerWith,
  complete,
  type HttpAct,
  type SeenRequest,
  startScriptedHttp,
} from "../support/hooks/scripted-http.ts";
import { isObject, type Json } from "./json.ts";

/** Name of the hook that extracts, in policies of cases. */
export const FINDER = "finder";
/** Name of the hook that scores, in policies of cases. */
export const SCORER = "scorer";

/** A line that a model is shown: a message, or a text to score. */
export interface ChatLine {
  /** Empty for a text. */
  readonly role: string;
  readonly text: string;
}

/** A model that answers with text; undefined when it fails. */
export type ChatModel = (lines: readonly ChatLine[]) => string | undefined;

/** The endpoint, with the model of the case. */
export interface CaseChat extends AsyncDisposable {
  /** The `hooks` section of a hooks file. */
  readonly hooks: object;
  /** Lets a model answer from here on. */
  script(model: ChatModel): void;
  /** Keeps the answers back until they are released. */
  hold(): void;
  /** Whether answers are kept back. */
  isHolding(): boolean;
  release(): void;
}

const FAILED = answerWith(400, "{}");

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** The lines that a request shows: each is an object of JSON with its number. */
function linesOf({ json }: SeenRequest): readonly ChatLine[] {
  const messages = json["messages"] as readonly { readonly content: string }[];
  const lines = (messages.at(-1)?.content ?? "").split("\n").map(jsonOf).filter(isObject);
  return lines.map(({ role = "", text = "" }) => ({ role: String(role), text: String(text) }));
}

/** Starts the endpoint. */
export async function startCaseChat(): Promise<CaseChat> {
  let model: ChatModel = () => undefined;
  let waiting: (() => void)[] | undefined;
  const act: HttpAct = (socket, request) => {
    const send = (): void => {
      const said = model(linesOf(request));
      (said === undefined ? FAILED : complete(said))(socket, request);
    };
    if (waiting === undefined) send();
    else waiting.push(send);
  };
  const server = await startScriptedHttp([act]);
  const common = { kind: "openai", url: `${server.url}/v1/chat/completions`, model: "small" };
  return {
    hooks: { [FINDER]: { ...common, does: "extract" }, [SCORER]: { ...common, does: "score" } },
    script: (next) => {
      model = next;
    },
    hold: () => {
      waiting ??= [];
    },
    isHolding: () => waiting !== undefined,
    release: () => {
      const sends = waiting ?? [];
      waiting = undefined;
      for (const send of sends) send();
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
