"""A client of a game's Chancery in one file to copy, for Python 3.9 or newer, without dependencies.

    from chancery import Chancery

    client = Chancery("https://game.example", api_key=os.environ.get("CHANCERY_KEY"))
    client.get("/nations", search="ar")["data"]
    client.get("/nations/{id}", id="n42")["data"]
    for war in client.iterate("/wars", status="active"): ...
    for event in client.follow(types=["war.*"]): ...
    client.verify(code, account="user:42")
    for change in client.mirror("world.db").follow(): ...

Several threads may share a client. Calls block their thread: in asyncio use asyncio.to_thread(client.get, …).
"""

from __future__ import annotations

import base64
import binascii
import collections
import contextlib
import email.utils
import hashlib
import hmac
import http.client
import io
import json
import logging
import math
import random
import re
import sqlite3
import threading
import time
import urllib.parse
import zlib

__all__ = ["Chancery", "ChanceryError", "Mirror", "WebhookError", "verify_webhook"]

BODY_BYTES_MAX = 32 * 1024 * 1024
CACHE_BYTES_MAX = 16 * 1024 * 1024
# A connection that has been idle for longer may have been closed at the other end.
IDLE_SECONDS_MAX = 4
# The server sends a heartbeat every 15 seconds: a stream without data for twice as long is dead.
STREAM_TIMEOUT_SECONDS = 30
STREAM_LINE_BYTES_MAX = 1024 * 1024
# Time between two attempts to open a stream; the log is polled meanwhile.
STREAM_RETRY_SECONDS = 60
PAGE_SIZE_MAX = 100
# A download without data for this long is dead.
DOWNLOAD_TIMEOUT_SECONDS = 30

log = logging.getLogger("chancery")


class ChanceryError(Exception):
    """A request that failed.

    code        of the API ("not_found", "rate_limited", …: docs/errors), or one of this file:
                "network_error" (connection failed, cut or timed out) and
                "unexpected_response" (not a response of Chancery).
    status      HTTP status, None without a response.
    request_id  to quote in a report, or None.
    retry_after seconds to wait, or None.
    """

    def __init__(self, code, message="", status=None, request_id=None, retry_after=None):
        super().__init__(code, message, status, request_id, retry_after)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self):
        status = f" ({self.status})" if self.status else ""
        request = f" [{self.request_id}]" if self.request_id else ""
        return f"{self.code}{status}: {self.message}{request}"

    @property
    def is_transient(self):
        """Whether the same request may succeed later: a network failure, a rate limit or a server error."""
        return self.code == "network_error" or self.status in (408, 429) or (self.status or 0) >= 500


class Chancery:
    """The API at base_url ("https://game.example"), with or without a key.

    timeout      seconds for one attempt, from connecting to the last byte.
    retries      how often a failed read is retried. A verification code is never sent twice.
    wait_seconds wait before the first retry; it doubles each time, with jitter down to half of it.
    wait_max     upper bound of a wait; a longer retry-after is raised as an error.
    rate_limit   whether to wait for the next window when x-ratelimit-remaining is 0, instead of getting a 429.
    user_agent   name of the bot, with an address to reach you.
    """

    def __init__(
        self,
        base_url,
        api_key=None,
        *,
        timeout=10.0,
        retries=4,
        wait_seconds=1.0,
        wait_max=90.0,
        rate_limit=True,
        user_agent="chancery.py/1",
    ):
        url = urllib.parse.urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment or url.username:
            raise ValueError("base_url must be like https://game.example")
        if api_key is not None and not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key is empty or has invalid characters")
        path = url.path.rstrip("/")
        self._base = path if path.endswith("/v1") else path + "/api/v1"
        self._connect = (
            http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection,
            url.hostname,
            url.port,
        )
        self._headers = {"accept": "application/json", "accept-encoding": "gzip", "user-agent": user_agent}
        if api_key is not None:
            self._headers["authorization"] = f"Bearer {api_key}"
        self.timeout = timeout
        self.retries = retries
        self.wait_seconds = wait_seconds
        self.wait_max = wait_max
        self._idle = collections.deque()
        self._cache = _Cache()
        self._rate_limiter = _RateLimiter() if rate_limit else None

    def get(self, path, **parameters):
        """Returns the response body as in the reference: {"data": …}, for a list with "pagination".

        Parameters fill the {names} of the path. Lists are joined by commas, None is left out. ids=[] selects
        nothing; any other empty list is a ValueError, because the API would ignore the filter. Responses are cached
        as long as cache-control allows (public ones for a minute), then revalidated with their ETag.
        Raises ChanceryError.
        """
        target = self._target(path, parameters)
        return self._retry(lambda: self._read(target))

    def _retry(self, read):
        attempt = 0
        while True:
            try:
                return read()
            except ChanceryError as error:
                wait = self._wait_after(error, attempt)
                if not error.is_transient or attempt >= self.retries or wait > self.wait_max:
                    raise
                log.info("retrying in %.1f s: %s", wait, error)
            time.sleep(wait)
            attempt += 1

    def iterate(self, path, **parameters):
        """All items of a list, page by page, each id once.

        The list may change between two pages: an item that moves down is returned once, one that moves up may be missed.
        """
        parameters = {"limit": PAGE_SIZE_MAX, "page": 1, **parameters}
        seen = set()
        while True:
            body = self.get(path, **parameters)
            items = _items_of(body)
            pages = (body.get("pagination") or {}).get("pages")
            if not isinstance(pages, int):
                raise ChanceryError("unexpected_response", "not a list with pages: use get", 200)
            for item in items:
                identity = item.get("id")
                if identity is not None and identity in seen:
                    continue
                seen.add(identity)
                yield item
            if not items or parameters["page"] >= pages:
                return
            parameters["page"] += 1

    def verify(self, code, account=None):
        """Redeems a verification code: {"verified": True, "nation": {…}, "alliance": {…} or None}.

        A code works once, so this is never retried. After "network_error" it may have been used: ask the player
        for a new one. account is the chat account that sent the code.
        """
        target = self._target("/discord/verify/{code}", {"code": code.strip(), "for": account})
        identity = self._read(target, is_idempotent=False).get("data")
        if not isinstance(identity, dict) or identity.get("verified") is not True:
            raise ChanceryError("unexpected_response", "the response has no verified identity", 200)
        return identity

    def follow(self, after=None, types=None, poll_seconds=10.0, stream=True, **filters):
        """Events as they are logged, without end: each once, in order, without gaps.

        after        starts behind this seq. Store the seq of each event, and pass the last one after a restart.
                     None starts now, 0 at the oldest event of the log.
        types        kinds and families: ["war.*", "battle.fought"].
        poll_seconds time between two requests while polling.
        stream       whether to use the event stream. Without a stream the log is polled, and the stream is retried
                     every minute.
        filters      nation_id, alliance_id, war_id, as for /events.

        Outages are waited out (see the logger "chancery"). Raises ChanceryError for other errors: an invalid
        parameter, an invalid key, and "cursor_expired" if the log does not contain the events after `after`.
        History that a game loads without announcing it is returned by polling, but not by a stream.
        """
        query = {**filters, "type": types}
        position = self._newest() if after is None else int(after)
        stream_at = time.monotonic() if stream else math.inf
        failures = 0
        while True:
            if time.monotonic() >= stream_at:
                is_alive = False
                try:
                    for seq, event in self._stream(position, query):
                        is_alive = True
                        if seq <= position:
                            continue
                        position = seq
                        if event is not None:
                            yield event
                except ChanceryError as error:
                    # A permanent error is raised by the poll that follows.
                    log.info("no stream: %s", error)
                if is_alive:
                    # It worked and ended: reconnect at the last position.
                    time.sleep(self.wait_seconds * random.uniform(3, 4))
                    continue
                stream_at = time.monotonic() + STREAM_RETRY_SECONDS
            try:
                events = self._events(after=position, limit=PAGE_SIZE_MAX, **query)
            except ChanceryError as error:
                if error.status is not None and 300 <= error.status < 500 and not error.is_transient:
                    raise
                failures += 1
                log.warning("no events: %s", error)
                time.sleep(min(self.wait_max, max(self._back_off(failures), error.retry_after or 0)))
                continue
            if failures and stream:
                # The server is available again.
                stream_at = time.monotonic()
            failures, before = 0, position
            for event in events:
                if event["seq"] > position:
                    position = event["seq"]
                    yield event
            if len(events) < PAGE_SIZE_MAX or position == before:
                time.sleep(max(0.0, min(poll_seconds, stream_at - time.monotonic())))

    def mirror(self, path, resources=None, poll_seconds=60.0):
        """Opens a copy of the public world in a SQLite file, or creates it: see Mirror."""
        return Mirror(self, path, resources, poll_seconds)

    def close(self):
        """Closes idle connections."""
        while self._idle:
            self._idle.pop()[0].close()

    def _root(self):
        """The path below which the API is."""
        return re.sub(r"/api(/public)?/v1$", "", self._base)

    def _origin(self):
        kind, host, port = self._connect
        scheme = "https" if kind is http.client.HTTPSConnection else "http"
        is_usual = port in (None, kind.default_port)
        return f"{scheme}://{host}{'' if is_usual else f':{port}'}{self._root()}"

    def _newest(self):
        newest = self._events(limit=1)
        return newest[0]["seq"] if newest else 0

    def _events(self, **parameters):
        events = _items_of(self.get("/events", **parameters))
        if not all(isinstance(event.get("seq"), int) for event in events):
            raise ChanceryError("unexpected_response", "not a list of events", 200)
        return events

    def _target(self, path, parameters):
        """Path and query. Parameters that the path names are not in the query."""
        if not path.startswith("/") or "?" in path or "#" in path:
            raise ValueError("path must start with / and must not contain ? or #: pass parameters by name")
        left = dict(parameters)

        def fill(match):
            text = str(left.pop(match[1], ""))
            if not text:
                raise ValueError(f"{match[1]} is required and must not be empty")
            return urllib.parse.quote(text, safe="")

        filled = re.sub(r"\{(\w+)\}", fill, urllib.parse.quote(path, safe="/{}%:@!$&'()*+,;="))
        for name, value in left.items():
            if name != "ids" and _is_list(value) and not value:
                raise ValueError(f"{name} is an empty list, which the API would ignore: omit it, or skip the request")
        pairs = [(name, _text_of(value)) for name, value in left.items() if value is not None]
        return self._base + filled + ("?" + urllib.parse.urlencode(pairs) if pairs else "")

    def _back_off(self, attempt):
        return min(self.wait_max, self.wait_seconds * 2 ** min(attempt, 30)) * random.uniform(0.5, 1)

    def _wait_after(self, error, attempt):
        if error.retry_after is None:
            return self._back_off(attempt)
        # Jitter: other clients received the same retry-after.
        return error.retry_after + random.uniform(0, min(1.0, self.wait_seconds))

    def _read(self, target, is_idempotent=True):
        """One attempt: the parsed body, from the cache if it is fresh."""
        cached = self._cache.get(target) if is_idempotent else None
        if cached and cached.is_fresh():
            return json.loads(cached.body)
        if self._rate_limiter:
            self._rate_limiter.acquire(self.wait_max)
        headers = {"if-none-match": cached.etag} if cached else {}
        with _Exchange(self, target, headers, self.timeout, is_idempotent) as response:
            body = response.read()
        if response.status == 304 and cached:
            self._cache.put(target, cached.etag, cached.body, response.headers)
            return json.loads(cached.body)
        parsed = _parse_object(body)
        if response.status != 200 or parsed is None:
            raise _error_of(response, parsed)
        if is_idempotent:
            self._cache.put(target, response.headers.get("etag"), body, response.headers)
        return parsed

    def _read_text(self, path, **parameters):
        """The body of a list and its text, past the cache, which may be older than a change."""
        target = self._target(path, parameters)

        def read():
            if self._rate_limiter:
                self._rate_limiter.acquire(self.wait_max)
            with _Exchange(self, target, {}, self.timeout, can_reuse=True) as response:
                text = response.read()
            parsed = _parse_object(text)
            if response.status != 200 or parsed is None:
                raise _error_of(response, parsed)
            _items_of(parsed)
            return parsed, text.decode()

        return self._retry(read)

    def _download(self, path):
        """Yields the parts of a file beside the API as they arrive."""
        if self._rate_limiter:
            self._rate_limiter.acquire(self.wait_max)
        with _Exchange(self, path, {"accept": "*/*", "accept-encoding": "identity"}, self.timeout, True) as response:
            if response.status == 404:
                raise _NoSnapshot("there is no snapshot of the world yet, or it was withdrawn")
            if response.status != 200:
                raise _error_of(response, _parse_object(response.read()))
            yield from response.parts(DOWNLOAD_TIMEOUT_SECONDS)

    def _stream(self, position, query):
        """Yields (seq, event or None) from one connection until it ends. Raises ChanceryError if there is no stream."""
        if self._rate_limiter:
            self._rate_limiter.acquire(self.wait_max)
        target = self._target("/events/stream", {**query, "after": position})
        headers = {"accept": "text/event-stream", "accept-encoding": "identity"}
        with _Exchange(self, target, headers, self.timeout, can_reuse=False) as response:
            kind = response.headers.get("content-type", "")
            if response.status != 200 or not kind.startswith("text/event-stream"):
                raise _error_of(response, _parse_object(response.read()))
            seq, data = None, None
            while True:
                line = response.read_line(STREAM_LINE_BYTES_MAX, STREAM_TIMEOUT_SECONDS)
                if not line.endswith(b"\n"):
                    return
                name, _, value = line.rstrip(b"\r\n").partition(b":")
                value = value[1:] if value.startswith(b" ") else value
                if name == b"id" and re.fullmatch(rb"[0-9]{1,15}", value):
                    seq = int(value)
                elif name == b"data":
                    data = value if data is None else data + b"\n" + value
                elif line.strip() == b"" and seq is not None:
                    event = None if data is None else _parse_object(data)
                    if data is not None and (event is None or event.get("seq") != seq):
                        raise ChanceryError("unexpected_response", "the stream contains data that is not an event")
                    yield seq, event
                    seq, data = None, None


def _is_list(value):
    return isinstance(value, (list, tuple, set, frozenset))


def _text_of(value):
    return ",".join(map(str, value)) if _is_list(value) else str(value)


class _Exchange:
    """A request and its response, within a deadline. Redirects are not followed: the key must not reach another host.

    A request that is not idempotent needs a new connection: an idle one may be closed by the server at any time.
    """

    def __init__(self, client, target, headers, timeout, can_reuse):
        self._client = client
        self._deadline = time.monotonic() + timeout
        self._is_whole = False
        idle = self._take_idle() if can_reuse else None
        try:
            self._response = self._send(idle or self._open(timeout), target, headers)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            if idle is None:
                raise _network_error(error) from None
            # The server closed the idle connection. Only idempotent requests reuse one.
            try:
                self._response = self._send(self._open(self.left()), target, headers)
            except (OSError, http.client.HTTPException) as again:
                self._connection.close()
                raise _network_error(again) from None
        self.status = self._response.status
        self.headers = self._response.headers
        if client._rate_limiter:
            client._rate_limiter.update(self.headers)

    def _take_idle(self):
        while True:
            try:
                connection, since = self._client._idle.pop()
            except IndexError:
                return None
            if time.monotonic() - since < IDLE_SECONDS_MAX:
                return connection
            connection.close()

    def _open(self, timeout):
        make, host, port = self._client._connect
        return make(host, port, timeout=timeout)

    def _send(self, connection, target, headers):
        self._connection = connection
        connection.response_class = lambda sock, **more: http.client.HTTPResponse(_TimedSocket(sock, self), **more)
        if connection.sock is not None:
            connection.sock.settimeout(self.left())
        connection.request("GET", target, headers={**self._client._headers, **headers})
        return connection.getresponse()

    def left(self):
        """Seconds until the deadline."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        return left

    def read(self):
        """The whole body, decompressed. Raises ChanceryError if it is incomplete, too large or too slow."""
        try:
            unpack = zlib.decompressobj(31) if self.headers.get("content-encoding") == "gzip" else None
            body, raw_bytes = bytearray(), 0
            while True:
                part = self._response.read(65536)
                if not part:
                    break
                raw_bytes += len(part)
                body += unpack.decompress(part, BODY_BYTES_MAX + 1 - len(body)) if unpack else part
                if len(body) > BODY_BYTES_MAX:
                    raise ChanceryError("unexpected_response", "the response is too large", self.status)
            stated = self.headers.get("content-length", "")
            is_cut = re.fullmatch("[0-9]{1,15}", stated) and raw_bytes < int(stated) and self.status != 304
            if is_cut or (unpack and raw_bytes and not unpack.eof):
                raise ChanceryError("network_error", "the response is incomplete")
        except (OSError, http.client.HTTPException) as error:
            raise _network_error(error) from None
        except zlib.error:
            raise ChanceryError("unexpected_response", "the response is not valid gzip", self.status) from None
        self._is_whole = True
        return bytes(body)

    def parts(self, seconds):
        """Yields the parts of the body as they arrive, each within this time."""
        try:
            while True:
                self._deadline = time.monotonic() + seconds
                part = self._response.read1(65536)
                if not part:
                    break
                yield part
        except (OSError, http.client.HTTPException) as error:
            raise _network_error(error) from None
        if self._response.length:
            raise ChanceryError("network_error", "the response is incomplete")
        # read1 leaves it open at the end, and the connection could not be used again.
        self._response.close()
        self._is_whole = True

    def read_line(self, bytes_max, seconds):
        self._deadline = time.monotonic() + seconds
        try:
            return self._response.readline(bytes_max)
        except (OSError, http.client.HTTPException) as error:
            raise _network_error(error) from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._is_whole and self._connection.sock is not None and not self._response.will_close:
            self._client._idle.append((self._connection, time.monotonic()))
        else:
            self._response.close()
            self._connection.close()


class _TimedSocket:
    """A socket for http.client whose reads end at the deadline of the exchange."""

    def __init__(self, sock, exchange):
        self._sock = sock
        self._exchange = exchange

    def makefile(self, *_):
        return io.BufferedReader(_TimedReader(self._sock, self._exchange))


class _TimedReader(io.RawIOBase):
    def __init__(self, sock, exchange):
        super().__init__()
        self._sock = sock
        self._exchange = exchange
        self._raw = sock.makefile("rb", 0)

    def readable(self):
        return True

    def readinto(self, buffer):
        self._sock.settimeout(self._exchange.left())
        return self._raw.readinto(buffer)

    def close(self):
        self._raw.close()
        super().close()


class _RateLimiter:
    """The rate limit window as the latest response reported it."""

    def __init__(self):
        self._lock = threading.Lock()
        self._remaining = math.inf
        self._resets_at = 0.0

    def update(self, headers):
        remaining, reset = headers.get("x-ratelimit-remaining", ""), headers.get("x-ratelimit-reset", "")
        if not all(re.fullmatch("[0-9]{1,12}", text) for text in (remaining, reset)):
            return
        # By the server's clock: the local one may be wrong.
        date = _unix_seconds(headers.get("date"))
        now = time.time() if date is None else date
        with self._lock:
            self._remaining = int(remaining)
            self._resets_at = time.monotonic() + max(0.0, int(reset) - now)

    def acquire(self, seconds_max):
        """Consumes one request of the window; waits for the next window if none is left."""
        with self._lock:
            left = self._resets_at - time.monotonic()
            if left <= 0:
                self._remaining = math.inf
            wait = min(left, seconds_max) if self._remaining <= 0 else 0.0
            self._remaining -= 1
        if wait > 0:
            log.info("rate limit reached: waiting %.1f s for the next window", wait)
            time.sleep(wait)


class _CacheEntry:
    def __init__(self, etag, body, fresh_until):
        self.etag = etag
        self.body = body
        self.fresh_until = fresh_until

    def is_fresh(self):
        return time.monotonic() < self.fresh_until


class _Cache:
    """Responses by target. Evicts the least recently used."""

    def __init__(self):
        self._lock = threading.Lock()
        self._entries = collections.OrderedDict()
        self._bytes = 0

    def get(self, target):
        with self._lock:
            if target in self._entries:
                self._entries.move_to_end(target)
            return self._entries.get(target)

    def put(self, target, etag, body, headers):
        """Caches it as cache-control allows: responses that depend on a key are no-store."""
        control = headers.get("cache-control", "")
        if not etag or "no-store" in control:
            return
        age = re.search(r"max-age=(\d{1,6})\b", control)
        fresh = int(age[1]) if age and "no-cache" not in control else 0
        with self._lock:
            self._evict(target)
            if len(body) > CACHE_BYTES_MAX:
                return
            self._entries[target] = _CacheEntry(etag, body, time.monotonic() + fresh)
            self._bytes += len(body)
            while self._bytes > CACHE_BYTES_MAX:
                self._evict(next(iter(self._entries)))

    def _evict(self, target):
        entry = self._entries.pop(target, None)
        if entry:
            self._bytes -= len(entry.body)


def _network_error(error):
    # The class of the error, not its text: http.client quotes the path in some, and a path may contain a code.
    return ChanceryError("network_error", f"no response: {type(error).__name__}")


def _error_of(response, parsed):
    """The error for a response that is not the requested data."""
    error = parsed.get("error") if parsed else None
    about = {"status": response.status, "retry_after": _retry_after(response.headers.get("retry-after"))}
    if response.status >= 400 and isinstance(error, dict) and isinstance(error.get("code"), str):
        message, request_id = error.get("message"), error.get("request_id")
        return ChanceryError(error["code"], str(message), request_id=request_id, **about)
    if 300 <= response.status < 400:
        return ChanceryError("unexpected_response", "redirects are not followed: correct base_url", **about)
    return ChanceryError("unexpected_response", "not a response of Chancery, or changed by a proxy", **about)


def _items_of(body):
    items = body.get("data")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ChanceryError("unexpected_response", "not a list: use get", 200)
    return items


def _parse_object(body):
    """The JSON object, or None for anything else."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _retry_after(text):
    """Seconds, from seconds or a date; None for anything else."""
    if text is None:
        return None
    if re.fullmatch(r"\s*[0-9]{1,9}\s*", text):
        return float(text)
    date = _unix_seconds(text)
    return None if date is None else max(0.0, date - time.time())


def _unix_seconds(date):
    """Of a date in the format of HTTP; None for anything else."""
    try:
        parsed = email.utils.parsedate_tz(date)
        return None if parsed is None else float(email.utils.mktime_tz(parsed))
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


# The lists that return the items of each resource, the parameter that takes their keys, the field of the key, and of
# items with a rank the field of the score by which they are ranked.
MIRRORED = {
    "alliance": ("/alliances", "ids", "id", "total_score"),
    "nation": ("/nations", "ids", "id", "national_score"),
    "alliance_member": ("/members", "ids", "nation_id", None),
    "treaty": ("/treaties", "ids", "id", None),
    "era": ("/eras", "ids", "id", None),
    "conflict": ("/global-conflicts", "ids", "id", None),
    "war": ("/wars", "ids", "id", None),
    "battle": ("/battles", "ids", "id", None),
    "market_price": ("/market/price", "resource", "resource", None),
    "news_item": ("/news", "ids", "id", None),
}
MIRROR_FORMAT = 1
# Pages of changes that are read before their items: an item that changed several times is read once.
CHANGE_PAGES_AT_ONCE = 10
# With more changes to read, a newer snapshot costs fewer requests.
CHANGES_MAX = 10_000
ROWS_AT_ONCE = 500
# Tokens of JSON that matter for nesting; braces within strings do not.
_JSON_TOKENS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]')
_RANK = re.compile(r'"rank":(null|[0-9]+)')


class _NoSnapshot(ChanceryError):
    """There is no usable snapshot at present: none yet, it was withdrawn, or it is too old."""

    def __init__(self, message):
        super().__init__("not_found", message, 404)


class Mirror:
    """A copy of the public world in a SQLite file. Made by Chancery.mirror.

    path         of the file. client.mirror of JavaScript has the same format.
    resources    what to copy, as in MIRRORED. None copies all. Changes of others cost no requests.
    poll_seconds time between two requests while nothing changes.

    Each resource is a table or view of the file: select id, json from nation. A change, its item and the position are
    stored in one transaction: a process may end at any moment. Only one process may write a file; any number may read
    it. get and list work in any thread.
    """

    def __init__(self, client, path, resources=None, poll_seconds=60.0):
        names = list(MIRRORED) if resources is None else list(resources)
        if not names or not all(name in MIRRORED for name in names):
            raise ValueError(f"resources must be some of {', '.join(MIRRORED)}")
        if not poll_seconds >= 1:
            raise ValueError("poll_seconds must be at least 1")
        if str(path) in ("", ":memory:"):
            raise ValueError("path must be that of a file")
        self._client = client
        self._path = path
        self._resources = [name for name in MIRRORED if name in names]
        self.poll_seconds = poll_seconds
        self._writer = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        self._writer.executescript("pragma journal_mode = wal; pragma synchronous = normal")
        self._open(f"{client._origin()} {','.join(self._resources)}")

    @property
    def position(self):
        """The number of the change up to which the copy is complete; None before the first snapshot was loaded."""
        return self._position

    def get(self, resource, id):
        """An item as the API returns it, or None. Sends no request."""
        _, _, _, score = MIRRORED[resource]
        table = _table_of(resource)
        # A single item is ranked by the number of higher scores: the view would rank all.
        json_of = (
            f"head || (select count(*) + 1 from {table} o where o.score > i.score) || tail" if score else "json"
        )
        for (text,) in self._rows(f"select {json_of} from {table} i where id = ?", id):
            return json.loads(text)
        return None

    def list(self, resource):
        """Yields all items of a resource, as of the moment in which the loop begins. Sends no request."""
        if resource not in MIRRORED:
            raise ValueError(f"resource must be one of {', '.join(MIRRORED)}")
        for (text,) in self._rows(f"select json from {resource}"):
            yield json.loads(text)

    def update(self):
        """Reads all changes up to now, then returns. Raises ChanceryError if a request failed."""
        while self._advance()[1]:
            pass

    def follow(self):
        """Keeps the copy current without end, and yields each change after it was applied.

        A change is {"seq", "resource", "id", "change"}, where change is "put" or "deleted"; or {"seq", "change"} with
        "loaded": a snapshot replaced the whole copy. Waits after errors that may pass (see the logger "chancery"), and
        raises others.
        """
        failures = 0
        while True:
            wait = self.poll_seconds
            try:
                changes, has_more = self._advance()
            except ChanceryError as error:
                if not (error.is_transient or isinstance(error, _NoSnapshot) or (error.status or 500) < 400):
                    raise
                log.warning("the mirror waits: %s", error)
                if not isinstance(error, _NoSnapshot):
                    wait = min(wait, 2.0 * 2 ** min(failures, 30))
                failures += 1
                wait = max(wait, error.retry_after or 0)
            else:
                failures = 0
                yield from changes
                if has_more:
                    continue
            # Jitter, so that many mirrors do not send their requests at the same time.
            time.sleep(wait * random.uniform(1, 1.1))

    def run(self):
        """Keeps the copy current without end."""
        for _ in self.follow():
            pass

    def close(self):
        self._writer.close()

    def _open(self, source):
        with self._transaction() as db:
            db.execute("create table if not exists mirror (name text primary key, value text not null)")
            for resource in MIRRORED:
                table = _table_of(resource)
                db.execute(_create_table(resource, table))
                if table == resource:
                    continue
                db.execute(f"create index if not exists {table}_score on {table} (score)")
                db.execute(
                    f"create view if not exists {resource} (id, json) as"
                    f" select id, head || rank() over (order by score desc) || tail from {table}"
                )
            # A file of another source starts again from a snapshot.
            if self._state("source") != f"{MIRROR_FORMAT} {source}":
                self._drop_staged()
                db.execute("delete from mirror where name in ('position', 'snapshot')")
                self._set_state("source", f"{MIRROR_FORMAT} {source}")
        position = self._state("position")
        self._position = None if position is None else int(position)

    def _advance(self):
        """Loads a snapshot, or applies the next changes. Returns what changed, and whether there may be more."""
        start = self._position
        try:
            read = None if start is None else self._read_changes(start)
        except ChanceryError as error:
            if error.code != "cursor_expired":
                raise
            read = None
        if read is None:
            return self._load(self._newest_snapshot()), True
        changes, position, left, has_more = read
        if left > CHANGES_MAX:
            try:
                snapshot = self._newest_snapshot()
            except _NoSnapshot:
                snapshot = None
            if snapshot and snapshot["id"] != self._state("snapshot") and snapshot["change_seq"] > position:
                return self._load(snapshot), True
        if position == start:
            return [], False
        rows, gone = self._read_items(changes)
        with self._transaction() as db:
            self._move(position)
            for resource in self._resources:
                db.executemany(_insert(resource, _table_of(resource)), rows[resource])
                keys = [(key,) for key in gone[resource]]
                db.executemany(f"delete from {_table_of(resource)} where id = ?", keys)
        self._position = position
        for change in changes:
            change["change"] = "deleted" if change["id"] in gone[change["resource"]] else "put"
        return changes, has_more

    def _read_changes(self, start):
        """The latest change of each item after a position, from several pages."""
        changes, position, left, has_more = {}, start, 0, True
        chosen = {} if len(self._resources) == len(MIRRORED) else {"resource": self._resources}
        for page in range(CHANGE_PAGES_AT_ONCE):
            body, _ = self._client._read_text("/changes", after=position, limit=PAGE_SIZE_MAX, **chosen)
            if page == 0:
                left = (body.get("pagination") or {}).get("total") or 0
            for change in body["data"]:
                seq, resource, key = (change.get(name) for name in ("seq", "resource", "id"))
                if not (isinstance(seq, int) and seq > position and isinstance(key, str)):
                    raise ChanceryError("unexpected_response", "not a list of changes", 200)
                position = seq
                if resource in self._resources:
                    changes.pop((resource, key), None)
                    changes[resource, key] = {"seq": seq, "resource": resource, "id": key, "change": change["change"]}
            has_more = len(body["data"]) == PAGE_SIZE_MAX
            if not has_more:
                break
        return list(changes.values()), position, left, has_more

    def _read_items(self, changes):
        """The rows of changed items, and the keys of deleted ones: those that their list does not return."""
        rows = {resource: [] for resource in self._resources}
        gone = {resource: set() for resource in self._resources}
        keys = {resource: [] for resource in self._resources}
        for change in changes:
            gone[change["resource"]].add(change["id"])
            if change["change"] != "deleted":
                keys[change["resource"]].append(change["id"])
        for resource in self._resources:
            path, parameter, _, _ = MIRRORED[resource]
            for start in range(0, len(keys[resource]), PAGE_SIZE_MAX):
                some = keys[resource][start : start + PAGE_SIZE_MAX]
                body, text = self._client._read_text(path, limit=PAGE_SIZE_MAX, **{parameter: some})
                texts = list(_item_texts(text))
                if len(texts) != len(body["data"]):
                    raise ChanceryError("unexpected_response", "not a list of items", 200)
                for row in (_row_of(resource, item) for item in texts):
                    if row[0] in gone[resource]:
                        gone[resource].remove(row[0])
                        rows[resource].append(row)
        return rows, gone

    def _newest_snapshot(self):
        """The manifest of the newest snapshot."""
        path = self._client._root() + "/downloads/world/latest.json"
        snapshot = _parse_object(b"".join(self._client._download(path))) or {}
        files = snapshot.get("files")
        if (
            not isinstance(snapshot.get("id"), str)
            or not isinstance(snapshot.get("change_seq"), int)
            or not isinstance(files, list)
            or not all(isinstance(file, dict) and str(file.get("path")).startswith("/") for file in files)
        ):
            raise ChanceryError("unexpected_response", "not the manifest of a snapshot", 200)
        return snapshot

    def _load(self, snapshot):
        """Loads a snapshot. Files that were staged before the process ended are not loaded again."""
        seq = snapshot["change_seq"]
        try:
            self._client._read_text("/changes", after=seq, limit=1)
        except ChanceryError as error:
            if error.code == "cursor_expired":
                raise _NoSnapshot("the newest snapshot is older than the stored changes") from None
            raise
        if self._state("staged_snapshot") != snapshot["id"]:
            with self._transaction():
                self._drop_staged()
                self._set_state("staged_snapshot", snapshot["id"])
        for file in snapshot["files"]:
            resource, state = file["resource"], f"staged_file {file['path']}"
            if resource not in self._resources or self._state(state) is not None:
                continue
            table = f"{resource}_staged"
            with self._transaction() as db:
                db.execute(_create_table(resource, table))
                for rows in self._snapshot_rows(file):
                    db.executemany(_insert(resource, table), rows)
                self._set_state(state, file["path"])
        with self._transaction() as db:
            self._move(seq)
            for resource in MIRRORED:
                table, columns = _table_of(resource), ", ".join(_columns_of(resource))
                # Copied rather than renamed, so that indexes and views that others made stay.
                db.execute(_create_table(resource, f"{resource}_staged"))
                db.execute(f"delete from {table}")
                db.execute(f"insert into {table} ({columns}) select {columns} from {resource}_staged")
            self._drop_staged()
            self._set_state("snapshot", snapshot["id"])
        self._position = seq
        return [{"seq": seq, "change": "loaded"}]

    def _snapshot_rows(self, file):
        """Yields the rows of a file. Raises ChanceryError if its SHA-256 or number of rows is not as the manifest states."""
        damaged = ChanceryError("network_error", f"the download of {file['path']} is incomplete or damaged")
        digest, count, size, rest, rows = hashlib.sha256(), 0, 0, b"", []
        unpack = zlib.decompressobj(31)

        def row_of(line):
            try:
                return _row_of(file["resource"], line.decode())
            except (UnicodeDecodeError, ChanceryError):
                raise damaged from None

        try:
            for part in self._client._download(file["path"]):
                digest.update(part)
                size += len(part)
                if size > file["bytes"]:
                    raise damaged
                lines = (rest + unpack.decompress(part)).split(b"\n")
                while unpack.eof and unpack.unused_data:
                    part, unpack = unpack.unused_data, zlib.decompressobj(31)
                    *more, last = (lines.pop() + unpack.decompress(part)).split(b"\n")
                    lines += [*more, last]
                rest = lines.pop()
                if len(rest) > BODY_BYTES_MAX:
                    raise damaged
                for line in lines:
                    if line:
                        rows.append(row_of(line))
                        count += 1
                if len(rows) >= ROWS_AT_ONCE:
                    yield rows
                    rows = []
            if rest:
                rows.append(row_of(rest))
                count += 1
        except zlib.error:
            raise damaged from None
        yield rows
        if digest.hexdigest() != file["sha256"] or count != file["rows"]:
            raise damaged

    def _rows(self, sql, *values):
        # Another connection, so that readers never see rows of an open transaction.
        with contextlib.closing(sqlite3.connect(self._path, timeout=10)) as db:
            yield from db.execute(sql, values)

    @contextlib.contextmanager
    def _transaction(self):
        self._writer.execute("begin immediate")
        try:
            yield self._writer
            self._writer.execute("commit")
        except BaseException:
            if self._writer.in_transaction:
                self._writer.execute("rollback")
            raise

    def _move(self, position):
        # Two processes that write one file would each overwrite newer rows of the other.
        stored = self._state("position")
        if stored != (None if self._position is None else str(self._position)):
            raise RuntimeError(f"{self._path} is written by another mirror at the same time: use one file for each")
        self._set_state("position", position)

    def _state(self, name):
        found = self._writer.execute("select value from mirror where name = ?", (name,)).fetchone()
        return found[0] if found else None

    def _set_state(self, name, value):
        self._writer.execute("insert or replace into mirror (name, value) values (?, ?)", (name, str(value)))

    def _drop_staged(self):
        for resource in MIRRORED:
            self._writer.execute(f"drop table if exists {resource}_staged")
        self._writer.execute("delete from mirror where name like 'staged%'")


def _columns_of(resource):
    """Of a ranked item the text around its rank is stored, because its rank changes with the scores of others."""
    return ("id", "head", "score", "tail") if MIRRORED[resource][3] else ("id", "json")


def _table_of(resource):
    return f"{resource}_item" if MIRRORED[resource][3] else resource


def _create_table(resource, table):
    kinds = {"id": "text primary key", "score": "real"}
    columns = ", ".join(f"{name} {kinds.get(name, 'text')} not null" for name in _columns_of(resource))
    return f"create table if not exists {table} ({columns})"


def _insert(resource, table):
    columns = _columns_of(resource)
    return f"insert or replace into {table} ({', '.join(columns)}) values ({', '.join('?' * len(columns))})"


def _row_of(resource, text):
    """The row of an item, from its text as it was received."""
    _, _, key_field, score_field = MIRRORED[resource]
    item = _parse_object(text) or {}
    key = item.get(key_field)
    if not isinstance(key, str):
        raise ChanceryError("unexpected_response", f"an item of {resource} has no {key_field}", 200)
    if score_field is None:
        return key, text
    score, rank = item.get(score_field), _find_rank(text)
    if not isinstance(score, (int, float)) or rank is None:
        raise ChanceryError("unexpected_response", f"an item of {resource} has no {score_field} or no rank", 200)
    return key, text[: rank.start(1)], score, text[rank.end(1) :]


def _find_rank(text):
    """Where the value of the item's own rank is; members of nested objects may have the same name."""
    depth = 0
    for token in _JSON_TOKENS.finditer(text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        rank = _RANK.match(text, token.start()) if depth == 1 else None
        if rank:
            return rank
    return None


def _item_texts(body):
    """The texts of the items in the body of a list."""
    depth, start = 0, 0
    for token in _JSON_TOKENS.finditer(body):
        if token[0] in "{[":
            depth += 1
            start = token.start() if depth == 3 else start
        elif token[0] in "}]":
            if depth == 3:
                yield body[start : token.end()]
            depth -= 1


class WebhookError(ValueError):
    """The message is not authentic. Respond with 401."""


def verify_webhook(headers, body, secret_or_secrets, now=None, tolerance=300):
    """Verifies the signature of a webhook (Standard Webhooks) and returns its message.

    headers   mapping of header names, in any case, to values.
    body      the raw bytes of the request body.
    secret_or_secrets  "whsec_…", or a list during a rotation.
    now       Unix seconds, for tests. tolerance: maximum difference to the message's timestamp in seconds.

    Returns the parsed body: {"type", "timestamp", "data"}, where data is the event. Raises WebhookError.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError("body must be the raw bytes: decoded text may differ")
    secrets = [secret_or_secrets] if isinstance(secret_or_secrets, str) else secret_or_secrets
    keys = [_webhook_key(secret) for secret in secrets]
    if not keys:
        raise ValueError("at least one secret is required")
    named = {str(name).lower(): str(value) for name, value in headers.items()}
    identity = named.get("webhook-id", "")
    timestamp = named.get("webhook-timestamp", "")
    given = named.get("webhook-signature", "")
    if not identity or not timestamp or not given:
        raise WebhookError("webhook-id, webhook-timestamp or webhook-signature is missing")
    if not re.fullmatch(r"0|[1-9][0-9]{0,11}", timestamp):
        raise WebhookError("webhook-timestamp is not a Unix time in seconds")
    seconds = int(time.time() if now is None else now)
    if abs(seconds - int(timestamp)) > tolerance:
        raise WebhookError("webhook-timestamp is too far from the local clock")
    content = f"{identity}.{timestamp}.".encode("utf-8", "replace") + bytes(body)
    signatures = [text.encode("utf-8", "replace") for text in given.split(" ")]
    is_valid = False
    for key in keys:
        expected = b"v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest())
        for signature in signatures:
            is_valid |= hmac.compare_digest(signature, expected)
    if not is_valid:
        raise WebhookError("no signature matches: wrong secret, or the body was changed")
    message = _parse_object(bytes(body))
    if message is None:
        raise WebhookError("the body is not a JSON object")
    return message


def _webhook_key(secret):
    text = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("a webhook secret is whsec_ followed by base64")
    return key
