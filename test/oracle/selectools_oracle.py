"""selectools beside our drop-in classes."""

from __future__ import annotations

import copy
import importlib
import itertools
import json
import os
import random
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone
from typing import Any
from unittest.mock import patch

from memorysidecar import Client
from memorysidecar.compat import use
from memorysidecar.compat._shared import client_or_default
from memorysidecar.compat.selectools import ConversationMemory as Ours
from memorysidecar.compat.selectools import EntityMemory as OurEntities
from memorysidecar.compat.selectools import KnowledgeStore, SessionStore, TripleStore
from selectools import sessions
from selectools.entity_memory import Entity, EntityMemory
from selectools.knowledge import FileKnowledgeStore, KnowledgeEntry
from selectools.knowledge_graph import InMemoryTripleStore, Triple
from selectools.memory import ConversationMemory as Theirs
from selectools.sessions import JsonFileSessionStore, SQLiteSessionStore
from selectools.types import ContentPart, Message, Role, ToolCall

from compare import Case, Feature, Side, main
from words import line, text

NOW = datetime.now(timezone.utc)
rounds = itertools.count()


def draw_message(rng: random.Random, calls: list[str]) -> dict[str, Any]:
    """A message as data: calls with late, missing and orphan results, images, parts."""
    kind = rng.random()
    if kind < 0.4:
        message: dict[str, Any] = {"role": "user", "content": text(rng)}
    elif kind < 0.65:
        message = {"role": "assistant", "content": text(rng)}
    elif kind < 0.8:
        count = rng.randint(1, 3)
        ids = [f"c{len(calls) + index}" for index in range(count)]
        calls.extend(ids)
        named = [None if rng.random() < 0.1 else one for one in ids]
        made = [{"tool_name": "find", "parameters": {"q": text(rng)}, "id": one} for one in named]
        message = {"role": "assistant", "content": text(rng), "tool_calls": made}
    elif kind < 0.95:
        answered = rng.choice(calls) if calls and rng.random() < 0.9 else "orphan"
        result = text(rng)
        message = {"role": "tool", "content": result, "tool_name": "find"}
        message["tool_call_id"] = None if rng.random() < 0.05 else answered
        message["tool_result"] = result if rng.random() < 0.8 else None
    else:
        message = {"role": "system", "content": text(rng)}
    if rng.random() < 0.08:
        message["content_parts"] = [
            {"type": "text", "text": text(rng)},
            {"type": "image_url", "image_url": "https://example.com/a.png"},
        ]
    return message


def message_of(data: dict[str, Any]) -> Message:
    """A message of data."""
    fields = {**data, "role": Role(data["role"])}
    if "tool_calls" in fields:
        fields["tool_calls"] = [ToolCall(**call) for call in fields["tool_calls"]]
    if "content_parts" in fields:
        fields["content_parts"] = [ContentPart(**part) for part in fields["content_parts"]]
    return Message(**fields)


def draw_memory(rng: random.Random) -> Case:
    """A conversation with limits that change, summaries, branches and documents."""
    calls: list[str] = []
    ops: list[dict[str, Any]] = []
    for _ in range(rng.randint(5, 40)):
        kind = rng.random()
        if kind < 0.7:
            ops.append({"op": "add", "messages": [draw_message(rng, calls)]})
        elif kind < 0.82:
            many = [draw_message(rng, calls) for _ in range(rng.randint(0, 5))]
            ops.append({"op": "add_many", "messages": many})
        elif kind < 0.87:
            ops.append({"op": "recent", "n": rng.randint(0, 6)})
        elif kind < 0.91:
            ops.append({"op": "summary", "text": rng.choice([None, text(rng)])})
        elif kind < 0.94:
            ops.append({"op": "branch"})
        elif kind < 0.97:
            ops.append({"op": "document"})
        elif kind < 0.985:
            ops.append({"op": "limit", "max_messages": rng.randint(1, 9)})
        else:
            ops.append({"op": "clear"})
    tokens = rng.choice([None, None, rng.randint(1, 60), rng.randint(50, 900)])
    return {"options": {"max_messages": rng.randint(1, 12), "max_tokens": tokens}, "ops": ops}


def play_memory(case: Case, side: Side) -> list[Any]:
    """History, trimmed messages, length and summary after each operation."""
    kind = Theirs if side == "theirs" else Ours
    memory = kind(**case["options"])
    seen: list[Any] = []
    for op in case["ops"]:
        value: Any = None
        match op["op"]:
            case "add":
                memory.add(message_of(op["messages"][0]))
            case "add_many":
                memory.add_many([message_of(one) for one in op["messages"]])
            case "recent":
                try:
                    value = [one.to_dict() for one in memory.get_recent(op["n"])]
                except ValueError as error:
                    value = str(error)
            case "summary":
                memory.summary = op["text"]
            case "branch":
                memory = memory.branch()
            case "document":
                memory = kind.from_dict(memory.to_dict())
            case "limit":
                memory.max_messages = op["max_messages"]
            case "clear":
                memory.clear()
        trimmed = [one.to_dict() for one in memory._last_trimmed]
        whole = memory.to_dict()
        seen.extend([whole.pop("summary"), whole.pop("messages"), whole, trimmed, len(memory)])
        seen.append(value)
    return seen


def known_memory(case: Case, theirs: Any, ours: Any) -> str | None:
    """The one difference that is meant."""
    if theirs == "" and ours is None:
        return "an empty summary is none"
    texts = json.dumps(case)
    if "content_parts" in texts and '"document"' in texts:
        return "text parts count in a document that is imported"
    return None


def draw_knowledge(rng: random.Random) -> Case:
    """Entries that are stored, changed, chosen and pruned."""
    ops: list[dict[str, Any]] = []
    for _ in range(rng.randint(5, 30)):
        kind, name = rng.random(), f"e{rng.randint(0, 9)}"
        if kind < 0.55:
            entry = {"content": line(rng), "category": rng.choice(["general", "fact", "über"])}
            entry["importance"] = rng.choice([0.0, 0.5, 1.0, round(rng.random(), 3)])
            entry["persistent"] = rng.random() < 0.2
            entry["ttl_days"] = rng.choice([None, None, 1, 30])
            entry["metadata"] = rng.choice([{}, {"n": 2**60, "deep": [None, {"a": 1.5}]}])
            ops.append({"op": "save", "name": name, "age": rng.randint(0, 40), "entry": entry})
        elif kind < 0.8:
            wanted = {"category": rng.choice([None, None, "fact", "none"])}
            wanted["min_importance"] = rng.choice([0.0, 0.0, 0.5, 2.0])
            wanted["limit"] = rng.choice([0, 2, 50])
            ops.append({"op": "query", "age": rng.choice([None, 10]), "wanted": wanted})
        elif kind < 0.87:
            ops.append({"op": "get", "name": name})
        elif kind < 0.94:
            ops.append({"op": "delete", "name": name})
        else:
            limits = {"max_age_days": rng.choice([None, 20])}
            limits["min_importance"] = rng.choice([0.0, 0.4])
            ops.append({"op": "prune", "limits": limits})
    return {"options": {}, "ops": ops}


def entry_shown(entry: Any, run: str) -> Any:
    """An entry as data, with the names and the times of the case."""
    if entry is None:
        return None
    data = {**vars(entry), "id": entry.id.removeprefix(run)}
    for name in ("created_at", "updated_at"):
        data[name] = (NOW - data[name]).total_seconds()
    return data


def play_knowledge(case: Case, side: Side) -> list[Any]:
    """Results of the operations, and all entries after each."""
    run = f"r{next(rounds)}-"
    with tempfile.TemporaryDirectory() as folder:
        store: Any = FileKnowledgeStore(folder) if side == "theirs" else KnowledgeStore(run)
        seen: list[Any] = []
        for op in case["ops"]:
            name, age = run + op.get("name", ""), op.get("age")
            time = None if age is None else NOW - timedelta(days=age, hours=1)
            match op["op"]:
                case "save":
                    times = {"created_at": time, "updated_at": time}
                    entry = KnowledgeEntry(id=name, **times, **op["entry"])
                    seen.append(store.save(entry).removeprefix(run))
                case "query":
                    found = store.query(since=time, **op["wanted"])
                    seen.append([entry_shown(one, run) for one in found])
                case "get":
                    seen.append(entry_shown(store.get(name), run))
                case "delete":
                    seen.append(store.delete(name))
                case "prune":
                    seen.append(store.prune(**op["limits"]))
            whole = [entry_shown(one, run) for one in store.query(limit=1_000)]
            seen.append([store.count(), whole])
        return seen


def draw_triples(rng: random.Random) -> Case:
    """Triples that are added, found by their words and cleared."""
    ops: list[dict[str, Any]] = []
    for _ in range(rng.randint(3, 20)):
        kind = rng.random()
        if kind < 0.6:
            names = [
                {"subject": line(rng, 2), "relation": line(rng, 1), "object": line(rng, 3)}
                for _ in range(rng.choice([1, 1, 3, 0]))
            ]
            rest = {"confidence": rng.choice([1.0, 0.5]), "source_turn": rng.randint(0, 9)}
            ops.append({"op": "add", "triples": [{**one, **rest} for one in names]})
        elif kind < 0.97:
            keywords = [rng.choice([line(rng, 1), "A", "nothing", ""]) for _ in range(2)]
            ops.append({"op": "query", "keywords": rng.choice([keywords, keywords[:1], []])})
        else:
            ops.append({"op": "clear"})
    return {"options": {"max_triples": rng.choice([1, 4, 200])}, "ops": ops}


def play_triples(case: Case, side: Side) -> list[Any]:
    """Results of the operations, and all triples after each."""
    most = case["options"]["max_triples"]
    ours = TripleStore(most, user_id=f"r{next(rounds)}")
    store: Any = InMemoryTripleStore(most) if side == "theirs" else ours
    seen: list[Any] = []
    for number, op in enumerate(case["ops"]):
        match op["op"]:
            case "add":
                made = [Triple(created_at=number + 0.5, **one) for one in op["triples"]]
                if len(made) == 1:
                    store.add(made[0])
                else:
                    store.add_many(made)
            case "query":
                seen.append([one.to_dict() for one in store.query(op["keywords"])])
            case "clear":
                store.clear()
        seen.append([store.count(), store.to_list()])
    return seen


def draw_entities(rng: random.Random) -> Case:
    """Entities that are mentioned, again and with other attributes, until some go."""
    ops: list[dict[str, Any]] = []
    names = ["Ana", "ANA", "Acme", "über", "東京", "Rome", "x" * 200]
    for _ in range(rng.randint(3, 14)):
        mentioned = []
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            known = {line(rng, 1): rng.choice([line(rng, 2), 7, None, ["a"]]) for _ in range(2)}
            kind = rng.choice(["person", "other", "organization"])
            one = {"name": rng.choice(names), "entity_type": kind, "attributes": known}
            mentioned.append(one)
        ops.append(
            {"op": rng.choice(["update", "update", "update", "document"]), "entities": mentioned}
        )
    return {"options": {"max_entities": rng.choice([2, 4, 50])}, "ops": ops}


def play_entities(case: Case, side: Side) -> list[Any]:
    """All entities after each operation, without their times."""
    user = {"user_id": f"r{next(rounds)}"} if side == "ours" else {}
    kind = OurEntities if side == "ours" else EntityMemory
    memory: Any = kind(None, None, case["options"]["max_entities"], 10, **user)
    seen: list[Any] = []
    for op in case["ops"]:
        if op["op"] == "update":
            memory.update([Entity(**copy.deepcopy(one)) for one in op["entities"]])
        else:
            user = {"user_id": f"r{next(rounds)}"} if side == "ours" else {}
            memory = kind.from_dict(memory.to_dict(), None, **user)
        # The entities of selectools change with those that were given.
        whole = copy.deepcopy(memory.to_dict())
        for listed in (
            whole.pop("entities"),
            copy.deepcopy([one.to_dict() for one in memory.entities]),
        ):
            for one in listed:
                del one["first_mentioned"], one["last_mentioned"]
            seen.append(listed)
        seen.append(whole)
    return seen


SESSIONS = ["a", "b", "über 東京"]
SPACES = [None, None, "team"]


def draw_sessions(rng: random.Random) -> Case:
    """Memories that change, and sessions that are saved, loaded, copied, found and forgotten."""
    calls: list[str] = []
    ops: list[dict[str, Any]] = []
    is_file = rng.random() < 0.5
    for _ in range(rng.randint(5, 30)):
        of: dict[str, Any] = {"memory": rng.randint(0, 1), "name": rng.choice(SESSIONS)}
        of["space"] = rng.choice(SPACES)
        kind = rng.random()
        if kind < 0.3:
            many = [draw_message(rng, calls) for _ in range(rng.randint(1, 4))]
            ops.append({"op": "add", "messages": many, **of})
        elif kind < 0.4:
            ops.append({"op": rng.choice(["clear", "cut", "limit"]), "n": rng.randint(1, 6), **of})
        elif kind < 0.45:
            ops.append({"op": "summary", "text": rng.choice([None, line(rng)]), **of})
        elif kind < 0.9:
            asked = ["save", "save", "save", "load", "load", "exists", "delete", "list"]
            ops.append({"op": rng.choice(asked), **of})
        elif kind < 0.93:
            ops.append({"op": "branch", "to": rng.choice(SESSIONS), **of})
        elif kind < 0.96:
            ops.append({"op": "wait", "seconds": rng.choice([40, 101])})
        else:
            words = ["Anna", "trains Acme", "birthday", "東京", "nothing", " "]
            query = line(rng, 2) if is_file else rng.choice(words)
            ops.append({"op": "search", "query": query, "limit": rng.choice([0, 1, 5]), **of})
    options = {"is_file": is_file, "ttl": rng.choice([None, None, 100])}
    tokens = rng.choice([None, None, rng.randint(1, 60)])
    limits = {"max_messages": rng.randint(1, 12), "max_tokens": tokens}
    return {"options": {**options, "limits": limits}, "ops": ops}


class Clock:
    """A clock that the case sets forward."""

    sleep = staticmethod(time.sleep)

    def __init__(self) -> None:
        self.ahead = 0.0

    def time(self) -> float:
        """Gives the seconds since 1970."""
        return time.time() + self.ahead


def in_namespace(namespace: str) -> Client:
    """The client in a namespace of its own, for one case."""
    client = copy.copy(client_or_default(None))
    client.namespace = namespace
    return client


class Sessions:
    """Two memories and a session store, as a case uses them."""

    def __init__(self, case: Case, side: Side, folder: str, clock: Clock, kind: Any) -> None:
        options = case["options"]
        self.kind, self.clock, self.is_file = kind, clock, options["is_file"]
        if side == "ours":
            namespace = f"sessions-{os.getpid()}-{next(rounds)}"
            self.store: Any = SessionStore(options["ttl"], client=in_namespace(namespace))
        elif self.is_file:
            self.store = JsonFileSessionStore(folder, options["ttl"])
        else:
            self.store = SQLiteSessionStore(f"{folder}/sessions.db", options["ttl"])
        self.memories = [kind(**options["limits"]) for _ in range(2)]
        # Times of the first save.
        self.made: dict[str, float] = {}

    def document(self, number: int, change: dict[str, Any]) -> None:
        """Makes a memory of its document, with a change."""
        self.memories[number] = self.kind.from_dict({**self.memories[number].to_dict(), **change})

    def change(self, op: dict[str, Any]) -> Any:
        """Changes a memory."""
        memory = self.memories[op["memory"]]
        match op["op"]:
            case "add":
                memory.add_many([message_of(one) for one in op["messages"]])
            case "clear":
                memory.clear()
            case "cut":
                left = memory.to_dict()["messages"][: op["n"]]
                self.document(op["memory"], {"messages": left})
            case "limit":
                memory.max_messages = op["n"]
            case "summary":
                memory.summary = op["text"]
        return self.memories[op["memory"]].to_dict()

    def ask(self, op: dict[str, Any]) -> Any:
        """Calls the store. Gives what it answers."""
        number, name, space = op["memory"], op["name"], op["space"]
        match op["op"]:
            case "save":
                return self.store.save(name, self.memories[number], space)
            case "load":
                found = self.store.load(name, namespace=space)
                if found is not None:
                    self.memories[number] = self.kind.from_dict(found.to_dict())
                return [found is not None, self.memories[number].to_dict()]
            case "exists":
                return self.store.exists(name, space)
            case "delete":
                self.made.pop(f"{space}:{name}" if space else name, None)
                return self.store.delete(name, space)
            case "branch":
                return self.store.branch(name, op["to"], namespace=space)
            case "list":
                return self.listed()
        return self.found(op["query"], space, op["limit"])

    def listed(self) -> Any:
        """The sessions, and if their times are those of the first and of the newest save."""
        whole = sorted(self.store.list(), key=lambda one: one.session_id)
        known = [self.made.setdefault(one.session_id, one.created_at) for one in whole]
        self.made = {one.session_id: one.created_at for one in whole}
        return [
            [
                one.session_id,
                one.message_count,
                one.created_at == made <= one.updated_at <= self.clock.time(),
            ]
            for one, made in zip(whole, known, strict=True)
        ]

    def found(self, query: str, space: str | None, limit: int) -> Any:
        """Result of a search. The two stores of selectools agree on the sessions alone, and the
        one in files leaves out their namespaces."""
        found = self.store.search(query, space, limit if space and self.is_file else 100 * limit)
        if not self.is_file:
            return sorted(one.session_id for one in found)
        shown = [
            [one.session_id.rpartition(":")[2], one.score, one.matched_messages] for one in found
        ]
        return shown if space else sorted(shown)


def play_sessions(case: Case, side: Side, kind: Any = None) -> list[Any]:
    """Results of the operations."""
    clock = Clock()
    kind = kind or (Theirs if side == "theirs" else Ours)
    seen: list[Any] = []
    module = sys.modules[SessionStore.__module__] if side == "ours" else sessions
    with tempfile.TemporaryDirectory() as folder, patch.object(module, "time", clock):
        at = Sessions(case, side, folder, clock, kind)
        for op in case["ops"]:
            # The clocks of computers are finer than those of file systems.
            clock.ahead += op.get("seconds", 0.001)
            if op["op"] in ("add", "clear", "cut", "limit", "summary"):
                seen.append(at.change(op))
            elif op["op"] != "wait":
                try:
                    seen.append(at.ask(op))
                except ValueError as error:
                    seen.append(str(error))
        return [*seen, at.listed()]


def play_plain_sessions(case: Case, side: Side) -> list[Any]:
    """The same, with memories of selectools in either store."""
    return play_sessions(case, side, Theirs)


def known_sessions(case: Case, theirs: Any, ours: Any) -> str | None:
    """The differences that are meant."""
    has_tokens = case["options"]["limits"]["max_tokens"] is not None
    if has_tokens and '"content_parts"' in json.dumps(case):
        return "text parts count in a document that is imported"
    names = {op["op"] for op in case["ops"]}
    if (
        names >= {"limit", "load", "summary"}
        and isinstance(ours, dict)
        and isinstance(theirs, dict)
    ):
        kept, whole = ours.get("messages"), theirs.get("messages")
        if kept and whole and kept == whole[-len(kept) :] and len(kept) <= theirs["max_messages"]:
            return "a summary that is set after from_dict applies the limit"
    return None


FEATURES = [
    Feature("memory", draw_memory, play_memory, known_memory),
    Feature("knowledge", draw_knowledge, play_knowledge),
    Feature("triples", draw_triples, play_triples),
    Feature("entities", draw_entities, play_entities),
    Feature("sessions", draw_sessions, play_sessions, known_sessions),
    Feature("sessions of plain memories", draw_sessions, play_plain_sessions, is_recorded=False),
]

if __name__ == "__main__":
    # Agents need the whole of selectools, of which the recorded cases need only the types.
    agents = importlib.import_module("selectools_agents")
    main([*FEATURES, *agents.FEATURES], use)
