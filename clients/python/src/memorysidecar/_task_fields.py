"""The arguments of the methods for tasks and summaries, and how they become messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, Union, cast

from . import v1
from ._fields import Json, ReadOptions, ids_of
from ._made import Seconds, duration_of, made

Output = Union[str, "v1.SummarizeOutput", Json]
Vectors = Iterable[Iterable[float]]
Scores = Iterable[float]
Found = Union["v1.ExtractOutput", Json]
Resolution = Union[Literal["keep_both", "supersede", "drop"], "v1.ResolveOutput", Json]
Result = Union[
    Output,
    "v1.EmbedOutput",
    "v1.RerankOutput",
    "v1.ExtractOutput",
    "v1.ScoreOutput",
    "v1.ResolveOutput",
    Vectors,
    Scores,
]
PurposeName = Literal["query", "passage"]
StateName = Literal["ready", "leased", "waiting", "dead"]
TypeName = Literal["summarize", "extract", "score"]

# Time that a call may take beyond its wait before the client gives up.
_ROOM_SECONDS: Final = 30.0


def waiting(call: ReadOptions, wait: Seconds | None) -> ReadOptions:
    """Gives a call that waits the time for it, unless it has a timeout of its own."""
    duration = duration_of(wait)
    if duration is None or "timeout" in call:
        return call
    return {**call, "timeout": duration.ToTimedelta().total_seconds() + _ROOM_SECONDS}


def output_of(value: Output) -> v1.SummarizeOutput:
    """Makes a result: a text alone is a summary."""
    if isinstance(value, str):
        return v1.SummarizeOutput(text=value)
    if isinstance(value, Mapping):
        return made(v1.SummarizeOutput, **value)
    if not isinstance(value, v1.SummarizeOutput):
        raise TypeError("the result of a summary is a text or a SummarizeOutput")
    return value


def vectors_of(vectors: Vectors) -> v1.EmbedOutput:
    """Makes a result of vectors: lists, tuples or arrays of numbers."""
    rows = [v1.TextVector(values=[float(value) for value in vector]) for vector in vectors]
    return v1.EmbedOutput(vectors=rows)


def scores_of(scores: Scores) -> v1.RerankOutput:
    """Makes a result of scores."""
    return v1.RerankOutput(scores=[float(score) for score in scores])


def found_of(value: Found) -> v1.ExtractOutput:
    """Makes a result of what was found: ``{"facts": [{"text": "..."}]}``."""
    if isinstance(value, Mapping):
        return made(v1.ExtractOutput, **value)
    if not isinstance(value, v1.ExtractOutput):
        raise TypeError("what was found is a mapping or an ExtractOutput")
    return value


def importance_of(scores: Scores) -> v1.ScoreOutput:
    """Makes a result of how important texts are."""
    return v1.ScoreOutput(scores=[float(score) for score in scores])


def resolution_of(value: Resolution) -> v1.ResolveOutput:
    """Makes a result of what becomes of memories that contradict: a name, or the text of a
    merge."""
    actions = {
        "keep_both": v1.RESOLVE_ACTION_KEEP_BOTH,
        "supersede": v1.RESOLVE_ACTION_SUPERSEDE,
        "merge": v1.RESOLVE_ACTION_MERGE,
        "drop": v1.RESOLVE_ACTION_DROP,
    }
    if isinstance(value, v1.ResolveOutput):
        return value
    if isinstance(value, Mapping):
        fields = dict(value)
        fields["action"] = actions.get(fields.get("action", "merge"), fields.get("action"))
        return made(v1.ResolveOutput, **fields)
    if value not in actions:
        raise ValueError(f'"{value}" is none of {", ".join(actions)}')
    return v1.ResolveOutput(action=actions[value])


def purpose_of(task: v1.EmbedInput) -> PurposeName:
    """Tells what the texts of a task are."""
    return "query" if task.purpose == v1.EMBEDDING_PURPOSE_QUERY else "passage"


def state_of(name: StateName | v1.TaskState | None) -> v1.TaskState | None:
    """Gives a state, which may be given as that of the contract."""
    if not isinstance(name, str):
        return name
    states: dict[str, v1.TaskState] = {
        "ready": v1.TASK_STATE_READY,
        "leased": v1.TASK_STATE_LEASED,
        "waiting": v1.TASK_STATE_WAITING,
        "dead": v1.TASK_STATE_DEAD,
    }
    if name not in states:
        raise ValueError(f'"{name}" is none of {", ".join(states)}')
    return states[name]


def type_of(name: TypeName | v1.TaskType | None) -> v1.TaskType | None:
    """Gives what a durable task does, which may be given as that of the contract."""
    if not isinstance(name, str):
        return name
    types: dict[str, v1.TaskType] = {
        "summarize": v1.TASK_TYPE_SUMMARIZE,
        "extract": v1.TASK_TYPE_EXTRACT,
        "score": v1.TASK_TYPE_SCORE,
    }
    if name not in types:
        raise ValueError(f'"{name}" is none of {", ".join(types)}')
    return types[name]


def hooks_of(hooks: str | Iterable[str]) -> list[str]:
    """Makes a list of the names of hooks."""
    return [hooks] if isinstance(hooks, str) else ids_of(hooks)


def poll_request(
    hooks: str | Iterable[str],
    *,
    max_tasks: int,
    wait: Seconds | None,
    lease: Seconds | None,
    worker_id: str,
) -> v1.PollTasksRequest:
    """Makes the request of a poll."""
    return made(
        v1.PollTasksRequest,
        hooks=hooks_of(hooks),
        max_tasks=max_tasks,
        wait=duration_of(wait),
        lease=duration_of(lease),
        worker_id=worker_id,
    )


def complete_request(task: v1.LeasedTask, output: Result) -> v1.CompleteTaskRequest:
    """Makes the request that brings a result, which is of the type of the task."""
    request = v1.CompleteTaskRequest(task_id=task.task.task_id, lease_token=task.lease_token)
    kind = task.WhichOneof("input")
    if isinstance(output, v1.EmbedOutput):
        request.embed.CopyFrom(output)
    elif isinstance(output, v1.RerankOutput):
        request.rerank.CopyFrom(output)
    elif isinstance(output, v1.ExtractOutput):
        request.extract.CopyFrom(output)
    elif isinstance(output, v1.ScoreOutput):
        request.score.CopyFrom(output)
    elif isinstance(output, v1.ResolveOutput):
        request.resolve.CopyFrom(output)
    elif kind == "extract":
        request.extract.CopyFrom(found_of(cast(Found, output)))
    elif kind == "score":
        request.score.CopyFrom(importance_of(cast(Scores, output)))
    elif kind == "resolve":
        request.resolve.CopyFrom(resolution_of(cast(Resolution, output)))
    elif kind in (None, "summarize") or isinstance(output, (str, Mapping, v1.SummarizeOutput)):
        request.summarize.CopyFrom(output_of(cast(Output, output)))
    elif kind == "embed":
        request.embed.CopyFrom(vectors_of(cast(Vectors, output)))
    else:
        request.rerank.CopyFrom(scores_of(cast(Scores, output)))
    return request


def fail_request(
    task: v1.LeasedTask, message: str, *, permanent: bool, retry_delay: Seconds | None
) -> v1.FailTaskRequest:
    """Makes the request that gives a task back."""
    return made(
        v1.FailTaskRequest,
        task_id=task.task.task_id,
        lease_token=task.lease_token,
        message=message,
        permanent=permanent,
        retry_delay=duration_of(retry_delay),
    )


def extend_request(task: v1.LeasedTask, lease: Seconds | None) -> v1.ExtendLeaseRequest:
    """Makes the request that keeps a task longer."""
    return v1.ExtendLeaseRequest(
        task_id=task.task.task_id, lease_token=task.lease_token, lease=duration_of(lease)
    )


def of_task(call: ReadOptions, task: v1.LeasedTask) -> ReadOptions:
    """Gives a call the namespace of its task, unless it names one."""
    return {"namespace": task.task.namespace, **call}


def subject_of(*, message_ids: Iterable[str] | None = None, **ids: str | None) -> v1.ErasureSubject:
    """The subject of an erasure. Refuses an empty id, which may be one that the caller lost."""
    given = {name: one for name, one in ids.items() if one is not None}
    for name, one in given.items():
        if one == "":
            raise ValueError(f"{name} is empty: leave it out, or name one")
    names = {*given, *([] if message_ids is None else ["message_ids"])}
    if names == {"user_id"}:
        return v1.ErasureSubject(user_id=given["user_id"])
    if names == {"agent_id"}:
        return v1.ErasureSubject(agent_id=given["agent_id"])
    if names == {"session_id"}:
        return v1.ErasureSubject(session_id=given["session_id"])
    if names == {"session_id", "message_ids"}:
        messages = v1.MessagesSubject(session_id=given["session_id"], message_ids=message_ids)
        return v1.ErasureSubject(messages=messages)
    if names == {"collection_id", "document_id"}:
        document = v1.DocumentSubject(
            collection_id=given["collection_id"], document_id=given["document_id"]
        )
        return v1.ErasureSubject(document=document)
    raise TypeError(
        "a subject is one of user_id, agent_id, session_id, session_id with message_ids, and "
        "collection_id with document_id"
    )
