"""Workers: programs that do the tasks of a hook with a model of their own."""

from ._async.worker import AsyncEmbed as AsyncEmbed
from ._async.worker import AsyncExtract as AsyncExtract
from ._async.worker import AsyncRerank as AsyncRerank
from ._async.worker import AsyncResolve as AsyncResolve
from ._async.worker import AsyncScore as AsyncScore
from ._async.worker import AsyncSummarize as AsyncSummarize
from ._async.worker import AsyncWorker as AsyncWorker
from ._sync.worker import Embed as Embed
from ._sync.worker import Extract as Extract
from ._sync.worker import Rerank as Rerank
from ._sync.worker import Resolve as Resolve
from ._sync.worker import Score as Score
from ._sync.worker import Summarize as Summarize
from ._sync.worker import Worker as Worker
from ._worker_parts import TaskRefused as TaskRefused
