import type { WatchEventsRequest } from "../../gen/memorysidecar/v1/event_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromEventFilter, fromStart } from "../convert/stream.ts";
import type { StreamRpc } from "../rpc.ts";
import { encodeCheckpoint, encodeWatchAnswers } from "../watch-answer.ts";

/** WatchEvents. Pulls from the service as fast as the reader takes the answers, and no faster. */
export const watchEvents: StreamRpc<WatchEventsRequest> = {
  stream: async (context, call, request, answers) => {
    const { services, resumeTokens, checkpointIntervalMs } = context;
    const namespace = fromNamespace(request.namespace);
    const watcher = await services.events.watch(call, {
      namespace,
      start: fromStart(request.start, namespace, resumeTokens),
      filter: fromEventFilter(request.filter),
    });
    const checkpoint = () => encodeCheckpoint(resumeTokens.make(namespace, watcher.position));
    const close = () => watcher.close();
    call.signal.addEventListener("abort", close, { once: true });
    try {
      await answers.send(checkpoint());
      while (!call.signal.aborted) {
        const events = await watcher.next(checkpointIntervalMs);
        if (events.length === 0 && !call.signal.aborted) await answers.send(checkpoint());
        for (const answer of encodeWatchAnswers(events, resumeTokens)) {
          const wait = answers.send(answer);
          if (wait !== undefined) await wait;
        }
      }
    } finally {
      call.signal.removeEventListener("abort", close);
      watcher.close();
    }
  },
};
