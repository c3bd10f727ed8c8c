"""A worker: takes tasks of a hook of the kind `poll` and does them with its own model.

python3 worker.py ADDRESS HOOK
"""

import os
import sys

from memorysidecar import Client, Worker, v1


def summarize(task: v1.SummarizeInput) -> v1.SummarizeOutput:
    """Stands where your model would: the beginning of each line of the transcript."""
    lines = [line[:60] for line in task.transcript.splitlines() if line.strip()]
    # Earlier summaries are repeated only when the new text replaces them.
    known = task.prior_texts if task.replaces_prior else []
    text = "\n".join([*known, *lines])[: task.max_tokens * 4]
    return v1.SummarizeOutput(text=text, model="beginnings")


with Client(sys.argv[1]) as memory:
    Worker(memory, sys.argv[2], summarize, worker_id=f"python-{os.getpid()}").run()
