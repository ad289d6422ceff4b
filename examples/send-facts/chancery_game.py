"""Sends a game's facts to Chancery: one file to copy, for Python 3.9 or newer, without dependencies.

    from chancery_game import Sender

    sender = Sender("http://127.0.0.1:8081", os.environ["CHANCERY_OPERATOR_TOKEN"], "/var/lib/game/chancery")
    sender.put("nation", {"id": "42", "nation_name": "Valdoria"})
    sender.batch([{"op": "delete", "resource": "treaty", "id": "7"}, …], id="turn-8817")
    threading.Thread(target=sender.run, daemon=True).start()

batch, put, delete and event store a batch in the spool folder; they never wait for the service. deliver sends what is stored,
in order, and applies nothing twice; run calls it again and again. Any number of processes may share a spool: one of them delivers.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import http.client
import json
import logging
import os
import pathlib
import random
import threading
import urllib.parse
import uuid

__all__ = ["Sender", "ServiceError", "SpoolFull"]

REQUEST_BATCHES_MAX = 100
REQUEST_BYTES_MAX = 4 * 1024 * 1024
BACK_OFF_SECONDS = (0.2, 30)

log = logging.getLogger("chancery_game")


class ServiceError(Exception):
    """The service did not take the batches: they stay in the spool and are sent again."""


class SpoolFull(Exception):
    """More waits than bytes_max. The facts of this call were not stored."""


class Sender:
    def __init__(self, url: str, token: str, spool: str | os.PathLike, bytes_max: int = 1 << 30, timeout: float = 300):
        """url: the operator API. token: one of the role "facts". timeout: seconds without any data."""
        self._url = urllib.parse.urlsplit(url)
        if self._url.scheme not in ("http", "https") or not self._url.hostname:
            raise ValueError(f"url is {url}: it must be an http or https address")
        self._token = token
        self._spool = pathlib.Path(spool)
        self._bytes_max = bytes_max
        self._timeout = timeout
        (self._spool / "rejected").mkdir(mode=0o700, parents=True, exist_ok=True)

    def put(self, resource: str, data: dict, **options) -> str:
        """States current values of an item; omitted fields stay unchanged."""
        return self.batch([{"op": "put", "resource": resource, "data": data}], **options)

    def delete(self, resource: str, id: str) -> str:
        return self.batch([{"op": "delete", "resource": resource, "id": id}])

    def event(self, type: str, data: dict, occurred_at: str | None = None, **about) -> str:
        """Something that changed no state. about: summary, nation_ids, alliance_ids, war_id, conflict_id."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return self.batch([{"op": "event", "data": {"type": type, "occurred_at": occurred_at or now, "data": data, **about}}])

    def batch(self, facts: list[dict], id: str | None = None, announce: bool = True, set_aside: bool = False) -> str:
        """Stores facts that belong together: they are applied completely or not at all. Returns the id of the batch.

        An id of your own makes a repetition safe: the same batch is applied once. announce=False records history,
        whose events are not sent to webhooks and open streams. set_aside=True applies the batch without the facts that do
        not fit: the service keeps these, and applies them as soon as they fit.
        """
        if not facts:
            raise ValueError("a batch needs a fact")
        commit: dict = {"op": "commit", "batch": id or f"game-{uuid.uuid4()}"}
        if not announce:
            commit["announce"] = False
        if set_aside:
            commit["refused"] = "set_aside"
        lines = [json.dumps(fact, ensure_ascii=False, allow_nan=False, separators=(",", ":")) for fact in (*facts, commit)]
        text = ("\n".join(lines) + "\n").encode()
        # The order of the files is the order of the calls, also of several processes.
        with self._locked("lock"):
            state = self._read_state()
            if state["bytes"] + len(text) > self._bytes_max:
                raise SpoolFull(f"{state['bytes']} bytes wait to be sent: {len(text)} more would exceed {self._bytes_max}")
            self._write_state({"next": state["next"] + 1, "bytes": state["bytes"] + len(text)})
            _write_durably(self._spool / f"{state['next']:012}.ndjson", text)
        return commit["batch"]

    def deliver(self) -> list[dict]:
        """Sends what is stored. Returns the outcome of each batch; raises ServiceError for the first that is not known.

        A rejected batch ("refused", "conflict") is logged with its reasons. The service keeps it (chancery refused list),
        or it stays in the folder "rejected". Returns at once if another process delivers.
        """
        outcomes: list[dict] = []
        with self._locked("delivering", waits=False) as is_locked:
            while is_locked and (batches := self._next_batches()):
                for (file, size), outcome in zip(batches, self._send(batches)):
                    self._finish(file, size, outcome)
                    outcomes.append(outcome)
        return outcomes

    def run(self, stop: threading.Event | None = None, pause: float = 0.2) -> None:
        """Delivers until stop is set. An outage is logged once, and its end once."""
        stop = stop or threading.Event()
        first, most = BACK_OFF_SECONDS
        wait, trouble = first, None
        while not stop.is_set():
            try:
                self.deliver()
                if trouble:
                    log.warning("the service takes facts again")
                wait, trouble = first, None
                stop.wait(pause)
            except (ServiceError, OSError) as error:
                if str(error) != trouble:
                    log.warning("%s", error)
                trouble = str(error)
                stop.wait(wait * random.uniform(0.5, 1))
                wait = min(wait * 2, most)

    def _next_batches(self) -> list[tuple[pathlib.Path, int]]:
        with self._locked("lock"):
            files = sorted(self._spool.glob("*.ndjson"))
            if not files:
                self._write_state({**self._read_state(), "bytes": 0})
        batches: list[tuple[pathlib.Path, int]] = []
        total = 0
        for file in files[:REQUEST_BATCHES_MAX]:
            size = file.stat().st_size
            total += size
            if batches and total > REQUEST_BYTES_MAX:
                break
            batches.append((file, size))
        return batches

    def _send(self, batches: list[tuple[pathlib.Path, int]]):
        texts = [file.read_bytes() for file, _ in batches]
        connect = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = connect(self._url.hostname, self._url.port, timeout=self._timeout)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/x-ndjson"}
        sent = lines_before = 0
        try:
            connection.request("POST", f"{self._url.path.rstrip('/')}/facts", b"".join(texts), headers)
            response = connection.getresponse()
            if response.status != 200:
                raise ServiceError(_describe(response))
            for line in response:
                outcome = json.loads(line)
                if outcome["status"] == "unavailable":
                    raise ServiceError("the database of the service is unavailable")
                for reason in outcome["refused"]:
                    reason["line"] -= lines_before if reason["line"] else 0
                lines_before += texts[sent].count(b"\n")
                sent += 1
                yield outcome
            if sent < len(batches):
                raise ServiceError("the connection ended before all outcomes were received")
        except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
            raise ServiceError(f"the service is not reachable ({error!r})") from error
        finally:
            connection.close()

    def _finish(self, file: pathlib.Path, size: int, outcome: dict) -> None:
        is_rejected = outcome["status"] not in ("applied", "duplicate")
        if is_rejected:
            reasons = "; ".join(f"line {r['line']} {r['path']}: {r['reason']}" for r in outcome["refused"][:3])
            log.error("batch %s was rejected (%s): %s", outcome["batch"], outcome["status"], reasons)
        if is_rejected and not outcome["is_kept"]:
            file.rename(self._spool / "rejected" / file.name)
            return
        file.unlink()
        with self._locked("lock"):
            state = self._read_state()
            self._write_state({**state, "bytes": max(0, state["bytes"] - size)})

    def _read_state(self) -> dict:
        try:
            return json.loads((self._spool / "state.json").read_text())
        except FileNotFoundError:
            return {"next": 1, "bytes": 0}

    def _write_state(self, state: dict) -> None:
        _write_durably(self._spool / "state.json", json.dumps(state).encode())

    @contextlib.contextmanager
    def _locked(self, name: str, waits: bool = True):
        with open(self._spool / name, "a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
            except BlockingIOError:
                yield False
                return
            yield True


def _write_durably(path: pathlib.Path, data: bytes) -> None:
    unfinished = path.with_name(path.name + ".new")
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def _describe(response: http.client.HTTPResponse) -> str:
    try:
        detail = ": " + json.loads(response.read(65536))["error"]["message"]
    except (ValueError, KeyError, TypeError):
        detail = ""
    return f"the service returned status {response.status}{detail}"
