# SPDX-License-Identifier: Apache-2.0
"""Ports for programs that cannot choose one themselves and say which."""
import socket


class Reserved:
    """A port that stays ours: as long as a socket of ours is bound to it, the kernel
    gives it to no process that asks for any port, but a program that sets SO_REUSEADDR
    may listen at it by number (Linux: of two such sockets one may listen)."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.number = self.socket.getsockname()[1]

    def release(self):
        self.socket.close()
