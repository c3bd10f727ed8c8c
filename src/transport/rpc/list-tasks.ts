import { HookTask } from "../../gen/memorysidecar/v1/task.ts";
import {
  type ListTasksRequest,
  ListTasksResponse,
} from "../../gen/memorysidecar/v1/task_service.ts";
import { numberOf } from "../../service/tasks/list-tasks.ts";
import { fillPage, pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromTaskState, fromTaskType, toTask } from "../convert/task.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";

const PAGE_SIZE_DEFAULT = 100;
const TASKS_FIELD = 1;

/** ListTasks. The position of a page token is the number of the last task. */
export const listTasks: UnaryRpc<ListTasksRequest> = {
  handle: async ({ services, pageTokens }, call, { sessionId, hook, pageToken, ...request }) => {
    const state = fromTaskState(request.state);
    const type = fromTaskType(request.type);
    const page = await services.hooks.listTasks(call, {
      namespace: fromNamespace(request.namespace),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(hook === undefined ? {} : { hook }),
      ...(type === undefined ? {} : { type }),
      ...(state === undefined ? {} : { state }),
      ...(pageToken === ""
        ? {}
        : { after: numberPosition(pageTokens.read(call.digest, pageToken)) }),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const tasks = fillPage(page.tasks, (info) => encodeWire(HookTask, toTask(info)));
    const last = tasks.length < page.tasks.length ? page.tasks[tasks.length - 1] : undefined;
    const next = last === undefined ? page.next : numberOf(last);
    const nextPageToken = next === undefined ? "" : pageTokens.make(call.digest, String(next));
    const rest = encodeWire(ListTasksResponse, { tasks: [], nextPageToken });
    return spliceField(TASKS_FIELD, tasks, rest);
  },
};
