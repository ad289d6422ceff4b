"""Runs scripts, each in a fork of this process, which has loaded their imports: starting Python takes ten times as long.

Reads a JSON line for each script: its text, environment and standard input. Writes one: its exit status, output and errors.
"""

import json
import os
import signal
import sys
import tempfile
import traceback

import chancery  # noqa: F401

SECONDS_MAX = 60


def run(job):
    signal.alarm(SECONDS_MAX)
    os.environ.update(job["env"])
    sys.stdin = open(0, closefd=False)
    try:
        exec(compile(job["script"], "script", "exec"), {"__name__": "__main__"})
        return 0
    except SystemExit as exit:
        return exit.code or 0
    except BaseException:
        traceback.print_exc()
        return 1


for line in sys.stdin.buffer:
    job = json.loads(line)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        given.write(job["input"].encode())
        given.seek(0)
        child = os.fork()
        if child == 0:
            for number, file in enumerate((given, output, errors)):
                os.dup2(file.fileno(), number)
            status = run(job)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        _, status = os.waitpid(child, 0)
        result = {"status": status}
        for name, file in (("output", output), ("errors", errors)):
            file.seek(0)
            result[name] = file.read().decode()
    print(json.dumps(result), flush=True)
