// The systems that judge, in the releases that are pinned.

/** A test of a system that a drop-in cannot pass. */
interface Deselected {
  readonly test: string;
  readonly because: string;
}

/** A release of a system. */
export interface Judge {
  readonly release: string;
  /** The script that compares it with ours. */
  readonly script: string;
  readonly sdist?: { readonly name: string; readonly sha256: string };
  /** Its own tests, to be run with a drop-in of memorysidecar.compat. */
  readonly tests?: {
    readonly dropin: string;
    /** The folder of the source distribution that has them. Default: itself. */
    readonly within?: string;
    readonly files: readonly string[];
    readonly deselected: readonly Deselected[];
  };
}

const SELECTOOLS_TESTS = [
  ...["memory", "memory_async", "memory_boundary", "memory_integration", "unified_memory"],
  ...["conversation_branching", "summarize_on_trim", "sessions", "concurrency_smoke"],
  ...["property_based", "prompt_compression", "unified_memory_config"],
  ...["knowledge", "knowledge_stores", "knowledge_sanitizers", "knowledge_backend"],
  ...["knowledge_graph", "entity_memory", "sessions_edge_cases", "features_in_graph"],
  ...["bug_hunt_batch1_security", "bug_hunt_regression", "consolidation_regression"],
  ...["v016_regression", "multi_agent_edge_cases", "knowledge_stores_error_handling"],
  ...["sessions_redis", "sessions_supabase", "sessions_mongo", "sessions_dynamodb"],
];

const NAIVE = "test_knowledge_stores.py::TestNaiveDatetimeRegressions";
const JSON_STORE = "test_sessions.py::TestJsonFileSessionStore";
const SQLITE_STORE = "test_sessions.py::TestSQLiteSessionStore";
const EDGES = "test_sessions_edge_cases.py::Test";
const BUGS = "test_bug_hunt_regression.py::Test";
const SECURITY = "test_bug_hunt_batch1_security.py::Test";
/** Tests that read or write the files of the stores of selectools, or need one there. */
const SELECTOOLS_FILES = [
  `${NAIVE}::test_file_store_query_with_naive_created_at`,
  `${NAIVE}::test_file_store_is_expired_naive`,
  `${NAIVE}::test_sqlite_store_prune_naive_created_at`,
  `${NAIVE}::test_sqlite_store_row_to_entry_naive`,
  `${NAIVE}::test_file_store_load_all_invalid_isoformat_date`,
  "test_knowledge_sanitizers.py::TestNoHookRegression::test_persistence_format_unchanged",
  `${JSON_STORE}SaveLoad::test_preserves_created_at_on_overwrite`,
  `${JSON_STORE}TTL`,
  `${JSON_STORE}DeleteListExists::test_exists_expired`,
  `${JSON_STORE}DeleteListExists::test_list_excludes_expired`,
  `${JSON_STORE}DeleteListExists::test_creates_directory`,
  `${SQLITE_STORE}TTL`,
  `${SQLITE_STORE}DeleteListExists::test_list_excludes_expired`,
  `${SQLITE_STORE}Search::test_fts5_ranking_sanity`,
  `${SQLITE_STORE}Search::test_old_database_upgrade_path`,
  `${SQLITE_STORE}Search::test_like_fallback_warns_and_matches`,
  `${SQLITE_STORE}Search::test_fts5_detection_cross_build_reuse`,
  `${SQLITE_STORE}Search::test_backfill_reindexes_stale_rows`,
  `${EDGES}JsonFileTTLEdgeCases::test_list_removes_expired_files`,
  `${EDGES}JsonFileTTLEdgeCases::test_list_handles_os_error_on_expired_delete`,
  `${EDGES}SQLiteEdgeCases::test_preserves_created_at_on_overwrite`,
  `${EDGES}SQLiteEdgeCases::test_exists_expired_returns_false`,
  `${EDGES}SQLiteEdgeCases::test_list_cleans_up_expired`,
  `${BUGS}CrashSafeWriteRegression`,
  "test_consolidation_regression.py::TestSQLiteTripleStoreWAL::test_wal_mode_enabled",
];
/** Tests that refuse ids which are no names of files. */
const SELECTOOLS_FILE_NAMES = [
  `${BUGS}PathTraversalRegression::test_dotdot_rejected`,
  `${BUGS}PathTraversalRegression::test_slash_rejected`,
  `${SECURITY}PathTraversal::test_rejects_path_traversal`,
  `${SECURITY}PathTraversal::test_rejects_slash_in_id`,
];
const SELECTOOLS_PRIVATE = [
  `${BUGS}ClearResetsSummaryRegression::test_summary_cleared`,
  "test_v016_regression.py::TestBug3EntityMalformedAttributes::test_non_dict_attributes_handled",
];

const LAUREN_TESTS = [
  ...["user_memory", "memory", "memory_extended", "vector_extended", "knowledge"],
  ...["subagent", "tools"],
].map((name) => `tests/unit/test_${name}.py`);
LAUREN_TESTS.push(
  ...[
    ...["agent_runner_e2e", "knowledge_agent", "per_agent_state", "skill_context_window"],
    ...["skill_conversation_memory", "skill_memory_summarization", "skill_rag_pipeline"],
    ...["skill_session_isolation", "skill_vector_store"],
  ].map((name) => `tests/integration/test_${name}.py`),
);

const LAUREN_TESTS_SINCE_1_2 = [
  ...["anthropic_tool_healing", "memory_trim_floor_guard", "memory_trim_user_anchor"],
  "streaming_tool_use_atomicity",
].map((name) => `tests/unit/test_${name}.py`);

const LAUREN_TESTS_SINCE_1_3 = [
  ...["context_budget", "idempotency", "reasoning_content_roundtrip", "thinking_roundtrip"],
  "tool_conversation_integrity",
].map((name) => `tests/unit/test_${name}.py`);
LAUREN_TESTS_SINCE_1_3.push("tests/integration/test_mid_turn_recovery.py");

/** Tests that make two stores without names and expect that they share nothing. */
const LAUREN_SHARED = [
  "agent_runner_e2e.py::TestRunMemoryAndStore::test_per_request_store_override_wins_over_meta",
  "per_agent_state.py::TestRunnerConsultsAgentMeta::test_per_request_store_override_wins",
  "skill_conversation_memory.py::TestAgentConversationMemory::test_per_request_store_override_wins",
  "skill_session_isolation.py::TestTenantIsolation::test_same_user_different_tenants_have_separate_histories",
];

/** A release of lauren-ai. */
function lauren(version: string, sha256: string, files: readonly string[]): Judge {
  return {
    release: `lauren-ai-${version}`,
    script: "lauren_oracle.py",
    sdist: { name: `lauren_ai-${version}`, sha256 },
    tests: {
      dropin: "lauren",
      files,
      deselected: LAUREN_SHARED.map((test) => ({
        test: `tests/integration/test_${test}`,
        because: "stores without names share the conversations of a namespace",
      })),
    },
  };
}

const DEFINABLE_TESTS = [
  ...["manager", "in_memory_store", "sqlite_store", "file_store"].map(
    (name) => `tests/unit/memory/test_${name}.py`,
  ),
  "tests/unit/agent/test_agent_init.py::TestAgentMemory",
  "tests/unit/agent/test_agent_config.py::TestMemory",
  "tests/integration/agent/test_memory.py",
];

const DEFINABLE_FILES = [
  "test_lifecycle",
  "test_add_creates_jsonl_file",
  "test_multi_user_files",
  "test_delete_session_removes_directory",
];

export const JUDGES: readonly Judge[] = [
  {
    release: "selectools-1.3.0",
    script: "selectools_oracle.py",
    sdist: {
      name: "selectools-1.3.0",
      sha256: "d6029d43fbc31382df683ca5366136c57b1e1af67e3551a56a5a183c1157e1ef",
    },
    tests: {
      dropin: "selectools",
      files: SELECTOOLS_TESTS.map((name) => `tests/test_${name}.py`),
      deselected: [
        {
          test: "tests/test_memory_boundary.py::TestToolPairBoundaryTrimming::test_single_tool_message_only",
          because: "it appends to the private list of messages",
        },
        ...SELECTOOLS_FILES.map((test) => ({
          test: `tests/${test}`,
          because: "it reads or writes a file of a store",
        })),
        ...SELECTOOLS_FILE_NAMES.map((test) => ({
          test: `tests/${test}`,
          because: "it refuses an id that cannot name a file; the server keeps any id",
        })),
        ...SELECTOOLS_PRIVATE.map((test) => ({
          test: `tests/${test}`,
          because: "it writes a private field",
        })),
        {
          test: `tests/${BUGS}AsyncConfirmActionRegression::test_async_callback_rejected_in_sync`,
          because: "its fixture is not in the source distribution",
        },
      ],
    },
  },
  // Three eras, which differ in the short-term memory alone.
  lauren("1.1.1", "74e7ef7b9ea0081e35272361dd3e2fc856488ca921c2c2071356fcf8aea77a6d", LAUREN_TESTS),
  lauren("1.2.1", "e022006bc76d7415e62301658e46794581caebcbe91a8713bf1c90c239be83a0", [
    ...LAUREN_TESTS,
    ...LAUREN_TESTS_SINCE_1_2,
  ]),
  lauren("1.6.0", "ed439f71549bf7425c7e73336893683df9e9cac80b8f5e9556f672540052b08c", [
    ...LAUREN_TESTS,
    ...LAUREN_TESTS_SINCE_1_2,
    ...LAUREN_TESTS_SINCE_1_3,
  ]),
  {
    release: "definable-0.5.0",
    script: "definable_oracle.py",
    sdist: {
      name: "definable-0.5.0",
      sha256: "cfa717e96a3b826ba36123888376fbb0989423714ac81066ad9b2ec93ee4057e",
    },
    tests: {
      dropin: "definable",
      within: "definable",
      files: DEFINABLE_TESTS,
      deselected: [
        ...DEFINABLE_FILES.map((test) => ({
          test: `tests/unit/memory/test_file_store.py::TestFileStore::${test}`,
          because: "it looks at the files of a store",
        })),
        {
          test: "tests/integration/agent/test_memory.py::TestMemoryRecall",
          because: "its four tests call a model of OpenAI",
        },
      ],
    },
  },
  // MARSYS publishes no tests of its memory.
  { release: "marsys-0.1.2", script: "marsys_oracle.py" },
  { release: "marsys-0.2.1", script: "marsys_oracle.py" },
];
