"""Counts the files of every folder of a portal by status: what `kb-exporter scan` is measured beside.

Usage: KB_BASE_URL=… KB_API_KEY=… python walk.py CONCURRENCY
Needs aiohttp and orjson. Prints the counts as samples of `kb_folder_files`.
"""

import asyncio
import os
import sys
from collections import Counter

import aiohttp
import orjson

PAGE_SIZE = 100


async def read(session, path, **query):
    async with session.get(path, params=query) as response:
        response.raise_for_status()
        return orjson.loads(await response.read())


async def count_folder(session, folder, concurrency):
    counts = Counter()

    async def count_page(number):
        path = f"/api/admin/library-folders/{folder}/files"
        page = await read(session, path, page=number, pageSize=PAGE_SIZE)
        counts.update(row["indexStatus"] for row in page["data"])
        return page["pagination"]["totalPages"]

    async def count_pages(numbers):
        for number in numbers:
            await count_page(number)

    last = await count_page(1)
    numbers = iter(range(2, last + 1))
    await asyncio.gather(*(count_pages(numbers) for _ in range(concurrency)))
    return counts


async def main(concurrency):
    headers = {"Authorization": f"Bearer {os.environ['KB_API_KEY']}"}
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(
        os.environ["KB_BASE_URL"], headers=headers, connector=connector
    ) as session:
        folders = await read(session, "/api/admin/library-folders/mine")
        for folder in folders["data"]:
            id = folder["id"]
            counts = await count_folder(session, id, concurrency)
            for status, files in counts.items():
                print(f'kb_folder_files{{folder_id="{id}",status="{status}"}} {files}')


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
