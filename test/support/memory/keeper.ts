// A stand-in for a model that extracts facts: from messages that say "I keep bees" it extracts "The
// user keeps bees". It exists over HTTP, over gRPC, and as a Python worker.

import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import {
  ExtractFactsRequest,
  ExtractFactsResponse,
  HookServiceService,
} from "../../../src/gen/memorysidecar/hook/v1/hook_service.ts";
import type { ExtractedFact } from "../../../src/gen/memorysidecar/v1/task.ts";
import { complete, type HttpAct, type SeenRequest } from "../hooks/scripted-http.ts";

/** Text of a user who keeps something. */
export function keeping(thing: string): string {
  return `I keep ${thing}`;
}

/** The fact extracted from it. */
export function kept(thing: string): string {
  return `The user keeps ${thing}`;
}

/** The facts in a text. */
export function keptIn(text: string): { readonly text: string }[] {
  return [...text.matchAll(/I keep (\w+)/g)].map(([, thing = ""]) => ({ text: kept(thing) }));
}

/** Whole text of a chat request. */
export function promptOf({ json }: SeenRequest): string {
  return JSON.stringify(json["messages"]);
}

/** The answer of a model that extracted these facts. */
export function foundJson(facts: readonly { readonly text: string }[]): string {
  return JSON.stringify({ facts, entities: [], relations: [] });
}

/** Chat endpoint that extracts what a user keeps. */
export const keeper: HttpAct = (socket, request) =>
  complete(foundJson(keptIn(promptOf(request))))(socket, request);

/** Python worker that extracts the same facts, for the hook and server in its arguments. */
export const PYTHON_KEEPER = `
import re, sys, memorysidecar
def extract(task):
    things = re.findall(r"I keep (\\w+)", task.transcript)
    return {"facts": [{"text": "The user keeps " + thing} for thing in things]}
with memorysidecar.Client(sys.argv[1]) as memory:
    memorysidecar.Worker(memory, sys.argv[2], extract=extract).run()
`;

const NO_FACT: ExtractedFact = {
  ...{ text: "", isPreference: false, key: "", category: "", topics: [], messageIds: [] },
  ...{ importance: undefined, confidence: undefined, validFromTime: undefined },
};

/** A gRPC hook that extracts facts. */
export interface GrpcKeeper extends AsyncDisposable {
  readonly target: string;
}

/** Starts a gRPC hook that extracts what a user keeps. */
export async function startGrpcKeeper(): Promise<GrpcKeeper> {
  const server = new Server();
  server.addService(
    {
      extractFacts: {
        ...HookServiceService.extractFacts,
        requestDeserialize: (bytes: Buffer) => ExtractFactsRequest.decode(bytes),
        responseSerialize: (answer: ExtractFactsResponse) =>
          Buffer.from(ExtractFactsResponse.encode(answer).finish()),
      },
    },
    {
      extractFacts: (
        call: ServerUnaryCall<ExtractFactsRequest, ExtractFactsResponse>,
        reply: sendUnaryData<ExtractFactsResponse>,
      ): void => {
        const facts = keptIn(call.request.input?.transcript ?? "").map(
          ({ text }): ExtractedFact => ({ ...NO_FACT, text }),
        );
        reply(null, { output: { facts, entities: [], relations: [], model: "keeper" } });
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    target: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  };
}
