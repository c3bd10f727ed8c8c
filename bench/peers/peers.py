"""The products that the bench compares, each through its own Python client.

A product of messages appends a message to a conversation and reads the newest 20; a product of
memories stores a text and finds the nearest ten. A class imports its packages when it is made: the
runner reads only the declarations, and each product runs in an environment of its own.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

TEXT = "x" * 300
NEWEST = 20
NEAREST = 10
DIMENSIONS = 384


class Place(NamedTuple):
    """The home of a product's data: a directory, and the port of its server if it has one."""

    directory: Path
    port: int


class Peer:
    """A product, in one process of the load."""

    name: ClassVar[str]
    title: ClassVar[str]
    packages: ClassVar[tuple[str, ...]] = ()
    """Exact versions, for an environment of its own. None: that of our client."""
    server: ClassVar[str] = ""
    """The server that it needs, by its name in servers.py."""
    lacks: ClassVar[str] = ""
    """A sentence on what it does not do here and Memory Sidecar does."""

    def __init__(self, place: Place) -> None:
        raise NotImplementedError

    def settings(self) -> str:
        """The settings that make a write durable, as the product itself tells them."""
        raise NotImplementedError


class Messages(Peer):
    """A product that keeps conversations; its calls block."""

    def create(self, conversation: str) -> None:
        """Makes a conversation, where that is a call."""

    def append(self, conversation: str) -> None:
        raise NotImplementedError

    def newest(self, conversation: str) -> int:
        """Reads the newest messages and gives their number."""
        raise NotImplementedError

    def turn(self, conversation: str) -> int:
        """Appends, then reads the newest messages."""
        self.append(conversation)
        return self.newest(conversation)


class AsyncMessages(Peer):
    """A product that keeps conversations; its calls are coroutines."""

    async def create(self, conversation: str) -> None:
        """Makes a conversation, where that is a call."""

    async def append(self, conversation: str) -> None:
        raise NotImplementedError

    async def newest(self, conversation: str) -> int:
        """Reads the newest messages and gives their number."""
        raise NotImplementedError

    async def turn(self, conversation: str) -> int:
        """Appends, then reads the newest messages."""
        await self.append(conversation)
        return await self.newest(conversation)


class Memories(Peer):
    """A product that stores texts and finds those nearest to a query."""

    def remember(self, number: int) -> None:
        """Stores the text of a number."""
        raise NotImplementedError

    def recall(self, number: int) -> int:
        """Finds the texts nearest to that of a number and gives how many it found."""
        raise NotImplementedError


TOPICS = ("tea", "Lisbon", "chess", "invoices", "cycling", "Rust", "gardens", "jazz", "maps")
VERBS = ("likes", "dislikes", "asked about", "wrote about", "will buy", "remembers", "teaches")


def memory_text(number: int) -> str:
    """A sentence; those of different numbers differ."""
    verb, topic = VERBS[number % len(VERBS)], TOPICS[(number // 7) % len(TOPICS)]
    return f"User {number % 97} {verb} {topic}, as noted in entry {number}."


def vector_of(text: str) -> list[float]:
    """A vector of length 1 in which the same words fall together: it costs no model."""
    vector = [0.0] * DIMENSIONS
    for word in text.lower().split():
        digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
        vector[int.from_bytes(digest[:4], "big") % DIMENSIONS] += 1.0 if digest[4] & 1 else -1.0
    length = math.hypot(*vector) or 1.0
    return [value / length for value in vector]


class Vectors:
    """Vectors made before the clock runs: no product pays for them."""

    def __init__(self) -> None:
        self.known: dict[str, list[float]] = {}

    def __getitem__(self, text: str) -> list[float]:
        if text not in self.known:
            self.known[text] = vector_of(text)
        return self.known[text]


def sqlite_settings(connection: sqlite3.Connection) -> str:
    """The settings that SQLite tells of a connection."""
    names = ("journal_mode", "synchronous")
    values = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
    levels = ("OFF", "NORMAL", "FULL", "EXTRA")
    return f"SQLite: journal {values[0]}, synchronous {levels[int(values[1])]}"


OUR_SETTINGS = "each commit is on stable storage before its answer"


class Sidecar(Messages):
    name = "sidecar"
    title = "Memory Sidecar"
    server = "sidecar"

    def __init__(self, place: Place) -> None:
        from memorysidecar import Client

        self.client = Client(f"127.0.0.1:{place.port}")

    def settings(self) -> str:
        return OUR_SETTINGS

    def create(self, conversation: str) -> None:
        self.client.create_session(conversation)

    def append(self, conversation: str) -> None:
        self.client.append(conversation, TEXT)

    def newest(self, conversation: str) -> int:
        return len(self.client.window(conversation, newest=NEWEST).messages)

    def turn(self, conversation: str) -> int:
        answer = self.client.append(conversation, TEXT, window={"newest": NEWEST})
        return len(answer.window.messages)


class SidecarAsync(AsyncMessages):
    name = "sidecar-asyncio"
    title = "Memory Sidecar, asyncio"
    server = "sidecar"

    def __init__(self, place: Place) -> None:
        from memorysidecar.aio import AsyncClient

        self.client = AsyncClient(f"127.0.0.1:{place.port}")

    def settings(self) -> str:
        return OUR_SETTINGS

    async def create(self, conversation: str) -> None:
        await self.client.create_session(conversation)

    async def append(self, conversation: str) -> None:
        await self.client.append(conversation, TEXT)

    async def newest(self, conversation: str) -> int:
        return len((await self.client.window(conversation, newest=NEWEST)).messages)

    async def turn(self, conversation: str) -> int:
        answer = await self.client.append(conversation, TEXT, window={"newest": NEWEST})
        return len(answer.window.messages)


class Redis(Messages):
    name = "redis"
    title = "Redis, a list"
    packages = ("redis==8.1.0", "hiredis==3.5.0")
    server = "redis"
    lacks = "Bare values in memory: no window by tokens, no search, no events of its own."

    def __init__(self, place: Place) -> None:
        from redis import Redis as Client

        self.client = Client(port=place.port)

    def settings(self) -> str:
        found = self.client.config_get("append*")
        return f"appendonly {found['appendonly']}, appendfsync {found['appendfsync']}"

    def append(self, conversation: str) -> None:
        self.client.rpush(conversation, json.dumps({"role": "user", "text": TEXT}))

    def newest(self, conversation: str) -> int:
        return len([json.loads(one) for one in self.client.lrange(conversation, -NEWEST, -1)])


class Postgres(Messages):
    name = "postgres"
    title = "PostgreSQL, a table"
    packages = ("psycopg[binary]==3.3.9",)
    server = "postgres"
    lacks = "Bare rows: no window by tokens, no search, no events of its own."

    def __init__(self, place: Place) -> None:
        import threading

        import psycopg

        self.local = threading.local()
        self.connect = lambda: psycopg.connect(
            f"host=127.0.0.1 port={place.port} user=bench dbname=postgres", autocommit=True
        )
        self.connection.execute(
            "CREATE TABLE IF NOT EXISTS message (conversation text, seq bigserial, body jsonb, "
            "PRIMARY KEY (conversation, seq))"
        )

    @property
    def connection(self) -> Any:
        if not hasattr(self.local, "connection"):
            self.local.connection = self.connect()
        return self.local.connection

    def settings(self) -> str:
        shown = [
            f"{name} {self.connection.execute(f'SHOW {name}').fetchone()[0]}"
            for name in ("fsync", "synchronous_commit")
        ]
        return ", ".join(shown)

    def append(self, conversation: str) -> None:
        body = json.dumps({"role": "user", "text": TEXT})
        self.connection.execute(
            "INSERT INTO message (conversation, body) VALUES (%s, %s)", (conversation, body)
        )

    def newest(self, conversation: str) -> int:
        rows = self.connection.execute(
            "SELECT body FROM message WHERE conversation = %s ORDER BY seq DESC LIMIT %s",
            (conversation, NEWEST),
        )
        return len(rows.fetchall())


class LangGraphStore(Messages):
    """A store of LangGraph used as a log: an item a message, read by a search of its namespace."""

    lacks = "Items without order or window: the newest are those updated last."
    counter = 0

    def __init__(self, place: Place) -> None:
        import threading

        self.local = threading.local()
        self.place = place
        self.store.setup()

    def open(self) -> Any:
        raise NotImplementedError

    @property
    def store(self) -> Any:
        if not hasattr(self.local, "store"):
            self.local.context = self.open()
            self.local.store = self.local.context.__enter__()
        return self.local.store

    def append(self, conversation: str) -> None:
        LangGraphStore.counter += 1
        key = f"{id(self.local)}-{LangGraphStore.counter}"
        self.store.put(("chat", conversation), key, {"role": "user", "text": TEXT}, index=False)

    def newest(self, conversation: str) -> int:
        return len(self.store.search(("chat", conversation), limit=NEWEST))


class LangGraphSqlite(LangGraphStore):
    name = "langgraph-sqlite"
    title = "LangGraph SqliteStore"
    packages = ("langgraph-checkpoint-sqlite==3.1.2",)

    def open(self) -> Any:
        from langgraph.store.sqlite import SqliteStore

        return SqliteStore.from_conn_string(str(self.place.directory / "store.db"))

    def settings(self) -> str:
        return sqlite_settings(self.store.conn)


class LangGraphPostgres(LangGraphStore):
    name = "langgraph-postgres"
    title = "LangGraph PostgresStore"
    packages = ("langgraph-checkpoint-postgres==3.2.0", "psycopg[binary]==3.3.9")
    server = "postgres"

    def open(self) -> Any:
        from langgraph.store.postgres import PostgresStore

        address = f"postgresql://bench@127.0.0.1:{self.place.port}/postgres"
        return PostgresStore.from_conn_string(address)

    def settings(self) -> str:
        with self.store.conn.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            return f"synchronous_commit {cursor.fetchone()['synchronous_commit']}"


class OpenAISession(AsyncMessages):
    name = "openai-sqlite"
    title = "OpenAI Agents SQLiteSession"
    packages = ("openai-agents==0.24.0",)
    lacks = "A list of items: no window by tokens, no search, one file for one machine."

    def __init__(self, place: Place) -> None:
        from agents import SQLiteSession

        self.path = place.directory / "sessions.db"
        self.make = lambda name: SQLiteSession(name, self.path)
        self.sessions: dict[str, Any] = {}

    def settings(self) -> str:
        with sqlite3.connect(self.path) as connection:
            return sqlite_settings(connection)

    async def create(self, conversation: str) -> None:
        self.sessions[conversation] = self.make(conversation)

    async def append(self, conversation: str) -> None:
        await self.sessions[conversation].add_items([{"role": "user", "content": TEXT}])

    async def newest(self, conversation: str) -> int:
        return len(await self.sessions[conversation].get_items(limit=NEWEST))


class AdkSession(AsyncMessages):
    name = "adk-sqlite"
    title = "Google ADK DatabaseSessionService"
    packages = ("google-adk==2.13.0", "sqlalchemy[asyncio]==2.0.54", "aiosqlite==0.22.1")
    lacks = "Events and states: no window by tokens, no search, a read loads the session anew."

    def __init__(self, place: Place) -> None:
        from google.adk.events import Event
        from google.adk.sessions import DatabaseSessionService
        from google.adk.sessions.base_session_service import GetSessionConfig
        from google.genai import types

        self.path = place.directory / "adk.db"
        self.service = DatabaseSessionService(f"sqlite+aiosqlite:///{self.path}")
        self.recent = GetSessionConfig(num_recent_events=NEWEST)
        self.event = lambda: Event(
            author="user", content=types.Content(role="user", parts=[types.Part(text=TEXT)])
        )
        self.sessions: dict[str, Any] = {}

    def settings(self) -> str:
        with sqlite3.connect(self.path) as connection:
            return sqlite_settings(connection)

    async def create(self, conversation: str) -> None:
        names = {"app_name": "bench", "user_id": "bench", "session_id": conversation}
        self.sessions[conversation] = await self.service.create_session(**names)

    async def append(self, conversation: str) -> None:
        await self.service.append_event(self.sessions[conversation], self.event())

    async def newest(self, conversation: str) -> int:
        names = {"app_name": "bench", "user_id": "bench", "session_id": conversation}
        session = await self.service.get_session(**names, config=self.recent)
        self.sessions[conversation] = session
        return len(session.events)


class SidecarMemories(Memories):
    name = "sidecar-memories"
    title = "Memory Sidecar"
    server = "sidecar"

    def __init__(self, place: Place) -> None:
        from memorysidecar import Client

        self.client = Client(f"127.0.0.1:{place.port}")

    def settings(self) -> str:
        return f"{OUR_SETTINGS}; vectors by its own embedder, within the call"

    def remember(self, number: int) -> None:
        self.client.remember(memory_text(number), user_id="bench")

    def recall(self, number: int) -> int:
        query = memory_text(number)
        kinds = {"kinds": ["memory"]}
        return len(self.client.recall(query, user_id="bench", page_size=NEAREST, filter=kinds).hits)


class LangGraphMemories(Memories):
    name = "langgraph-sqlite-memories"
    title = "LangGraph SqliteStore with vectors"
    packages = LangGraphSqlite.packages
    lacks = "Vectors alone: no words, no scopes of users beyond its namespaces, no erasure."

    def __init__(self, place: Place) -> None:
        from langgraph.store.sqlite import SqliteStore

        self.vectors = Vectors()
        embed = lambda texts: [self.vectors[text] for text in texts]  # noqa: E731
        index = {"dims": DIMENSIONS, "embed": embed, "fields": ["text"]}
        path = str(place.directory / "memories.db")
        self.context = SqliteStore.from_conn_string(path, index=index)
        self.store = self.context.__enter__()
        self.store.setup()

    def settings(self) -> str:
        return sqlite_settings(self.store.conn)

    def remember(self, number: int) -> None:
        self.store.put(("bench",), str(number), {"text": memory_text(number)})

    def recall(self, number: int) -> int:
        return len(self.store.search(("bench",), query=memory_text(number), limit=NEAREST))


class Chroma(Memories):
    name = "chroma"
    title = "Chroma, persistent"
    packages = ("chromadb==1.5.9",)
    lacks = "Vectors alone: words only as a filter; one process."

    def __init__(self, place: Place) -> None:
        import chromadb

        self.vectors = Vectors()
        options = chromadb.Settings(anonymized_telemetry=False)
        self.path = place.directory
        client = chromadb.PersistentClient(str(self.path), settings=options)
        self.collection = client.create_collection("bench", embedding_function=None)

    def settings(self) -> str:
        with sqlite3.connect(self.path / "chroma.sqlite3") as connection:
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        return f"SQLite: journal {mode}; it does not tell how it syncs"

    def remember(self, number: int) -> None:
        text = memory_text(number)
        self.collection.add(str(number), embeddings=[self.vectors[text]], documents=[text])

    def recall(self, number: int) -> int:
        vector = self.vectors[memory_text(number)]
        found = self.collection.query(query_embeddings=[vector], n_results=NEAREST)
        return len(found["ids"][0])


class Mem0(Memories):
    name = "mem0"
    title = "mem0 without a model, Qdrant in process"
    packages = ("mem0ai==2.2.1",)
    lacks = "Without a model it stores texts as they are; one process."

    def __init__(self, place: Place) -> None:
        import os

        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = str(place.directory / "home")
        from mem0 import Memory

        vectors = Vectors()

        class Embedder:
            def embed(self, text: str, memory_action: str | None = None) -> list[float]:
                return vectors[text]

            def embed_batch(
                self, texts: list[str], memory_action: str | None = None
            ) -> list[list[float]]:
                return [vectors[text] for text in texts]

        store = {
            "collection_name": "bench",
            "embedding_model_dims": DIMENSIONS,
            "path": str(place.directory / "qdrant"),
            "on_disk": True,
        }
        key = {"api_key": "none"}
        self.history = place.directory / "history.db"
        self.memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": {"provider": "openai", "config": key},
                "embedder": {"provider": "openai", "config": key},
                "history_db_path": str(self.history),
            }
        )
        self.memory.embedding_model = Embedder()

    def settings(self) -> str:
        with sqlite3.connect(self.history) as connection:
            return f"history in {sqlite_settings(connection)}; Qdrant in process"

    def remember(self, number: int) -> None:
        self.memory.add(memory_text(number), user_id="bench", infer=False)

    def recall(self, number: int) -> int:
        names = {"filters": {"user_id": "bench"}, "top_k": NEAREST}
        return len(self.memory.search(memory_text(number), **names)["results"])


MESSAGES: tuple[type[Messages] | type[AsyncMessages], ...] = (
    Sidecar,
    SidecarAsync,
    Redis,
    Postgres,
    OpenAISession,
    AdkSession,
    LangGraphSqlite,
    LangGraphPostgres,
)
MEMORIES: tuple[type[Memories], ...] = (SidecarMemories, LangGraphMemories, Chroma, Mem0)
PEERS: dict[str, type[Peer]] = {peer.name: peer for peer in (*MESSAGES, *MEMORIES)}
