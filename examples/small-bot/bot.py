"""A Discord bot for a nation-strategy game, to copy with chancery.py. How to run it: /docs/guides/your-first-bot."""

import asyncio
import sys
from datetime import datetime
from os import getenv
from typing import Literal, Optional

import discord
from chancery import Chancery, ChanceryError

game = Chancery(getenv("CHANCERY_URL", "http://127.0.0.1:8080"), api_key=getenv("CHANCERY_KEY") or None, retries=1)
bot = discord.Client(intents=discord.Intents.none(), allowed_mentions=discord.AllowedMentions.none())
tree = discord.app_commands.CommandTree(bot)


def safe(value, key=""):
    """Data of the game for a message: what players write has no effect as Markdown, link, emoji or mention."""
    if isinstance(value, dict):
        members = {name: safe(each, name) for name, each in value.items()}
        return safe("{rank} of {alliances[name]}".format(**value)) if {"rank", "alliances"} <= set(value) else members
    number = isinstance(value, (int, float)) and f"{value:,.8f}".rstrip("0").rstrip(".")
    if not isinstance(value, str):
        return number or (f"no {key}" if value is None else value)
    if key.endswith("_at"):
        return discord.utils.format_dt(datetime.fromisoformat(value.replace("Z", "+00:00")), "R")
    line = " ".join("".join(each if each.isprintable() else " " for each in value).split())[:200]
    return line.translate({ord(mark): f"\\{mark}" for mark in "\\*_~`|<>[]():#+-"}).replace("@", "@\u200b")


def read(paths, **parameters):
    """A line for each item at these paths, written as the template of the path says."""
    found = [(line, game.get(path, **parameters)["data"]) for path, line in paths.items()]
    return [line.format(**safe(item)) for line, data in found for item in (data if isinstance(data, list) else [data])]


def find(text, path="/nations"):
    """The id of the first nation or alliance that the search finds, or of the one with this id."""
    found = game.get(path, search=text, limit=1)["data"] if text else [{"id": None}]
    return found[0]["id"] if found else game.get(path + "/{id}", id=text)["data"]["id"]


NATION = {"/nations/{id}": "**{nation_name}** ({id}), {alliance}, score {national_score}, rank {rank}"}
ALLIANCE = {"/alliances/{id}": "**{name}** ({id})", "/alliances/{id}/members": "{nation_name}, {rank_title}"}
SIDES = "{attacker[nation_name]} against {defender[nation_name]}, {status}, declared {declared_at}"
WAR = {"/wars/{id}": f"**{SIDES}**", "/wars/{id}/battles": "{fought_at}: {kind}, victor: {victor}"}
WARS = {"/wars": "{id}: " + SIDES}
TOP = {"nations": {"/rankings": "#{rank} {nation[nation_name]}: {national_score}"}}
TOP["alliances"] = {"/rankings": "#{rank} {alliance[name]}: {total_score}"}
PERIOD = "**{name}**, {status}, start: {started_at}"
EVENTS = {"/events": "{occurred_at}: {summary}"}
YOU = "You lead **{nation[nation_name]}** ({nation[id]}), {alliance}."
# For each command its description, its option with a type, and what reads the lines of the reply.
COMMANDS = {
    "nation": ("A nation", "name", str, lambda name, _: read(NATION, id=find(name))),
    "alliance": ("An alliance", "name", str, lambda name, _: read(ALLIANCE, id=find(name, "/alliances"))),
    "war": ("A war and its battles", "id", str, lambda id, _: read(WAR, id=id)),
    "wars": ("Active wars", "nation", Optional[str], lambda of, _: read(WARS, status="active", nation_id=find(of))),
    "market": ("The market", None, None, lambda *_: read({"/market/price": "{resource}: {price} {currency}"})),
    "rankings": ("A ranking", "board", Literal["nations", "alliances"], lambda of, _: read(TOP[of], board=of)),
    "conflict": ("The global conflicts", None, None, lambda *_: read({"/global-conflicts": PERIOD})),
    "era": ("The eras of the game", None, None, lambda *_: read({"/eras": PERIOD})),
    "nukes": ("Strategic launches", None, None, lambda *_: read(EVENTS, type="strategic_weapon.launched")),
    "history": ("News and events", None, None, lambda *_: read({"/news": "{published_at}: **{title}**", **EVENTS})),
    "verify": ("Proves your nation", "code", str, lambda *of: [YOU.format(**safe(game.verify(*of)))]),
}


async def respond(interaction, value=None):
    """Discord waits for three seconds, so this defers. chancery.py blocks, so it runs in a thread."""
    await interaction.response.defer(ephemeral=interaction.command.name == "verify")
    lines = ["This did not work. The log of the bot has the cause."]
    try:
        lines = await asyncio.to_thread(COMMANDS[interaction.command.name][3], value, str(interaction.user.id))
    except ChanceryError as error:
        wait = f"Try again in {error.retry_after or 60:.0f} s."
        problems = {"not_found": "There is nothing by that name or id.", "rate_limited": f"Too many requests. {wait}"}
        lines = [problems.get(error.code, f"This did not work. {wait}" if error.is_transient else safe(error.message))]
    finally:
        while len("\n".join(lines)) > 2_000:
            lines.pop()
        await interaction.edit_original_response(content="\n".join(lines) or "There is nothing to show.")


def callback_of(option, kind):
    async def plain(interaction: discord.Interaction):
        await respond(interaction)

    @discord.app_commands.rename(value=option or "value")
    @discord.app_commands.describe(value=option or "value")
    async def with_option(interaction: discord.Interaction, value: kind):
        await respond(interaction, value)

    return with_option if option else plain


for name, (description, option, kind, _) in COMMANDS.items():
    tree.command(name=name, description=description)(callback_of(option, kind))
bot.setup_hook = tree.sync
bot.run(getenv("DISCORD_TOKEN") or sys.exit("DISCORD_TOKEN is not set. It is the token of your bot."))
