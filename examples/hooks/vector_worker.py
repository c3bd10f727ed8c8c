"""A worker for recall: makes vectors of texts, and puts results in order, with its own model.

python3 vector_worker.py ADDRESS EMBEDDER RERANKER
"""

import sys
import zlib

from memorysidecar import Client, Worker

DIMENSIONS = 64


def parts_of(text: str) -> set[str]:
    """The runs of three letters in a text."""
    lower = f" {text.lower()} "
    return {lower[start : start + 3] for start in range(len(lower) - 2)}


def embed(texts: list[str], purpose: str) -> list[list[float]]:
    """Stands where your model would: texts with the same runs of letters are near each other."""
    vectors = [[0.0] * DIMENSIONS for _ in texts]
    for text, vector in zip(texts, vectors):
        for part in parts_of(text):
            vector[zlib.crc32(part.encode()) % DIMENSIONS] += 1.0
    return vectors


def rerank(query: str, texts: list[str]) -> list[float]:
    """Stands where your model would: how much of the query a text has."""
    asked = parts_of(query)
    return [len(asked & parts_of(text)) / len(asked) for text in texts]


with Client(sys.argv[1]) as memory:
    Worker(memory, sys.argv[2:], embed=embed, rerank=rerank).run()
