"""Remembers a few messages, and finds one by its vector when the hooks have made it.

python3 remember.py ADDRESS RERANKER
"""

import sys
import time

from memorysidecar import Client, v1

NOTES = ["We cooked rice with Ana.", "The train leaves at ten.", "Bo is painting the kitchen."]
QUERY = "Who paints kitchens?"
END = time.monotonic() + 30

with Client(sys.argv[1]) as memory:
    memory.append("notes", NOTES, create_session=True)
    while True:
        found = memory.recall(QUERY, mode="dense", rerank=sys.argv[2])
        coverage = found.coverage
        if coverage.dense == v1.DENSE_STATE_USED and coverage.without_vector_count == 0:
            break
        if time.monotonic() > END:
            sys.exit("nobody makes vectors")
        time.sleep(0.2)
    for hit in found.hits:
        print(f"{hit.rerank_score:.2f} {hit.message.message.text}")
    if found.hits[0].message.message.text != NOTES[2]:
        sys.exit("the wrong message was found first")
