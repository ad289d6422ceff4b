"""Calls chancery_game.py as the lines of standard input say, and prints a line of JSON for each."""
import json
import os
import sys

sys.path.insert(0, os.environ["SEND_FACTS"])
from chancery_game import Sender

url, spool, bytes_max = sys.argv[1:]
sender = Sender(url, os.environ["CHANCERY_OPERATOR_TOKEN"], spool, bytes_max=int(bytes_max))

for line in sys.stdin:
    name, *given = json.loads(line)
    try:
        if name == "batch":
            result = sender.batch(given[0], id=given[1])
        elif name == "set_aside":
            result = sender.batch(given[0], set_aside=True)
        elif name == "event":
            result = sender.event(given[0], given[1], **given[2])
        else:
            result = getattr(sender, name)(*given)
        print(json.dumps({"result": result}), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
