"""A DirectView of engines of ipyparallel, each of which knows its rank."""

from __future__ import annotations

from typing import Any

#: Seconds for which an engine on a busy machine is waited for, and after which it is told again.
LIMIT, AGAIN = 300, 10


def numbered(view: Any, first: str = "") -> Any:
    """The DirectView, in whose engines the variable `rank` says which it is. `first`: code that they run
    before.
    """
    view.block = True
    for rank, target in enumerate(view.targets):
        engine = view.client[target]
        _tell(engine, {"rank": rank})
        _hear(engine)
        if first:
            engine.execute(first, block=True)
            _tell(engine, {"rank": rank})
    return view


def _tell(engine: Any, values: dict[str, Any]) -> None:
    """Sends the values until the engine has them: a client knows an engine some moments before the scheduler
    does, and until then a message to it is lost without a word.
    """
    for _ in range(0, LIMIT, AGAIN):
        if engine.push(values, block=False).wait(AGAIN):
            return
    raise TimeoutError(f"engine {engine.targets} has not answered for {LIMIT} s")


def _hear(engine: Any) -> None:
    """Runs an empty cell until its output comes: what is printed before the client has subscribed to it is
    lost, and `execute` would wait for its end for ever.
    """
    for _ in range(0, LIMIT, AGAIN):
        ran = engine.execute("pass", block=False)
        if ran.wait(AGAIN) and ran.wait_for_output(AGAIN):
            return
    raise TimeoutError(f"no output of engine {engine.targets} has come for {LIMIT} s")
