"""Posts events of a game into a Discord channel, with chancery.py. How to run it: /docs/guides/your-first-bot."""

import os
import re
from pathlib import Path

import discord
from chancery import Chancery, ChanceryError

# All wars. For one nation add nation_id="n42", for one alliance alliance_id="a7".
FILTER = {"types": ["war.*"]}
FILE = Path("feed-position.txt")

URL, KEY = os.environ.get("CHANCERY_URL", "http://127.0.0.1:8080"), os.environ.get("CHANCERY_KEY")
game = Chancery(URL, api_key=KEY or None)
webhook = os.environ.get("DISCORD_WEBHOOK_URL")
channel = discord.SyncWebhook.from_url(webhook) if webhook else None


def post(text):
    if not channel:
        return print(text, flush=True)
    # What players write has no effect as Markdown, link, emoji or mention.
    escaped = re.sub(r"([\\*_~`|<>\[\]():#+-])", r"\\\1", " ".join(text.split()))
    channel.send(escaped[:2_000], allowed_mentions=discord.AllowedMentions.none())


print(f"Waiting for events {', '.join(FILTER['types'])} of {URL}.", flush=True)
position = FILE.read_text() if FILE.exists() else ""
after = int(position) if position else None
while True:
    try:
        for event in game.follow(after=after, **FILTER):
            post(event["summary"])
            # After a restart the feed continues here.
            FILE.write_text(str(event["seq"]))
    except ChanceryError as error:
        if error.code != "cursor_expired":
            raise
        post("Events were missed: the feed was stopped for longer than the game keeps its log.")
        after = None
