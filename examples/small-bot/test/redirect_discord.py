"""Runs a program of discord.py. Discord is the server that DISCORD_API names."""

import os
import runpy
import sys

import discord
import yarl

api = os.environ["DISCORD_API"]
discord.http.Route.BASE = f"{api}/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(api.replace("http", "ws").replace("/api", "/"))
runpy.run_path(sys.argv[1], run_name="__main__")
