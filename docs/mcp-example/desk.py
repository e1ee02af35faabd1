"""Calls the tool of the MCP server, for a person who signs in with a browser."""

import asyncio

from fastmcp import Client
from fastmcp.client.auth import OAuth


async def main():
    async with Client("http://127.0.0.1:8000/mcp", auth=OAuth(client_id="desk")) as client:
        print((await client.call_tool("who")).content[0].text)


asyncio.run(main())
