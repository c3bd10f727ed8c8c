// An open watch in a test, read one answer or one event at a time.

import type { ClientReadableStream } from "@grpc/grpc-js";
import type { Event } from "../../../src/gen/memorysidecar/v1/event.ts";
import type { WatchEventsResponse } from "../../../src/gen/memorysidecar/v1/event_service.ts";
import { type RequestOf, requestBytes, type TestClient } from "./client.ts";

/** Start position of a watch. */
export const NOW = { $case: "position", value: 1 } as const;
export const OLDEST = { $case: "position", value: 2 } as const;

/** The start after a token. */
export function afterToken(resumeToken: string) {
  return { $case: "resumeToken", value: resumeToken } as const;
}

/** An event and the token right after it. */
export interface Streamed {
  readonly event: Event;
  readonly resumeToken: string;
}

/** An open watch. */
export class Watch {
  readonly stream: ClientReadableStream<WatchEventsResponse>;
  readonly #answers: AsyncIterator<WatchEventsResponse>;
  readonly #events: Streamed[] = [];

  constructor(client: TestClient, fields: Partial<RequestOf<"watchEvents">>) {
    this.stream = client.stream(requestBytes("watchEvents", fields));
    this.stream.on("error", () => {});
    this.#answers = this.stream[Symbol.asyncIterator]() as AsyncIterator<WatchEventsResponse>;
  }

  /** The next answer. */
  async next(): Promise<WatchEventsResponse> {
    const { value } = await this.#answers.next();
    return value as WatchEventsResponse;
  }

  /** The next event, whichever answer contains it. */
  async event(): Promise<Streamed> {
    for (;;) {
      const first = this.#events.shift();
      if (first !== undefined) return first;
      this.#events.push(...((await this.next()).events as Streamed[]));
    }
  }

  close(): void {
    this.stream.cancel();
  }
}
