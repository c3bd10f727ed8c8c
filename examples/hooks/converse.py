"""A conversation that outgrows its window: shows summaries of a hook as they arrive.

python3 converse.py ADDRESS HOOK
"""

import sys

from memorysidecar import Client, policy, v1

HOOK = sys.argv[2]
NOTES = ["The keys are with Ana.", "We decided to leave on 3 May.", "Bo prefers trains to planes."]

with Client(sys.argv[1]) as memory:
    stage = policy.drop_oldest(
        "oldest",
        max_messages=6,
        unit="message",
        over={"messages": 10},
        summarize=policy.summarize(HOOK, keep="append", max_tokens=120),
    )
    session = memory.create_session(policy=policy.make_policy(stage)).session_id
    types = [v1.EVENT_TYPE_SUMMARY_SET, v1.EVENT_TYPE_SUMMARY_FAILED, v1.EVENT_TYPE_TASK_DEAD]
    seen = {"session_id": session, "event_types": types}
    with memory.watch(position="oldest", filter=seen, timeout=30) as events:
        for number in range(12):
            memory.append(session, [f"Note {number}: {NOTES[number % 3]} Nothing else happened."])
        for event in events:
            if event.type == v1.EVENT_TYPE_SUMMARY_SET:
                made = event.summary_set
                print(f"version {made.version} by {made.hook}: {made.added_totals.message_count} messages")
                break
            if event.type == v1.EVENT_TYPE_TASK_DEAD:
                sys.exit(f"given up: {v1.TaskFailureReason.Name(event.task_dead.reason)}")
            print("the hook failed; the server tries again")
    for summary in memory.list_summaries(session):
        sources = [message.seq for message in memory.list_summary_sources(session, summary.version)]
        print(f"{summary.text!r} stands for messages {sources}")
    print([message.text[:40] for message in memory.window(session).messages])
