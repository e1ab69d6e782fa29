"""Connections of a kernel send at once, whatever class of them the server uses."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application
from tornado.websocket import WebSocketHandler, websocket_connect

from vizgrad.debugger.jupyter import server


class Connection:
    """As the server's own: made for a handler, connected when its socket is open."""

    def __init__(self, websocket_handler: Any) -> None:
        self.websocket_handler = websocket_handler

    def connect(self) -> str:
        return "connected"


class Handler(WebSocketHandler):
    async def open(self, *args: str, **kwargs: str) -> None:
        made = self.settings["kernel_websocket_connection_class"](self)
        stream = self.ws_connection.stream
        before = stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        said = made.connect()
        after = stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        await self.write_message(f"{said} {bool(before)} {bool(after)}")


def test_a_connection_sends_at_once() -> None:
    application = Application([("/", Handler)], kernel_websocket_connection_class=Connection)
    server._load_jupyter_server_extension(SimpleNamespace(web_app=application))

    async def ask() -> Any:
        listening, port = bind_unused_port()
        http = HTTPServer(application)
        http.add_socket(listening)
        client = await websocket_connect(f"ws://127.0.0.1:{port}/")
        said = await client.read_message()
        client.close()
        http.stop()
        await http.close_all_connections()
        return said

    assert asyncio.run(ask()) == "connected False True"


def test_settings_of_the_class_reach_the_connections() -> None:
    from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
    from traitlets.config import Config

    config = Config({"ZMQChannelsWebsocketConnection": {"iopub_msg_rate_limit": 7.0}})
    connection = server.undelayed(ZMQChannelsWebsocketConnection)(config=config)
    assert connection.iopub_msg_rate_limit == 7.0
