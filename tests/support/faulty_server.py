#!/usr/bin/env python3
"""An HTTP/1.1 server that breaks one connection in N, on purpose: what the hammer is proved against.

faulty_server.py FAULT EVERY: prints `port P`, serves until SIGTERM, prints `faults N`. Answers every
GET and POST with the same body. FAULT, on the first request of every EVERYth connection:
  drop       closes without an answer
  reset      closes with RST, without an answer
  truncate   closes within the body
  corrupt    one wrong byte in the body
  status     503
  stale      a good answer, then FIN without having announced it
  none       no fault
"""

import asyncio
import signal
import socket
import struct
import sys

BODY = bytes(range(256)) * 4


class Connection(asyncio.Protocol):
    def __init__(self, server):
        self.server = server
        self.buffer = b""
        server.connections += 1
        self.faulty = server.connections % server.every == 0 and server.fault != "none"

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.buffer += data
        while True:
            head, blank, rest = self.buffer.partition(b"\r\n\r\n")
            if not blank:
                return
            length = 0
            for line in head.split(b"\r\n"):
                if line.lower().startswith(b"content-length:"):
                    length = int(line[15:])
            if len(rest) < length:
                return
            self.buffer = rest[length:]
            self.answer(b"connection: close" in head.lower())
            if self.transport.is_closing():
                return

    def answer(self, close):
        status, body = b"200 OK", BODY
        fault = self.server.fault if self.faulty else "none"
        if self.faulty:
            self.faulty = False
            self.server.faults += 1
        if fault == "drop":
            return self.transport.close()
        if fault == "reset":
            linger = struct.pack("ii", 1, 0)
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            return self.transport.abort()
        if fault == "corrupt":
            body = body[:500] + b"!" + body[501:]
        if fault == "status":
            status = b"503 Service Unavailable"
        head = b"HTTP/1.1 %s\r\nContent-Length: %d\r\n" % (status, len(body))
        if close:
            head += b"Connection: close\r\n"
        if fault == "truncate":
            body = body[:-1]
        self.transport.write(head + b"\r\n" + body)
        if close or fault in ("truncate", "stale"):
            self.transport.close()


class Server:
    def __init__(self, fault, every):
        self.fault = fault
        self.every = every
        self.connections = 0
        self.faults = 0

    async def run(self):
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, stop.set)
        server = await loop.create_server(lambda: Connection(self), "127.0.0.1", 0, backlog=4096)
        print("port", server.sockets[0].getsockname()[1], flush=True)
        await stop.wait()
        print("faults", self.faults, flush=True)


if __name__ == "__main__":
    asyncio.run(Server(sys.argv[1], int(sys.argv[2])).run())
