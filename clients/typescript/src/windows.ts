// The methods of the client for windows: what goes to the model, and what decides it.

import { CALL_OPTIONS, type CallOptions, SERVER_CALL_OPTIONS } from "./call.ts";
import { onlyOptions } from "./choice.ts";
import { type FormName, loadForm, type Rendered, toRendered } from "./forms.ts";
import type { Message } from "./gen/memorysidecar/v1/message.ts";
import type { PolicyPreset } from "./gen/memorysidecar/v1/policy.ts";
import {
  type FillToolResultsResponse,
  type GetWindowResponse,
  type PreviewPolicyResponse,
  type RestoreMessagesResponse,
  SessionServiceService as Sessions,
  type SetSummaryResponse,
  type TrimSessionResponse,
} from "./gen/memorysidecar/v1/session_service.ts";
import type { JsonObject } from "./message.ts";
import * as options from "./options.ts";
import { collect, walkPages } from "./pages.ts";
import type { PolicyInput } from "./policy.ts";
import * as requests from "./requests.ts";
import { TaskMethods } from "./tasks.ts";

/** Windows, policies and summaries. */
export class WindowMethods extends TaskMethods {
  /** Gets the messages that go to the model in the form of its API: `opts.form` names it. */
  window<Element = JsonObject>(
    sessionId: string,
    opts: options.FormWindowOptions,
  ): Promise<Rendered<GetWindowResponse, Element>>;
  /** Gets the messages that go to the model, and says what is left out. */
  window(sessionId: string, opts?: options.WindowOptions): Promise<GetWindowResponse>;
  async window(
    sessionId: string,
    opts: options.WindowOptions & { readonly form?: FormName } = {},
  ): Promise<GetWindowResponse | Rendered<GetWindowResponse>> {
    onlyOptions("window", opts, options.WINDOW_OPTIONS);
    const request = requests.windowRequest(this.session(sessionId, opts), opts);
    await loadForm(opts.form);
    const answer = await this.call(Sessions.getWindow, request, opts);
    return opts.form === undefined ? answer : toRendered(answer.rendered, answer, opts.form);
  }

  /**
   * Says what one policy or several would cut now and why, message by message, and changes nothing.
   * An empty list stands for the session's own.
   */
  previewPolicy(
    sessionId: string,
    policies: PolicyInput | readonly PolicyInput[] = [],
    opts: options.PreviewOptions = {},
  ): Promise<PreviewPolicyResponse> {
    onlyOptions("previewPolicy", opts, options.PREVIEW_OPTIONS);
    const request = requests.previewRequest(this.session(sessionId, opts), policies, opts);
    const send = () => this.call(Sessions.previewPolicy, request, opts);
    return opts.form === "langchain" ? loadForm(opts.form).then(send) : send();
  }

  /** Lists the policies that can be had by name, with their options. */
  async listPolicyPresets(opts: Omit<CallOptions, "namespace"> = {}): Promise<PolicyPreset[]> {
    onlyOptions("listPolicyPresets", opts, SERVER_CALL_OPTIONS);
    const pages = walkPages(async (pageToken) => {
      const page = await this.call(Sessions.listPolicyPresets, { pageSize: 0, pageToken }, opts);
      return { items: page.presets, nextPageToken: page.nextPageToken };
    });
    return await collect(pages);
  }

  /** Trims the stored window now. */
  trimSession(
    sessionId: string,
    target: options.TrimTarget,
    opts: options.TrimOptions = {},
  ): Promise<TrimSessionResponse> {
    onlyOptions("trimSession", opts, options.TRIM_OPTIONS);
    const head = { ...this.change(opts), sessionId };
    return this.call(Sessions.trimSession, requests.trimRequest(head, target, opts), opts);
  }

  /** Brings messages of the log back into the window, by their ids and by runs of seqs. */
  restoreMessages(
    sessionId: string,
    messageIds: readonly string[] = [],
    opts: options.RestoreOptions = {},
  ): Promise<RestoreMessagesResponse> {
    onlyOptions("restoreMessages", opts, options.RESTORE_OPTIONS);
    const head = { ...this.change(opts), sessionId };
    return this.call(
      Sessions.restoreMessages,
      requests.restoreRequest(head, messageIds, opts),
      opts,
    );
  }

  /** Lists the messages of the window that a summary should replace. */
  async listSummaryInputs(
    sessionId: string,
    choice: options.SummaryChoice,
    opts: CallOptions = {},
  ): Promise<Message[]> {
    onlyOptions("listSummaryInputs", opts, CALL_OPTIONS);
    const request = requests.summaryInputsRequest(this.session(sessionId, opts), choice);
    const pages = walkPages(async (pageToken) => {
      const page = await this.call(Sessions.listSummaryInputs, { ...request, pageToken }, opts);
      return { items: page.messages, nextPageToken: page.nextPageToken };
    });
    return await collect(pages);
  }

  /** Sets the text that stands for messages, which leave the window with it. */
  setSummary(
    sessionId: string,
    text: string,
    opts: options.SummaryOptions = {},
  ): Promise<SetSummaryResponse> {
    onlyOptions("setSummary", opts, options.SUMMARY_OPTIONS);
    const head = { ...this.change(opts), sessionId };
    return this.call(Sessions.setSummary, requests.summaryRequest(head, text, opts), opts);
  }

  /** Answers every tool call of the window that has no result. */
  fillToolResults(
    sessionId: string,
    opts: options.FillToolResultsOptions = {},
  ): Promise<FillToolResultsResponse> {
    onlyOptions("fillToolResults", opts, options.FILL_TOOL_RESULTS_OPTIONS);
    const { text = "", newestOnly = false } = opts;
    const request = { ...this.change(opts), sessionId, text, newestOnly };
    return this.call(Sessions.fillToolResults, request, opts);
  }
}
