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
      ],
    },
  },
  {
    release: "lauren-ai-1.6.0",
    script: "lauren_oracle.py",
    sdist: {
      name: "lauren_ai-1.6.0",
      sha256: "ed439f71549bf7425c7e73336893683df9e9cac80b8f5e9556f672540052b08c",
    },
    tests: {
      dropin: "lauren",
      files: [
        "tests/unit/test_user_memory.py",
        "tests/unit/test_memory.py",
        "tests/unit/test_memory_extended.py",
        "tests/unit/test_vector_extended.py",
        "tests/unit/test_knowledge.py",
        "tests/integration/test_skill_vector_store.py",
        "tests/integration/test_skill_conversation_memory.py",
        "tests/integration/test_skill_rag_pipeline.py",
        "tests/integration/test_skill_session_isolation.py",
        "tests/integration/test_knowledge_agent.py",
      ],
      deselected: [
        {
          test: "tests/integration/test_skill_conversation_memory.py::TestAgentConversationMemory::test_per_request_store_override_wins",
          because: "stores without names share the conversations of a namespace",
        },
        {
          test: "tests/integration/test_skill_session_isolation.py::TestTenantIsolation::test_same_user_different_tenants_have_separate_histories",
          because: "stores without names share the conversations of a namespace",
        },
      ],
    },
  },
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
      files: [
        "tests/unit/memory/test_manager.py",
        "tests/unit/memory/test_in_memory_store.py",
        "tests/integration/agent/test_memory.py",
      ],
      deselected: [
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
