"""Whole runs of selectools agents with a scripted model, beside our memories and stores."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import tempfile
from typing import Any

from memorysidecar.compat.selectools import ConversationMemory as OurMemory
from memorysidecar.compat.selectools import EntityMemory as OurEntities
from memorysidecar.compat.selectools import KnowledgeStore, SessionStore, TripleStore
from selectools import Agent, AgentConfig
from selectools.entity_memory import EntityMemory
from selectools.knowledge import FileKnowledgeStore, KnowledgeMemory
from selectools.knowledge_graph import InMemoryTripleStore, KnowledgeGraphMemory
from selectools.memory import ConversationMemory
from selectools.observer import AgentObserver
from selectools.sessions import JsonFileSessionStore, SQLiteSessionStore
from selectools.tools import Tool, ToolParameter
from selectools.types import Message, Role, ToolCall
from selectools.usage import UsageStats

from compare import Case, Feature, Side
from selectools_oracle import in_namespace, play_sessions
from words import line, text

rounds = itertools.count()
_IDS = re.compile(r"[0-9a-f]{32}")
_TIMES = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\]")


def draw_calls(rng: random.Random, number: int) -> list[dict[str, Any]]:
    """Calls of one answer: of a tool that finds, or of those that remember and recall."""
    calls = []
    for at in range(rng.choice([1, 1, 2])):
        kind = rng.choice(["find", "remember", "remember", "recall", "missing"])
        given: dict[str, Any] = {"query": line(rng, 2)}
        if kind == "remember":
            given = {"content": line(rng), "category": rng.choice(["general", "preference"])}
            given["persistent"] = rng.choice(["true", "false"])
        calls.append({"tool_name": kind, "parameters": given, "id": f"c{number}-{at}"})
    return calls


def draw_agent(rng: random.Random) -> Case:
    """Runs of an agent that starts again now and then, with what its model answers."""
    ops: list[dict[str, Any]] = []
    for number in range(rng.randint(2, 8)):
        if rng.random() < 0.25:
            ops.append({"op": "restart"})
            continue
        answers: list[dict[str, Any]] = [
            {"content": rng.choice(["", line(rng)]), "calls": draw_calls(rng, number * 10 + at)}
            for at in range(rng.choice([0, 0, 1, 2]))
        ]
        answers.append({"content": text(rng) or "Yes.", "calls": []})
        names = ["Ana", "Acme", "Rome"]
        entities = [
            {"name": rng.choice(names), "entity_type": "person", "attributes": {"is": line(rng, 2)}}
            for _ in range(rng.randint(0, 2))
        ]
        triples = [
            {"subject": rng.choice(names), "relation": "likes", "object": line(rng, 2)}
            for _ in range(rng.randint(0, 2))
        ]
        told = {"entities": rng.choice([entities, "none"]), "triples": triples}
        summary = rng.choice(["", line(rng), line(rng, 30)])
        said = line(rng, 12)
        ops.append({"op": "run", "said": said, "answers": answers, "summary": summary, **told})
    tokens = rng.choice([None, None, rng.randint(20, 200)])
    options = {
        "limits": {"max_messages": rng.randint(2, 12), "max_tokens": tokens},
        "is_file": rng.random() < 0.5,
        "is_plain": rng.random() < 0.5,
        "summarizes": rng.random() < 0.6,
        "compresses": rng.random() < 0.3,
        "max_entries": rng.choice([2, 50]),
    }
    return {"options": options, "ops": ops}


class Script:
    """A provider that answers as the case says, and keeps what it was asked."""

    name = "script"
    supports_streaming = False
    supports_async = False
    default_model = "gpt-4o-mini"

    def __init__(self) -> None:
        self.op: dict[str, Any] = {}
        self.answers: list[dict[str, Any]] = []
        self.asked: list[Any] = []

    def begin(self, op: dict[str, Any]) -> None:
        """Takes the answers of a run."""
        self.op, self.answers, self.asked = op, list(op["answers"]), []

    def complete(self, **asked: Any) -> tuple[Message, UsageStats]:
        """Answers the agent, or what it asks to summarize and to extract."""
        system: str = asked["system_prompt"]
        self.asked.append([system[:40], [one.to_dict() for one in asked["messages"]]])
        usage = UsageStats(1, 1, 2, 0.0, "script", "script")
        if "summarizer" in system:
            return Message(Role.ASSISTANT, self.op["summary"]), usage
        if "entities" in system:
            return Message(Role.ASSISTANT, json.dumps(self.op["entities"])), usage
        if "triples" in system:
            return Message(Role.ASSISTANT, json.dumps(self.op["triples"])), usage
        answer = self.answers.pop(0) if self.answers else {"content": "Enough.", "calls": []}
        calls = [ToolCall(**call) for call in answer["calls"]] or None
        return Message(Role.ASSISTANT, answer["content"], tool_calls=calls), usage


class Witness(AgentObserver):
    """An observer that keeps what an agent reports of its memory."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def on_memory_trim(self, run_id: str, *rest: Any) -> None:
        self.seen.append(["trim", *rest])

    def on_session_load(self, run_id: str, *rest: Any) -> None:
        self.seen.append(["load", *rest])

    def on_session_save(self, run_id: str, *rest: Any) -> None:
        self.seen.append(["save", *rest])

    def on_memory_summarize(self, run_id: str, *rest: Any) -> None:
        self.seen.append(["summarize", *rest])

    def on_entity_extraction(self, run_id: str, *rest: Any) -> None:
        self.seen.append(["entities", *rest])

    def on_kg_extraction(self, run_id: str, *rest: Any) -> None:
        self.seen.append(["triples", *rest])

    def on_prompt_compressed(self, run_id: str, *rest: Any) -> None:
        self.seen.append(["compress", *rest])


class Traced(ConversationMemory):
    """A memory of selectools that notes its changes as operations of the feature `sessions`."""

    notes: list[dict[str, Any]]

    def add(self, message: Message) -> None:
        self.note([message])
        super().add(message)

    def add_many(self, messages: list[Message]) -> None:
        self.note(messages)
        super().add_many(messages)

    def note(self, messages: list[Message]) -> None:
        """Notes messages in the form of a case."""
        ops = []
        for one in messages:
            data = {key: value for key, value in one.to_dict().items() if value is not None}
            for call in data.get("tool_calls", []):
                call["tool_name"] = call.pop("name")
            ops.append(data)
        self.notes.append({"op": "add", "messages": ops, **AT})

    @property
    def summary(self) -> str | None:
        return self._summary

    @summary.setter
    def summary(self, value: str | None) -> None:
        self.notes.append({"op": "summary", "text": value, **AT})
        self._summary = value


AT = {"memory": 0, "name": "chat", "space": None}


class Company:
    """An agent with all its memories, which starts again when it is told to."""

    def __init__(self, case: Case, side: Side, folder: str, notes: list[Any] | None) -> None:
        self.options, self.is_ours, self.notes = case["options"], side == "ours", notes
        self.script, self.witness = Script(), Witness()
        name = f"agents-{os.getpid()}-{next(rounds)}"
        self.client = in_namespace(name)
        if self.is_ours:
            store: Any = KnowledgeStore(client=self.client)
            triples: Any = TripleStore(5, client=self.client)
            self.entities: Any = OurEntities(self.script, max_entities=2, client=self.client)
            self.sessions: Any = SessionStore(client=self.client)
        else:
            store, triples = FileKnowledgeStore(f"{folder}/knowledge"), InMemoryTripleStore(5)
            self.entities = EntityMemory(self.script, max_entities=2)
            path = f"{folder}/sessions"
            is_file = self.options["is_file"]
            self.sessions = JsonFileSessionStore(path) if is_file else SQLiteSessionStore(path)
        entries = self.options["max_entries"]
        self.knowledge = KnowledgeMemory(f"{folder}/knowledge", store, max_entries=entries)
        self.graph = KnowledgeGraphMemory(self.script, storage=triples)
        self.start()

    def memory(self) -> Any:
        """The memory of the last run, as another process finds it, or a new one."""
        limits = self.options["limits"]
        if self.is_ours and not self.options["is_plain"]:
            return OurMemory(**limits, session_id="live", client=self.client)
        kind = ConversationMemory if self.notes is None else Traced
        found = self.sessions.load("chat")
        if self.notes is None:
            return found or kind(**limits)
        made = Traced.from_dict(found.to_dict()) if found else Traced(**limits)
        made.notes = self.notes
        self.notes.append({"op": "load", **AT})
        return made

    def start(self) -> None:
        """Makes the agent."""
        query = ToolParameter("query", str, "The words to find.")
        find = Tool("find", "Finds.", [query], lambda query: f"Found {query}")
        config = AgentConfig(
            session_store=self.sessions,
            session_id="chat",
            summarize_on_trim=self.options["summarizes"],
            compress_context=self.options["compresses"],
            compress_threshold=0.0,
            compress_keep_recent=1,
            knowledge_memory=self.knowledge,
            entity_memory=self.entities,
            knowledge_graph=self.graph,
            observers=[self.witness],
            parallel_tool_execution=False,
        )
        self.agent = Agent([find], self.script, memory=self.memory(), config=config)

    def run(self, op: dict[str, Any]) -> list[Any]:
        """Runs the agent. Gives everything that it, its model and its memories saw."""
        self.script.begin(op)
        self.witness.seen = []
        said = self.agent.run(op["said"]).content
        if self.notes is not None:
            self.notes.append({"op": "save", **AT})
        listed = [[one.session_id, one.message_count] for one in self.sessions.list()]
        saved = self.sessions.load("chat")
        return [
            said,
            self.script.asked,
            self.witness.seen,
            self.agent.memory.to_dict(),
            [listed, saved and saved.to_dict()],
            [
                [one.content, one.category, one.persistent, one.importance]
                for one in self.knowledge.store.query(limit=100)
            ],
            [
                [one.name, one.entity_type, one.attributes, one.mention_count]
                for one in self.entities.entities
            ],
            [[one.subject, one.relation, one.object] for one in self.graph.store.all()],
        ]


def play_agent(case: Case, side: Side, notes: list[Any] | None = None) -> list[Any]:
    """Everything that is seen of each run, without ids and times."""
    with tempfile.TemporaryDirectory() as folder:
        company = Company(case, side, folder, notes)
        seen: list[Any] = []
        for op in case["ops"]:
            if op["op"] == "restart":
                company.start()
            else:
                # Objects of selectools change with later runs.
                shown = _TIMES.sub("[time]", _IDS.sub("id", json.dumps(company.run(op))))
                seen.extend(json.loads(shown))
        return seen


def traced(case: Case) -> dict[str, Any]:
    """A run as operations on its memory and its session, which are replayed without the agent."""
    notes: list[Any] = []
    play_agent(case, "theirs", notes)
    options = {**case["options"], "ttl": None}
    made = {"options": {key: options[key] for key in ("limits", "is_file", "ttl")}, "ops": notes}
    return {"feature": "sessions", "case": made, "seen": play_sessions(made, "theirs")}


FEATURES = [Feature("agents", draw_agent, play_agent, traced=traced)]
