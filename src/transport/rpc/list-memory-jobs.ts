import {
  type ListMemoryJobsRequest,
  ListMemoryJobsResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { MemoryJob } from "../../gen/memorysidecar/v1/task.ts";
import { fromJobState, toMemoryJob } from "../convert/memory-job.ts";
import { fillPage, pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkListMemoryJobs } from "../validate/memory-query-requests.ts";

const PAGE_SIZE_DEFAULT = 100;
const JOBS_FIELD = 1;

/**
 * ListMemoryJobs. The position of a page token is the last session of which all jobs were shown: a
 * session has few, so that a page always holds those of one.
 */
export const listMemoryJobs: UnaryRpc<ListMemoryJobsRequest> = {
  validate: checkListMemoryJobs,
  handle: async ({ services, pageTokens }, call, { pageToken, ...request }) => {
    const { jobs, next } = await services.memories.listMemoryJobs(call, {
      namespace: fromNamespace(request.namespace),
      sessionId: request.sessionId,
      state: fromJobState(request.state),
      after: pageToken === "" ? "" : pageTokens.read(call.digest, pageToken),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const shown = fillPage(jobs, (job) => encodeWire(MemoryJob, toMemoryJob(job)));
    // The first that has no room, and what is shown of the same session, come on the next page.
    const tooMany = jobs[shown.length]?.sessionId;
    const whole = jobs.slice(0, shown.length).filter(({ sessionId }) => sessionId !== tooMany);
    const last = tooMany === undefined ? next : whole.at(-1)?.sessionId;
    const nextPageToken = last === undefined ? "" : pageTokens.make(call.digest, last);
    const rest = encodeWire(ListMemoryJobsResponse, { jobs: [], nextPageToken });
    return spliceField(JOBS_FIELD, shown.slice(0, whole.length), rest);
  },
};
