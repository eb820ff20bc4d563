# SPDX-License-Identifier: MIT
"""Servers on loopback that give ranges of files, and misbehave as a test wants."""
import contextlib
import http.server
import re
import threading
import time


class Server(http.server.ThreadingHTTPServer):
    """Serves `files`, bytes by path, to HttpFile and to S3's clients. `misbehave(request, number)`
    is asked before each answer, and returns whether it has given one itself; `requests` lists what
    was asked for, as (method, path, begin, end); an answer takes `seconds` longer, and there were
    `most_at_once` of them at a time."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Request)
        self.files = files
        self.requests = []
        self.misbehave = lambda request, number: False
        self.seconds = 0
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_):
        """Clients may go."""


class Request(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self):
        self.path = self.path.partition("?")[0]
        size = len(self.server.files.get(self.path, b""))
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        self.begin = int(asked[1]) if asked else 0
        self.end = min(int(asked[2]) + 1, size) if asked and asked[2] else size
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append((self.command, self.path, self.begin, self.end))
            self.server.at_once += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.at_once)
        time.sleep(self.server.seconds)
        with self.server.lock:
            self.server.at_once -= 1
        if not self.server.misbehave(self, number):
            self.give()

    do_HEAD = do_GET

    @property
    def content(self):
        return self.server.files[self.path]

    def give(self, status=None, headers=(), body=None):
        """The answer, or one that differs from it in these."""
        if self.path not in self.server.files:
            self.give_status(404)
            return
        if status is None:
            status = 206 if "Range" in self.headers else 200
        if status == 206 and self.begin >= self.end:
            self.give_status(416, {"Content-Range": f"bytes */{len(self.content)}"})
            return
        if body is None:
            body = self.content[self.begin : self.end]
        given = {"Content-Length": str(len(body)), "ETag": '"1"', "Accept-Ranges": "bytes"}
        if status == 206:
            given["Content-Range"] = f"bytes {self.begin}-{self.end - 1}/{len(self.content)}"
        self.send_response(status)
        for name, value in (given | dict(headers)).items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def give_status(self, status, headers=()):
        self.send_response(status)
        for name, value in ({"Content-Length": "0"} | dict(headers)).items():
            self.send_header(name, value)
        self.end_headers()

    def cut(self, after):
        """The answer's first bytes, and then the connection ends."""
        self.send_response(206)
        self.send_header("Content-Length", str(self.end - self.begin))
        self.send_header(
            "Content-Range", f"bytes {self.begin}-{self.end - 1}/{len(self.content)}"
        )
        self.end_headers()
        self.wfile.write(self.content[self.begin : self.begin + after])
        self.wfile.flush()
        self.close_connection = True

    def log_message(self, *_):
        """Nothing: tests look at `requests`."""


@contextlib.contextmanager
def serving(files):
    """A Server, until the end of the block."""
    server = Server(files)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
