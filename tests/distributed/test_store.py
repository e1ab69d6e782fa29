"""Stores, and how processes find each other."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.distributed.ranks import LIMIT, TIMEOUT
from tests.fixtures.ports import free_port
from vizgrad.distributed import DistNetworkError, DistStoreError, HashStore, PrefixStore, TCPStore
from vizgrad.distributed.rendezvous import rendezvous
from vizgrad.distributed.store import Store

SOON = timedelta(milliseconds=100)


@pytest.fixture
def master() -> Iterator[TCPStore]:
    made = TCPStore("localhost", 0, is_master=True, timeout=TIMEOUT)
    yield made
    made.close()


@pytest.fixture(params=["hash", "tcp", "prefix"])
def store(request: pytest.FixtureRequest, master: TCPStore) -> Iterator[Store]:
    if request.param == "hash":
        yield HashStore()
        return
    client = TCPStore("localhost", master.port, timeout=TIMEOUT)
    yield client if request.param == "tcp" else PrefixStore("part", client)
    client.close()


def test_a_store_keeps_bytes(store: Store) -> None:
    store.set("a", "text")
    store.set("b", b"\x00\xff")
    assert (store.get("a"), store.get("b")) == (b"text", b"\x00\xff")
    assert [store.add("n", 2), store.add("n", -5)] == [2, -3]
    assert store.check(["a", "n"])
    assert not store.check(["a", "z"])
    assert store.compare_set("a", "other", "new") == b"text"
    assert store.compare_set("a", "text", "new") == b"new"
    assert store.compare_set("fresh", "", "new") == b"new"
    assert store.delete_key("a")
    assert not store.delete_key("a")
    assert store.num_keys() == 3


def test_a_key_is_waited_for(store: Store) -> None:
    timer = threading.Timer(0.05, store.set, ("late", "here"))
    if isinstance(store, HashStore):
        timer.start()
        assert store.get("late") == b"here"
    with pytest.raises(DistStoreError, match=r"wait timeout after 100ms, keys: .*never"):
        store.wait(["never"], SOON)


def test_another_process_wakes_those_who_wait(master: TCPStore) -> None:
    client = TCPStore("localhost", master.port, timeout=TIMEOUT)
    timer = threading.Timer(0.05, master.set, ("late", "here"))
    timer.start()
    assert client.get("late") == b"here"
    timer.join()  # it is answered, too, before the store ends
    client.close()


def test_a_lost_store_is_said(master: TCPStore) -> None:
    client = TCPStore("localhost", master.port, timeout=TIMEOUT)
    client.set("a", "1")
    master.close()
    with pytest.raises(DistNetworkError, match="the process with rank 0 has ended"):
        client.get("a")
    client.close()


def test_a_store_that_nobody_serves_is_said() -> None:
    with pytest.raises(DistNetworkError, match="timed out after 100ms while trying to connect"):
        TCPStore("localhost", free_port(), timeout=SOON)


#: Frames that hold a number, and a request without what it needs.
NUMBER = struct.pack("!IQ", 1, 0) + b"7"
WRONG = struct.pack("!IQ", 7, 0) + b'["add"]'


def test_what_is_no_request_does_not_end_the_store(master: TCPStore) -> None:
    for junk in (
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00\x00\x00\x02" + b"\x00" * 8 + b"[]",
        b"\xff" * 40,
    ):
        with socket.create_connection(("localhost", master.port)) as sock:
            sock.sendall(junk)
    master.set("a", "1")
    assert master.get("a") == b"1"


def _rendezvous(method: str, count: int) -> list[Any]:
    found: list[Any] = [None] * count

    def run(rank: int) -> None:
        found[rank] = rendezvous(method, rank, count, TIMEOUT)

    threads = [threading.Thread(target=run, args=(rank,)) for rank in reversed(range(count))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    return found


@pytest.mark.parametrize("scheme", ["tcp", "file"])
def test_processes_find_each_other(scheme: str, tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.touch()
    method = f"tcp://localhost:{free_port()}" if scheme == "tcp" else f"file://{path}"
    first, second = _rendezvous(method, 2)
    second.store.set("a", "1")
    assert first.store.get("a") == b"1"
    for each in (second, first):
        each.store.close()


def test_under_torchrun_the_port_of_its_store_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("localhost", 0)) as agent:
        port = agent.getsockname()[1]
        for name, value in {
            "TORCHELASTIC_USE_AGENT_STORE": "True", "MASTER_ADDR": "localhost",
            "MASTER_PORT": str(port),
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        first, second = _rendezvous("env://", 2)
        assert port < first.store.port == second.store.port <= port + 8
        for each in (second, first):
            each.store.close()


@pytest.mark.parametrize("name", ["RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"])
def test_a_missing_variable_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}
    for each, value in values.items():
        monkeypatch.setenv(each, value)
    monkeypatch.delenv(name)
    with pytest.raises(ValueError, match=f"environment variable {name} expected, but not set"):
        rendezvous("env://", -1, -1, SOON)


def test_other_methods_are_refused() -> None:
    with pytest.raises(RuntimeError, match="No rendezvous handler for zz://"):
        rendezvous("zz://somewhere", 0, 1, SOON)
    with pytest.raises(ValueError, match="rank parameter missing"):
        rendezvous("tcp://localhost:1", -1, 2, SOON)
    with pytest.raises(ValueError, match="world size parameter missing"):
        rendezvous("file:///tmp/x", 0, -1, SOON)
