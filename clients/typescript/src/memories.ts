// The methods of the client for long-term memory.

import { type CallOptions, given, MUTATION_OPTIONS, type MutationOptions } from "./call.ts";
import { choice, conditions, onlyFields, onlyOptions, whole } from "./choice.ts";
import { type FormName, loadForm, type Rendered, toRendered } from "./forms.ts";
import type { ListTotal } from "./gen/memorysidecar/v1/filter.ts";
import { type Memory, MemoryKind } from "./gen/memorysidecar/v1/memory.ts";
import {
  type ConsolidateSessionResponse,
  DecayMemoriesRequest,
  type DecayMemoriesResponse,
  type ExtractMemoriesResponse,
  type ForgetMemoriesResponse,
  ListMemoriesRequest,
  PurgeMemoriesRequest,
  type PurgeMemoriesResponse,
  QueryRelationsRequest,
  type QueryRelationsResponse,
  RememberRequest,
  type RememberResponse,
  MemoryServiceService as Rpcs,
  UpdateMemoryRequest,
} from "./gen/memorysidecar/v1/memory_service.ts";
import {
  type AssembleContextResponse,
  RecallServiceService as RecallRpcs,
} from "./gen/memorysidecar/v1/recall_service.ts";
import {
  type AppendMessagesResponse,
  SessionServiceService as Sessions,
} from "./gen/memorysidecar/v1/session_service.ts";
import * as options from "./memory-options.ts";
import { MEMORY_ORDERS } from "./memory-options.ts";
import * as requests from "./memory-requests.ts";
import type { JsonObject, MessageInput } from "./message.ts";
import { LIST_OPTIONS, type ListOptions } from "./options.ts";
import { walkPages } from "./pages.ts";
import { RecallMethods } from "./recall.ts";
import { appendRequest } from "./requests.ts";
import type { ScopeInput } from "./scope-filter.ts";
import { toDate, toDuration } from "./time.ts";

function asOfTime({ asOf, asOfTime = asOf }: options.AsOfOptions): Date | undefined {
  return asOfTime && toDate(asOfTime);
}

const FORGET_OPTIONS = { ...MUTATION_OPTIONS, etag: true, allowMissing: true } as const;
const PURGE_OPTIONS = { ...MUTATION_OPTIONS, force: true } as const;
const MERGE_OPTIONS = { ...MUTATION_OPTIONS, reason: true } as const;

function listOf(ids: string | readonly string[]): string[] {
  return typeof ids === "string" ? [ids] : [...ids];
}

/** Facts, preferences, entities, relations, episodes, and the context that is made of them. */
export class MemoryMethods extends RecallMethods {
  /** Remembers one thing or many, all or none. A text alone is a fact. */
  remember(
    memories: options.MemoryInput | readonly options.MemoryInput[],
    opts: options.RememberOptions = {},
  ): Promise<RememberResponse> {
    onlyOptions("remember", opts, options.REMEMBER_OPTIONS);
    const { maxMemories = 0, neutralizePromptMarkers = false, reason = "", scope } = opts;
    const all = (Array.isArray(memories) ? memories : [memories]) as options.MemoryInput[];
    const request = RememberRequest.fromPartial({
      ...{ ...this.change(opts), maxMemories, neutralizePromptMarkers, reason },
      memories: all.map((memory) => requests.toMemory(memory, scope)),
      dedupe: requests.toDedupe(opts.dedupe),
      conflict: requests.toConflict(opts.conflict),
    });
    return this.call(Rpcs.remember, request, opts);
  }

  /** Gets a memory, as it is or as it was known at a past time. */
  async getMemory(memoryId: string, opts: CallOptions & options.AsOfOptions = {}): Promise<Memory> {
    onlyOptions("getMemory", opts, options.GET_MEMORY_OPTIONS);
    const request = { namespace: this.at(opts), memoryId, asOfTime: asOfTime(opts) };
    return given((await this.call(Rpcs.getMemory, request, opts)).memory);
  }

  /** Lists memories: those that are active now, or those that were known at a past time. */
  listMemories(opts: options.ListMemoriesOptions = {}): AsyncGenerator<Memory, void, undefined> {
    onlyOptions("listMemories", opts, options.LIST_MEMORIES_OPTIONS);
    const { filter, order = "oldest", pageSize = 0 } = opts;
    return walkPages(async (pageToken) => {
      const request = ListMemoriesRequest.fromPartial({
        ...{ namespace: this.at(opts), pageSize, pageToken },
        filter: filter && requests.toMemoryFilter(filter),
        asOfTime: asOfTime(opts),
        order: choice("order", MEMORY_ORDERS, order),
      });
      const page = await this.call(Rpcs.listMemories, request, opts);
      return { items: page.memories, nextPageToken: page.nextPageToken };
    });
  }

  /** Counts the memories that a list with these options gives, up to a bound. */
  async countMemories(opts: options.CountMemoriesOptions = {}): Promise<ListTotal> {
    onlyOptions("countMemories", opts, options.COUNT_MEMORIES_OPTIONS);
    const { filter } = opts;
    const request = ListMemoriesRequest.fromPartial({
      ...{ namespace: this.at(opts), pageSize: 1, includeTotal: true },
      filter: filter && requests.toMemoryFilter(filter),
      asOfTime: asOfTime(opts),
    });
    return given((await this.call(Rpcs.listMemories, request, opts)).total);
  }

  /** Changes the fields that are given; `undefined` clears one. The state before is kept. */
  async updateMemory(
    memoryId: string,
    changes: Omit<options.MemoryFields, "memoryId" | "kind" | "source" | keyof ScopeInput>,
    opts: options.UpdateMemoryOptions = {},
  ): Promise<Memory> {
    onlyOptions("updateMemory", opts, options.UPDATE_MEMORY_OPTIONS);
    const { updateMask = requests.pathsOf(changes), reason = "" } = opts;
    const request = UpdateMemoryRequest.fromPartial({
      ...{ ...this.change(opts), reason },
      memory: { ...requests.toMemory({ ...changes, memoryId }), kind: MemoryKind.UNSPECIFIED },
      updateMask: [...updateMask],
    });
    return given((await this.call(Rpcs.updateMemory, request, opts)).memory);
  }

  /** Says that memories were heard of again: they become surer. */
  async reinforceMemories(
    memoryIds: string | readonly string[],
    opts: options.ReinforceOptions = {},
  ): Promise<Memory[]> {
    onlyOptions("reinforceMemories", opts, options.REINFORCE_OPTIONS);
    const { amount, allowMissing = false } = opts;
    const request = { ...this.change(opts), memoryIds: listOf(memoryIds), amount, allowMissing };
    return (await this.call(Rpcs.reinforceMemories, request, opts)).memories;
  }

  /**
   * Lowers the confidence of up to 1,000 memories; `nextPageToken` asks for the rest. The filter
   * must name a user, or say `everyone`.
   */
  async decayMemories(opts: options.DecayOptions): Promise<DecayMemoriesResponse> {
    onlyOptions("decayMemories", opts, options.DECAY_OPTIONS);
    const { filter, factor, deleteBelow = 0, unseenForMs, pageToken = "" } = opts;
    const request = DecayMemoriesRequest.fromPartial({
      ...{ ...this.change(opts), factor, deleteBelow, pageToken },
      filter: requests.toBoundFilter(filter),
      unseenFor: unseenForMs === undefined ? undefined : toDuration(unseenForMs),
    });
    return await this.call(Rpcs.decayMemories, request, opts);
  }

  /** Forgets memories with all their states, for good. */
  forgetMemories(
    memoryIds: string | readonly string[],
    opts: MutationOptions & { readonly etag?: string; readonly allowMissing?: boolean } = {},
  ): Promise<ForgetMemoriesResponse> {
    onlyOptions("forgetMemories", opts, FORGET_OPTIONS);
    const { etag = "", allowMissing = false } = opts;
    const request = { ...this.change(opts), memoryIds: listOf(memoryIds), etag, allowMissing };
    return this.call(Rpcs.forgetMemories, request, opts);
  }

  /**
   * Counts the memories of a filter, or with `force` forgets up to 1,000 of them. The filter must
   * name a user, or say `everyone`.
   */
  async purgeMemories(
    filter: options.MemoryFilterInput,
    opts: MutationOptions & { readonly force?: boolean } = {},
  ): Promise<PurgeMemoriesResponse> {
    onlyOptions("purgeMemories", opts, PURGE_OPTIONS);
    const request = PurgeMemoriesRequest.fromPartial({
      ...this.change(opts),
      filter: requests.toBoundFilter(filter),
      force: opts.force ?? false,
    });
    return await this.call(Rpcs.purgeMemories, request, opts);
  }

  /** Lists the states that a memory has had, the newest first. */
  listMemoryVersions(
    memoryId: string,
    opts: ListOptions = {},
  ): AsyncGenerator<Memory, void, undefined> {
    onlyOptions("listMemoryVersions", opts, LIST_OPTIONS);
    const { pageSize = 0 } = opts;
    return walkPages(async (pageToken) => {
      const request = { namespace: this.at(opts), memoryId, pageSize, pageToken };
      const page = await this.call(Rpcs.listMemoryVersions, request, opts);
      return { items: page.versions, nextPageToken: page.nextPageToken };
    });
  }

  /** Brings a former state of a memory back, as a new one. */
  async restoreMemoryVersion(
    memoryId: string,
    version: number | bigint,
    opts: options.RestoreMemoryOptions = {},
  ): Promise<Memory> {
    onlyOptions("restoreMemoryVersion", opts, options.RESTORE_MEMORY_OPTIONS);
    const { etag = "", reason = "" } = opts;
    const change = { ...this.change(opts), memoryId, etag, reason };
    const request = { ...change, version: whole(version) };
    return given((await this.call(Rpcs.restoreMemoryVersion, request, opts)).memory);
  }

  /** Finds relations by a pattern, and up to 4 steps around them: one page, of 100 by default. */
  queryRelations(pattern: options.RelationPattern): Promise<QueryRelationsResponse> {
    onlyOptions("queryRelations", pattern, options.RELATION_PATTERN);
    const { subject, predicate, objectValue, entity, filter } = pattern;
    const { maxHops = 0, keywords = [], pageSize = 0, pageToken = "" } = pattern;
    const request = QueryRelationsRequest.fromPartial({
      ...{ namespace: this.at(pattern), maxHops, pageSize, pageToken },
      ...conditions({ subject, predicate, objectValue, entity }),
      keywords: [...keywords],
      filter: filter && requests.toMemoryFilter(filter),
    });
    return this.call(Rpcs.queryRelations, request, pattern);
  }

  /** Makes one entity of several: the names of the others become its aliases. */
  async mergeEntities(
    targetMemoryId: string,
    sourceMemoryIds: string | readonly string[],
    opts: MutationOptions & { readonly reason?: string } = {},
  ): Promise<Memory> {
    onlyOptions("mergeEntities", opts, MERGE_OPTIONS);
    const { reason = "" } = opts;
    const request = {
      ...this.change(opts),
      targetMemoryId,
      sourceMemoryIds: listOf(sourceMemoryIds),
      reason,
    };
    return given((await this.call(Rpcs.mergeEntities, request, opts)).entity);
  }

  /**
   * Appends what was said in a turn and ends it: an append with `turnEnd`. The memory policy of
   * the session says what is remembered of it.
   */
  recordTurn(
    sessionId: string,
    turn: { readonly userText?: string; readonly assistantText?: string },
    opts: options.RecordTurnOptions = {},
  ): Promise<AppendMessagesResponse> {
    onlyOptions("recordTurn", opts, options.RECORD_TURN_OPTIONS);
    onlyFields("turn", turn, { userText: true, assistantText: true });
    const sentTime = opts.turnTime;
    const said: MessageInput[] = [];
    if (turn.userText) said.push({ role: "user", text: turn.userText, sentTime });
    if (turn.assistantText) said.push({ role: "assistant", text: turn.assistantText, sentTime });
    if (said.length === 0) throw new TypeError("a turn needs a userText or an assistantText");
    const append = { ...opts, turnEnd: true };
    const request = appendRequest({ ...this.change(opts), sessionId }, said, append);
    return this.call(Sessions.appendMessages, request, opts);
  }

  /** Promotes now: makes memories of important messages of the window. */
  consolidateSession(
    sessionId: string,
    opts: MutationOptions = {},
  ): Promise<ConsolidateSessionResponse> {
    onlyOptions("consolidateSession", opts, MUTATION_OPTIONS);
    return this.call(Rpcs.consolidateSession, { ...this.change(opts), sessionId }, opts);
  }

  /** Finds facts, entities and relations in messages of a session, or in a text. */
  extractMemories(opts: options.ExtractOptions): Promise<ExtractMemoriesResponse> {
    onlyOptions("extractMemories", opts, options.EXTRACT_OPTIONS);
    return this.call(Rpcs.extractMemories, requests.extractRequest(this.change(opts), opts), opts);
  }

  /**
   * Makes the whole prompt in the form of a model API, which `opts.form` names: the window, and the
   * text of the context in it, within a budget of tokens.
   */
  assembleContext<Element = JsonObject>(
    opts: options.FormContextOptions,
  ): Promise<Rendered<AssembleContextResponse, Element>>;
  /** Makes the context of a prompt within a budget of tokens, 4,000 by default. */
  assembleContext(opts?: options.ContextOptions): Promise<AssembleContextResponse>;
  async assembleContext(
    opts: options.ContextOptions & { readonly form?: FormName } = {},
  ): Promise<AssembleContextResponse | Rendered<AssembleContextResponse>> {
    onlyOptions("assembleContext", opts, options.CONTEXT_OPTIONS);
    const request = requests.contextRequest(this.at(opts), opts);
    await loadForm(opts.form);
    const answer = await this.call(RecallRpcs.assembleContext, request, opts);
    return opts.form === undefined ? answer : toRendered(answer.rendered, answer, opts.form);
  }
}
