"""A model that says what a test gives it, and vectors made of letters."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from crewai.llms.base_llm import BaseLLM
from crewai.memory.types import MemoryRecord
from pydantic import PrivateAttr

SIZE = 8


def vector(seed: object, size: int = SIZE) -> list[float]:
    draw = random.Random(str(seed))
    return [draw.gauss(0, 1) for _ in range(size)]


def embed(texts: list[str]) -> list[list[float]]:
    """Makes vectors of how often letters occur, so that like texts are near."""
    letters = "abdeiklnorstu"
    return [[1.0 + text.lower().count(letter) for letter in letters] for text in texts]


def memory(content: str, **fields: Any) -> MemoryRecord:
    """Makes a memory with a vector of its text."""
    return MemoryRecord(content=content, **{"embedding": vector(content), **fields})


def act(tool: str, **arguments: Any) -> str:
    """Makes the text in which an agent calls a tool."""
    return f"Thought: so\nAction: {tool}\nAction Input: {json.dumps(arguments)}"


def answer(text: str) -> str:
    return f"Thought: so\nFinal Answer: {text}"


class Scripted(BaseLLM):
    """Gives one text for each call, and keeps what it was asked."""

    _texts: list[str] = PrivateAttr()
    _before: Callable[[], object] = PrivateAttr()
    _asked: list[str] = PrivateAttr(default_factory=list)

    def __init__(self, *texts: str, before: Callable[[], object] = lambda: None) -> None:
        super().__init__(model="scripted")
        self._texts, self._before = [*texts], before

    @property
    def asked(self) -> list[str]:
        return self._asked

    def call(self, messages: Any, *arguments: Any, **options: Any) -> str:
        self._before()
        self._asked.append(str(messages))
        return self._texts.pop(0)

    def supports_function_calling(self) -> bool:
        return False


class Mute(BaseLLM):
    """A model that fails, so that memory takes what it is given as it is."""

    def __init__(self) -> None:
        super().__init__(model="mute")

    def call(self, *arguments: Any, **options: Any) -> str:
        raise RuntimeError("no answer")
