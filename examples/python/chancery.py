"""Read a game's Chancery from Python: one file to copy, for Python 3.9 or newer, with nothing to install.

    from chancery import Chancery

    client = Chancery("https://game.example", api_key=os.environ.get("CHANCERY_KEY"))
    client.get("/nations", search="ar")["data"]
    client.get("/nations/{id}", id="n42")["data"]
    for war in client.iterate("/wars", status="active"): ...
    for event in client.follow(types=["war.*"]): ...
    client.verify(code, account="user:42")

Several threads may share a client.
"""

from __future__ import annotations

import base64
import binascii
import collections
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
import threading
import time
import urllib.parse
import zlib

__all__ = ["Chancery", "ChanceryError", "WebhookError", "verify_webhook"]

BODY_BYTES_MAX = 32 * 1024 * 1024
CACHE_BYTES_MAX = 16 * 1024 * 1024
# A connection that has been idle for longer may have been closed at the other end.
IDLE_SECONDS_MAX = 4
# A heartbeat comes every 15 seconds: after twice that, a stream is dead.
STREAM_SILENCE_SECONDS = 30
STREAM_LINE_BYTES_MAX = 1024 * 1024
# How long to wait for the next try of a stream that was refused; the log is polled meanwhile.
STREAM_AGAIN_SECONDS = 60
PAGE_SIZE_MAX = 100

log = logging.getLogger("chancery")


class ChanceryError(Exception):
    """A call that brought no data.

    code        of the API ("not_found", "rate_limited", …: docs/errors), or one of this file:
                "network_error" (the network failed, or it took too long) and
                "unexpected_answer" (somebody answered, but not as Chancery does).
    status      HTTP status, None without an answer.
    request_id  to quote in a report, None where there is none.
    retry_after seconds to wait, None where nothing says so.
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
    def may_pass(self):
        """Whether the same call may succeed later: the network, a limit, or a failure at the other end."""
        return self.code == "network_error" or self.status in (408, 429) or (self.status or 0) >= 500


class Chancery:
    """The API at base_url ("https://game.example"), with or without a key.

    timeout      seconds that one try may take, from connecting to the last byte.
    retries      how often a read is tried again. A verification code is never sent twice.
    wait_seconds the first wait before a try; it doubles each time, at random down to half of it.
    wait_max     no wait is longer; a retry-after that is longer is raised as an error.
    paces        whether to wait for the next window once x-ratelimit-remaining is 0, instead of running into 429.
    user_agent   says which bot this is, with an address to reach you.
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
        paces=True,
        user_agent="chancery.py/1",
    ):
        url = urllib.parse.urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment or url.username:
            raise ValueError("base_url must be like https://game.example")
        if api_key is not None and not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key must be the text of a key, without spaces or line breaks")
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
        self._pace = _Pace() if paces else None

    def get(self, path, **parameters):
        """The body of a read, as the reference shows it: {"data": …}, for a list with "pagination".

        {names} in the path are filled in. Lists become comma separated, and None is left out. ids=[] selects
        nothing; any other empty list is a ValueError, because the filter would count as not given. What everybody
        reads the same is kept for as long as cache-control says (a minute), then asked for by its ETag.
        Raises ChanceryError.
        """
        target = self._target(path, parameters)
        attempt = 0
        while True:
            try:
                return self._read(target)
            except ChanceryError as error:
                wait = self._wait_after(error, attempt)
                if not error.may_pass or attempt >= self.retries or wait > self.wait_max:
                    raise
                log.info("trying again in %.1f s: %s", wait, error)
            time.sleep(wait)
            attempt += 1

    def iterate(self, path, **parameters):
        """All items of a list, page by page, each id once.

        The world goes on between two pages: what moves down the list comes once, what moves up may be missed.
        """
        parameters = {"limit": PAGE_SIZE_MAX, "page": 1, **parameters}
        seen = set()
        while True:
            body = self.get(path, **parameters)
            items = _items_of(body)
            pages = (body.get("pagination") or {}).get("pages")
            if not isinstance(pages, int):
                raise ChanceryError("unexpected_answer", "this is not a list with pages: use get", 200)
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

        A code works once, so this is never tried again. After "network_error" nobody knows whether it was used:
        ask the player for a new one. account is the chat account that sent the code.
        """
        target = self._target("/discord/verify/{code}", {"code": code.strip(), "for": account})
        identity = self._read(target, is_once=True).get("data")
        if not isinstance(identity, dict) or identity.get("verified") is not True:
            raise ChanceryError("unexpected_answer", "the answer does not say that anybody is verified", 200)
        return identity

    def follow(self, after=None, types=None, every=10.0, stream=True, **filters):
        """Events as they are logged, for ever: each once, in order, none left out.

        after    begin behind this seq. Keep the seq of each event, and give the last one after a restart.
                 None begins now; 0 at the oldest event that is kept.
        types    kinds and families: ["war.*", "battle.fought"].
        every    seconds between two calls while polling.
        stream   whether to hold a stream open; where that does not work, the log is polled, and every
                 minute the stream is tried again.
        filters  nation_id, alliance_id, war_id, as for /events.

        Outages are waited out (see the logger "chancery"). Raises ChanceryError for what waiting does not mend:
        a wrong parameter, a refused key, and "cursor_expired", when the log no longer holds what came after
        your number. History that a game loads without announcing it is told by polling, and not while a
        stream is open: it is no news.
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
                    # What is refused for good, polling is refused too, and says so.
                    log.info("no stream: %s", error)
                if is_alive:
                    # It worked and was cut: it is taken up again where it stopped.
                    time.sleep(self.wait_seconds * random.uniform(3, 4))
                    continue
                stream_at = time.monotonic() + STREAM_AGAIN_SECONDS
            try:
                events = self._events(after=position, limit=PAGE_SIZE_MAX, **query)
            except ChanceryError as error:
                if error.status is not None and 300 <= error.status < 500 and not error.may_pass:
                    raise
                failures += 1
                log.warning("no events: %s", error)
                time.sleep(min(self.wait_max, max(self._back_off(failures), error.retry_after or 0)))
                continue
            if failures and stream:
                # The other end is back.
                stream_at = time.monotonic()
            failures, before = 0, position
            for event in events:
                if event["seq"] > position:
                    position = event["seq"]
                    yield event
            if len(events) < PAGE_SIZE_MAX or position == before:
                time.sleep(max(0.0, min(every, stream_at - time.monotonic())))

    def close(self):
        """Closes the connections that are kept for the next call."""
        while self._idle:
            self._idle.pop()[0].close()

    def _newest(self):
        newest = self._events(limit=1)
        return newest[0]["seq"] if newest else 0

    def _events(self, **parameters):
        events = _items_of(self.get("/events", **parameters))
        if not all(isinstance(event.get("seq"), int) for event in events):
            raise ChanceryError("unexpected_answer", "these are not events", 200)
        return events

    def _target(self, path, parameters):
        """Path and query. Every name in braces takes its parameter out of the query."""
        if not path.startswith("/") or "?" in path or "#" in path:
            raise ValueError("path must begin with / and hold no ? or #: parameters are given by name")
        left = dict(parameters)

        def fill(match):
            text = str(left.pop(match[1], ""))
            if not text:
                raise ValueError(f"{match[1]} is needed, and must not be empty")
            return urllib.parse.quote(text, safe="")

        filled = re.sub(r"\{(\w+)\}", fill, urllib.parse.quote(path, safe="/{}%:@!$&'()*+,;="))
        for name, value in left.items():
            if name != "ids" and _is_list(value) and not value:
                raise ValueError(f"{name} is an empty list, and would filter nothing: leave it out, or do not ask")
        pairs = [(name, _text_of(value)) for name, value in left.items() if value is not None]
        return self._base + filled + ("?" + urllib.parse.urlencode(pairs) if pairs else "")

    def _back_off(self, attempt):
        return min(self.wait_max, self.wait_seconds * 2 ** min(attempt, 30)) * random.uniform(0.5, 1)

    def _wait_after(self, error, attempt):
        if error.retry_after is None:
            return self._back_off(attempt)
        # Not at the same instant as everybody else who was told the same.
        return error.retry_after + random.uniform(0, min(1.0, self.wait_seconds))

    def _read(self, target, is_once=False):
        """One try: the parsed body, from memory where that is fresh."""
        known = None if is_once else self._cache.find(target)
        if known and known.is_fresh():
            return json.loads(known.body)
        if self._pace:
            self._pace.wait(self.wait_max)
        headers = {"if-none-match": known.etag} if known else {}
        with _Exchange(self, target, headers, self.timeout, is_fresh=is_once) as answer:
            body = answer.read()
        if answer.status == 304 and known:
            self._cache.keep(target, known.etag, known.body, answer.headers)
            return json.loads(known.body)
        parsed = _parse_object(body)
        if answer.status != 200 or parsed is None:
            raise _error_of(answer, parsed)
        if not is_once:
            self._cache.keep(target, answer.headers.get("etag"), body, answer.headers)
        return parsed

    def _stream(self, position, query):
        """Yields (seq, event or None) from one connection until it ends. Raises ChanceryError where there is none."""
        if self._pace:
            self._pace.wait(self.wait_max)
        target = self._target("/events/stream", {**query, "after": position})
        headers = {"accept": "text/event-stream", "accept-encoding": "identity"}
        with _Exchange(self, target, headers, self.timeout, is_fresh=True) as answer:
            kind = answer.headers.get("content-type", "")
            if answer.status != 200 or not kind.startswith("text/event-stream"):
                raise _error_of(answer, _parse_object(answer.read()))
            seq, data = None, None
            while True:
                line = answer.read_line(STREAM_LINE_BYTES_MAX, STREAM_SILENCE_SECONDS)
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
                        raise ChanceryError("unexpected_answer", "the stream told something that is no event")
                    yield seq, event
                    seq, data = None, None


def _is_list(value):
    return isinstance(value, (list, tuple, set, frozenset))


def _text_of(value):
    return ",".join(map(str, value)) if _is_list(value) else str(value)


class _Exchange:
    """One request and its answer: within a time, without following redirects, and told apart from all else.

    A redirect is an error: the key must not travel to whoever is named there.
    """

    def __init__(self, client, target, headers, timeout, is_fresh):
        self._client = client
        self._deadline = time.monotonic() + timeout
        self._is_whole = False
        idle = None if is_fresh else self._take_idle()
        try:
            self._response = self._ask(idle or self._open(timeout), target, headers)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            if idle is None:
                raise _network_error(error) from None
            # It was closed at the other end while nobody looked. Only reads come here.
            try:
                self._response = self._ask(self._open(self.left()), target, headers)
            except (OSError, http.client.HTTPException) as again:
                self._connection.close()
                raise _network_error(again) from None
        self.status = self._response.status
        self.headers = self._response.headers
        if client._pace:
            client._pace.note(self.headers)

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

    def _ask(self, connection, target, headers):
        self._connection = connection
        connection.response_class = lambda sock, **more: http.client.HTTPResponse(_Timed(sock, self), **more)
        if connection.sock is not None:
            connection.sock.settimeout(self.left())
        connection.request("GET", target, headers={**self._client._headers, **headers})
        return connection.getresponse()

    def left(self):
        """Seconds that the next read may wait."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("it took too long")
        return left

    def read(self):
        """The whole body, unpacked. Raises ChanceryError where it is cut, too large or too slow."""
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
                    raise ChanceryError("unexpected_answer", "the answer is too large", self.status)
            stated = self.headers.get("content-length", "")
            is_cut = re.fullmatch("[0-9]{1,15}", stated) and raw_bytes < int(stated) and self.status != 304
            if is_cut or (unpack and raw_bytes and not unpack.eof):
                raise ChanceryError("network_error", "the answer was cut off")
        except (OSError, http.client.HTTPException) as error:
            raise _network_error(error) from None
        except zlib.error:
            raise ChanceryError("unexpected_answer", "the answer is not gzip as it says", self.status) from None
        self._is_whole = True
        return bytes(body)

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


class _Timed:
    """A socket for http.client whose every read is bounded by what is left of the exchange's time."""

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


class _Pace:
    """What is left of the caller's window, as the latest answer said."""

    def __init__(self):
        self._lock = threading.Lock()
        self._remaining = math.inf
        self._resets_at = 0.0

    def note(self, headers):
        remaining, reset = headers.get("x-ratelimit-remaining", ""), headers.get("x-ratelimit-reset", "")
        if not all(re.fullmatch("[0-9]{1,12}", text) for text in (remaining, reset)):
            return
        # By the server's own clock: this machine's may be wrong.
        date = _unix_seconds(headers.get("date"))
        now = time.time() if date is None else date
        with self._lock:
            self._remaining = int(remaining)
            self._resets_at = time.monotonic() + max(0.0, int(reset) - now)

    def wait(self, seconds_max):
        """Takes one call; waits for the next window where none is left."""
        with self._lock:
            left = self._resets_at - time.monotonic()
            if left <= 0:
                self._remaining = math.inf
            wait = min(left, seconds_max) if self._remaining <= 0 else 0.0
            self._remaining -= 1
        if wait > 0:
            log.info("the limit is used up: waiting %.1f s for the next window", wait)
            time.sleep(wait)


class _Kept:
    def __init__(self, etag, body, fresh_until):
        self.etag = etag
        self.body = body
        self.fresh_until = fresh_until

    def is_fresh(self):
        return time.monotonic() < self.fresh_until


class _Cache:
    """Answers that may be kept, by what was asked; the least recently used go first."""

    def __init__(self):
        self._lock = threading.Lock()
        self._kept = collections.OrderedDict()
        self._bytes = 0

    def find(self, target):
        with self._lock:
            if target in self._kept:
                self._kept.move_to_end(target)
            return self._kept.get(target)

    def keep(self, target, etag, body, headers):
        """As cache-control says. What needs a key is no-store, and is not kept."""
        control = headers.get("cache-control", "")
        if not etag or "no-store" in control:
            return
        age = re.search(r"max-age=(\d{1,6})\b", control)
        fresh = int(age[1]) if age and "no-cache" not in control else 0
        with self._lock:
            self._drop(target)
            if len(body) > CACHE_BYTES_MAX:
                return
            self._kept[target] = _Kept(etag, body, time.monotonic() + fresh)
            self._bytes += len(body)
            while self._bytes > CACHE_BYTES_MAX:
                self._drop(next(iter(self._kept)))

    def _drop(self, target):
        kept = self._kept.pop(target, None)
        if kept:
            self._bytes -= len(kept.body)


def _network_error(error):
    # The kind of error, not its text: http.client quotes the path in some, and a path may hold a code.
    return ChanceryError("network_error", f"no answer came: {type(error).__name__}")


def _error_of(answer, parsed):
    """What an answer other than the one that was asked for says."""
    error = parsed.get("error") if parsed else None
    about = {"status": answer.status, "retry_after": _retry_after(answer.headers.get("retry-after"))}
    if answer.status >= 400 and isinstance(error, dict) and isinstance(error.get("code"), str):
        message, request_id = error.get("message"), error.get("request_id")
        return ChanceryError(error["code"], str(message), request_id=request_id, **about)
    if 300 <= answer.status < 400:
        return ChanceryError("unexpected_answer", "a redirect, which is not followed: correct base_url", **about)
    return ChanceryError("unexpected_answer", "this is not Chancery, or something between answered for it", **about)


def _items_of(body):
    items = body.get("data")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ChanceryError("unexpected_answer", "this is not a list: use get", 200)
    return items


def _parse_object(body):
    """A JSON object, or None where it is none."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _retry_after(text):
    """Seconds, from seconds or a date; None where it is neither."""
    if text is None:
        return None
    if re.fullmatch(r"\s*[0-9]{1,9}\s*", text):
        return float(text)
    date = _unix_seconds(text)
    return None if date is None else max(0.0, date - time.time())


def _unix_seconds(date):
    """Of a date as HTTP writes it; None where it is none."""
    try:
        parsed = email.utils.parsedate_tz(date)
        return None if parsed is None else float(email.utils.mktime_tz(parsed))
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


class WebhookError(ValueError):
    """A message that must not be believed. Answer it with 401."""


def verify_webhook(headers, body, secret_or_secrets, now=None, tolerance=300):
    """The message that a webhook brought, after its signature has been checked (Standard Webhooks).

    headers   any mapping of names to texts, in any case.
    body      the bytes as they came, before anything parsed them.
    secret_or_secrets  "whsec_…", or several: the one before a change and the one after.
    now       Unix seconds, for tests. tolerance: seconds that the message's time may be away from it.

    Returns the parsed body: {"type", "timestamp", "data"}, data being the event. Raises WebhookError.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError("body must be the bytes that came: a text made of them may differ")
    secrets = [secret_or_secrets] if isinstance(secret_or_secrets, str) else secret_or_secrets
    keys = [_webhook_key(secret) for secret in secrets]
    if not keys:
        raise ValueError("a secret is needed")
    named = {str(name).lower(): str(value) for name, value in headers.items()}
    identity = named.get("webhook-id", "")
    timestamp = named.get("webhook-timestamp", "")
    given = named.get("webhook-signature", "")
    if not identity or not timestamp or not given:
        raise WebhookError("webhook-id, webhook-timestamp or webhook-signature is missing")
    if not re.fullmatch(r"0|[1-9][0-9]{0,11}", timestamp):
        raise WebhookError("webhook-timestamp is not a number of seconds")
    seconds = int(time.time() if now is None else now)
    if abs(seconds - int(timestamp)) > tolerance:
        raise WebhookError("the message is too old or too new; or this machine's clock is wrong")
    content = f"{identity}.{timestamp}.".encode("utf-8", "replace") + bytes(body)
    signatures = [text.encode("utf-8", "replace") for text in given.split(" ")]
    fits = False
    for key in keys:
        expected = b"v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest())
        for signature in signatures:
            fits |= hmac.compare_digest(signature, expected)
    if not fits:
        raise WebhookError("no signature fits: another secret, or the body was changed on its way")
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
        raise ValueError("a secret of a webhook is whsec_ and base64")
    return key
