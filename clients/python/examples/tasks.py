"""Does tasks of a hook in every way, and meets the errors that a worker can cause.

    python tasks.py ADDRESS HOOK

HOOK is a hook of the kind `poll` in the server's configuration. Works in a namespace of its own and
deletes what it made.
"""

from __future__ import annotations

import secrets
import sys
import threading
from collections.abc import Callable
from typing import Any

from memorysidecar import Client, ErrorReason, MemorySidecarError, Worker, policy, v1


def expect(reason: str, call: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Makes a call that must fail, and shows how."""
    try:
        call(*args, **kwargs)
    except MemorySidecarError as error:
        if error.reason != reason:
            raise
        print(f"   {error.code.name} {reason}: {error.message}")
        return
    raise AssertionError(f"{reason} did not come")


def start(client: Client, session_id: str, hook: str) -> None:
    """Begins a conversation whose window overflows into the hook at once."""
    stage = policy.drop_oldest(
        "oldest",
        max_messages=2,
        unit="message",
        over={"messages": 4},
        summarize=policy.summarize(hook, keep="append", leave="at_once", on_failure="drop"),
    )
    made = policy.make_policy(stage, summary_view=policy.summary_view(prefix="So far: "))
    client.create_session(session_id=session_id, policy=made)
    client.append(session_id, [f"Note {number} of Ana." for number in range(5)])


def by_hand(client: Client, hook: str) -> None:
    """Takes a task, keeps it, and completes it."""
    start(client, "by-hand", hook)
    [task] = client.poll_tasks(hook, wait=5, lease=30, worker_id="by-hand")
    print(f"{task.task.task_id}: {task.summarize.transcript!r}")
    kept = client.extend_lease(task, 60)
    print(f"kept until {kept.expire_time.ToDatetime():%H:%M:%S}")
    state = v1.TaskState.Name(client.get_task(task.task.task_id).state)
    print(f"{state}, of {sum(1 for _ in client.list_tasks(state='leased'))} leased")
    expect(ErrorReason.TASK_RESULT_INVALID, client.complete_task, task, "")
    client.retry_task(task.task.task_id)
    [task] = client.poll_tasks(hook, wait=5)
    stolen = v1.LeasedTask()
    stolen.CopyFrom(task)
    stolen.lease_token = "another"
    expect(ErrorReason.LEASE_LOST, client.complete_task, stolen, "Not mine.")
    done = client.complete_task(task, {"text": "Ana takes notes.", "model": "by hand"})
    expect(ErrorReason.TASK_NOT_FOUND, client.fail_task, task)
    for summary in client.list_summaries("by-hand"):
        sources = client.list_summary_sources("by-hand", summary.version)
        print(f"version {done.summary_version}: {summary.text} {[one.seq for one in sources]}")
    expect(ErrorReason.SUMMARY_NOT_FOUND, list, client.list_summary_sources("by-hand", 99))
    print([message.text for message in client.window("by-hand").messages])


def compacted(client: Client, hook: str) -> None:
    """Summaries on request: one that is not wanted any more, and one that nobody can make."""
    client.append("asked", [f"Plan {number}." for number in range(6)], create_session=True)
    summarize = policy.summarize(hook)
    asked = client.compact_session("asked", keep_recent=2, summarize=summarize)
    [task] = client.poll_tasks(hook, wait=5)
    client.trim_session("asked", keep_recent=1)
    expect(ErrorReason.TASK_SUPERSEDED, client.complete_task, task, "Plans.")
    print(f"{asked.task.task_id} is not wanted any more")

    client.append("asked", [f"Plan {number}." for number in range(6, 12)])
    client.compact_session("asked", keep_recent=2, summarize=summarize)
    [task] = client.poll_tasks(hook, wait=5)
    failed = client.fail_task(task, "the model does not like it", permanent=True)
    print(f"{v1.TaskState.Name(failed.state)}: {client.get_task(task.task.task_id).last_failure}")
    client.retry_task(task.task.task_id)
    client.delete_task(task.task.task_id)
    client.delete_task(task.task.task_id, allow_missing=True)


def with_workers(client: Client, hook: str) -> None:
    """Two workers share the load."""
    workers = [
        Worker(client, hook, lambda task: f"{len(task.messages)} notes.", worker_id=name)
        for name in ("first", "second")
    ]
    threads = [threading.Thread(target=worker.run, args=(2,)) for worker in workers]
    for thread in threads:
        thread.start()
    for number in range(4):
        start(client, f"load-{number}", hook)
    for thread in threads:
        thread.join()
    for number in range(4):
        [summary] = client.list_summaries(f"load-{number}", current_only=True)
        print(f"load-{number}: {summary.text} by {summary.hook}")


def main(address: str, hook: str) -> None:
    """Goes through all of it."""
    with Client(address, namespace=f"tasks-{secrets.token_hex(4)}") as client:
        for one in client.list_hooks():
            print(f"{one.name}: {v1.HookKind.Name(one.kind)}")
        expect(ErrorReason.HOOK_NOT_CONFIGURED, client.poll_tasks, "nobody")
        by_hand(client, hook)
        compacted(client, hook)
        with_workers(client, hook)
        for session in list(client.list_sessions()):
            client.delete_session(session.session_id)
        print("Done.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python tasks.py ADDRESS HOOK")
    main(*sys.argv[1:])
