# SPDX-License-Identifier: MIT
"""Reads ranges of files over HTTP, and checks that each answer is what was asked for.

A request that fails in a way that may pass is made again after pauses. Servers without ranges, and
those that change the bytes, are declined; a file that has changed is an error. Credentials are sent
only to the host that they were given for. Needs urllib3. Tested by python/tests/test_servers.py.
"""

from __future__ import annotations

import errno
import http.client
import os
import re
import time
import urllib.parse
import urllib.request
from typing import Any

from presso._far import BEGIN_BYTES, MOST_BYTES
from presso.errors import ArgumentError

#: The pauses in seconds before a request is repeated, so it is made four times at most.
PAUSES = (0.25, 1.0, 4.0)
#: The seconds that a connection, and then each piece of the answer, may take.
CONNECT_SECONDS = 10.0
SILENT_SECONDS = 20.0
#: A whole request may take SILENT_SECONDS, and the time that its bytes take at this rate.
LEAST_BYTES_PER_SECOND = 200_000
_MOST_REDIRECTS = 5
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_ERRORS = {
    401: PermissionError,
    403: PermissionError,
    404: FileNotFoundError,
    410: FileNotFoundError,
}
_NUMBERS = {PermissionError: errno.EACCES, FileNotFoundError: errno.ENOENT}


class _Passing(Exception):
    """An error that may not occur when the request is made again."""


class HttpFile:
    """A file of an HTTP server. Used by any thread.

    Attributes:
        size: bytes of the file.
        tag: the server's name for this state of the file (ETag, or else Last-Modified), or None.
        begun: the bytes at its beginning that have been read already.
    """

    def __init__(self, url: str, known: tuple[int, str | None] | None = None):
        """`known` is the size and tag, if these are known; else its beginning is read. Raises
        OSError if the server refuses, ArgumentError without urllib3."""
        self._urllib3 = _urllib3()
        self._url, self._headers = self._without_credentials(url)
        self.begun = b""
        self.size = -1
        self.tag: str | None = None
        if known is not None:
            self.size, self.tag = known
        else:
            self.begun = self.fetch(0, BEGIN_BYTES)

    def fetch(self, begin: int, end: int) -> bytes:
        """The bytes from `begin` to `end`. A failure that may pass is tried again after each of
        PAUSES. Raises OSError with the range and the status or cause."""
        where = f"bytes {begin}-{end - 1}"
        for pause in (*PAUSES, None):
            try:
                return self._fetch_once(begin, end)
            except _Passing as error:
                if pause is None:
                    text = f"{where}: {error}, {len(PAUSES) + 1} times"
                    raise OSError(errno.EIO, text) from None
                time.sleep(pause)
            except OSError as error:
                raise type(error)(error.errno, f"{where}: {error.strerror}") from None
        raise AssertionError

    def _without_credentials(self, url):
        """The URL without user and password, and the headers that have these instead."""
        parts = urllib.parse.urlsplit(url)
        headers = {"Accept-Encoding": "identity", "User-Agent": "presso"}
        who, has_user, host = parts.netloc.rpartition("@")
        if has_user:
            made = self._urllib3.make_headers(basic_auth=urllib.parse.unquote(who))
            headers["Authorization"] = made["authorization"]
        return urllib.parse.urlunsplit(parts._replace(netloc=host, fragment="")), headers

    def _fetch_once(self, begin, end):
        """One attempt. A connection goes back to the pool only after a complete answer."""
        urllib3 = self._urllib3
        # The deadline is for the whole request, with redirects and answers that come slowly.
        deadline = time.monotonic() + SILENT_SECONDS + (end - begin) / LEAST_BYTES_PER_SECOND
        response = None
        try:
            response = self._answer(begin, end, deadline)
            read = self._checked(response, begin, end, deadline)
            response.release_conn()
            response = None
            return read
        except urllib3.exceptions.HTTPError as error:
            raise _Passing(_cause_of(error, urllib3)) from None
        finally:
            if response is not None:
                response.close()

    def _answer(self, begin, end, deadline):
        """The answer of the server, or of the one that it redirects to. Another host, port or
        scheme gets no credentials."""
        url, headers = self._url, self._headers | {"Range": f"bytes={begin}-{end - 1}"}
        for _ in range(_MOST_REDIRECTS + 1):
            response = self._request(url, headers, deadline)
            location = response.get_redirect_location()
            if not location:
                return response
            # The body of the redirect is not read, since it may have no end.
            response.close()
            before, url = url, self._redirected(url, location)
            if urllib.parse.urlsplit(url)[:2] != urllib.parse.urlsplit(before)[:2]:
                headers.pop("Authorization", None)
        raise OSError(errno.EIO, f"too many redirects, more than {_MOST_REDIRECTS}")

    def _request(self, url, headers, deadline):
        """Sends the request and reads the headers; urllib3 neither redirects nor repeats."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise _Passing("redirects take too long")
        return _pool(url).request(
            "GET",
            url,
            headers=headers,
            preload_content=False,
            decode_content=False,
            redirect=False,
            timeout=self._urllib3.Timeout(
                connect=min(CONNECT_SECONDS, left), read=min(SILENT_SECONDS, left)
            ),
            retries=self._urllib3.Retry(0),
        )

    def _redirected(self, url, location):
        """The URL to which a redirect leads. Raises OSError if it is none of HTTP."""
        try:
            to = urllib.parse.urljoin(url, location)
            parsed = self._urllib3.util.parse_url(to)
        except ValueError:
            raise OSError(errno.EIO, "a redirect to what is no URL") from None
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise OSError(errno.EIO, "a redirect to what is no URL of HTTP")
        return to

    def _checked(self, response, begin, end, deadline):
        """Checks the answer and reads its bytes. The first answer also tells the size, so that its
        range is cut at the end of the file."""
        status = response.status
        if status in _PASSING:
            raise _Passing(_status_of(response))
        is_first = self.size < 0
        if status == 416 and is_first and response.headers.get("Content-Range") == "bytes */0":
            self.size = 0
            return b""
        if status not in (200, 206):
            kind = _ERRORS.get(status, OSError)
            raise kind(_NUMBERS.get(kind, errno.EIO), _status_of(response))
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise OSError(errno.EIO, "the server changes the bytes by a Content-Encoding")
        size = self._size_of(response, begin, end)
        tag = response.headers.get("ETag") or response.headers.get("Last-Modified")
        if not is_first and (size != self.size or (tag and self.tag and tag != self.tag)):
            raise OSError(errno.ESTALE, "the file has changed while it was read")
        read = _body(response, min(end, size) - begin, deadline)
        if is_first:
            self.size, self.tag = size, tag
        return read

    def _size_of(self, response, begin, end):
        """The size of the file. Raises OSError unless the answer is the range asked for."""
        length = response.headers.get("Content-Length", "")
        if response.status == 200:
            # The answer is the whole file, which will do if the range is the whole file.
            if begin > 0 or not re.fullmatch("[0-9]{1,19}", length) or int(length) > end:
                raise OSError(errno.EIO, "the server gives all of the file and knows no ranges")
            return int(length)
        said = response.headers.get("Content-Range", "")
        found = re.fullmatch("bytes ([0-9]{1,19})-([0-9]{1,19})/([0-9]{1,19})", said)
        first, last, size = map(int, found.groups()) if found else (-1, -1, -1)
        if (first, last + 1) != (begin, min(end, size)) or size > MOST_BYTES:
            raise OSError(errno.EIO, f"the server gives another range: {said[:100]!r}")
        if length not in ("", str(last + 1 - first)):
            raise OSError(errno.EIO, f"the server gives {length} bytes of the range {said!r}")
        return size


def _body(response, length, deadline):
    """Reads the body piece by piece, so that the deadline is looked at in between."""
    pieces = []
    while length > 0:
        piece = response.read1(min(length, 1 << 20))
        if not piece:
            raise _Passing(f"the connection ended {length} bytes early")
        pieces.append(piece)
        length -= len(piece)
        if length > 0 and time.monotonic() > deadline:
            raise _Passing("the answer comes too slowly")
    return b"".join(pieces)


def _status_of(response):
    return f"status {response.status} ({response.reason})"


def _cause_of(error, urllib3):
    """The cause in words, without the URL, which urllib3's texts have."""
    cause = getattr(error, "reason", None) or error
    kinds = urllib3.exceptions
    # urllib3 makes a refused connection a kind of timeout.
    if not isinstance(cause, kinds.NewConnectionError):
        if isinstance(cause, kinds.ConnectTimeoutError):
            return f"no connection within {CONNECT_SECONDS:g} s"
        if isinstance(cause, kinds.TimeoutError):
            return f"no answer within {SILENT_SECONDS:g} s"
    for one in (cause.__cause__, cause.__context__, *cause.args[::-1]):
        if isinstance(one, (OSError, http.client.HTTPException)):
            return getattr(one, "strerror", None) or str(one)
    return str(cause.args[0]) if cause.args else type(cause).__name__


def _urllib3() -> Any:
    try:
        import urllib3
    except ImportError as error:
        raise ArgumentError("needs the package urllib3 (pip install urllib3)") from error
    return urllib3


_pools: dict[str, Any] = {}


def _pool(url):
    """This process's connections, through the proxy that the environment names."""
    parts = urllib.parse.urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme, "")
    if proxy and urllib.request.proxy_bypass(parts.netloc):
        proxy = ""
    if proxy not in _pools:
        urllib3 = _urllib3()
        options = {"num_pools": 16, "maxsize": 16}
        made = urllib3.ProxyManager(proxy, **options) if proxy else urllib3.PoolManager(**options)
        _pools.setdefault(proxy, made)
    return _pools[proxy]


# A connection belongs to one process.
os.register_at_fork(after_in_child=_pools.clear)
