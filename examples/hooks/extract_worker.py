"""A worker for long-term memory: finds facts, scores texts, and settles contradictions.

python3 extract_worker.py ADDRESS EXTRACTOR SCORER RESOLVER
"""

import re
import sys
from typing import Any, Literal

from memorysidecar import Client, Worker, v1

PET = re.compile(r"\bmy (dog|cat) is (\w+)", re.IGNORECASE)


def extract(task: v1.ExtractInput) -> dict[str, list[dict[str, Any]]]:
    """Stands where your model would: what pets are called. A model may take `task.transcript`."""
    facts: list[dict[str, Any]] = []
    entities: list[dict[str, Any]] = []
    for message in task.messages or [v1.Message(text=task.text)]:
        for kind, name in PET.findall(message.text):
            pet, ids = kind.lower(), [message.message_id]
            # The key makes a new name take the place of the old one.
            fact = {"text": f"The user's {pet} is {name}.", "key": pet, "topics": ["pets"]}
            facts.append({**fact, "importance": 0.8, "message_ids": ids})
            entities.append({"name": name, "type": "animal", "message_ids": ids})
    return {"facts": facts, "entities": entities}


def score(texts: list[str]) -> list[float]:
    """Stands where your model would: what is said of pets matters."""
    return [0.8 if PET.search(text) else 0.1 for text in texts]


def resolve(task: v1.ResolveInput) -> Literal["supersede"] | dict[str, str]:
    """Stands where your model would: what is added to is merged, the rest is replaced."""
    if "also" in task.text:
        return {"text": " ".join([*task.known, task.text])}
    return "supersede"


with Client(sys.argv[1]) as memory:
    Worker(memory, sys.argv[2:], extract=extract, score=score, resolve=resolve).run()
