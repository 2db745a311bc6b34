"""Reads every folder of a portal: what `kb-exporter scan` is measured beside.

It finds out the same: files and bytes by status, reasons, and whether every file was read once.

Usage: KB_BASE_URL=… KB_API_KEY=… python full_scan.py CONCURRENCY
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
    counts, sizes, errors, seen = Counter(), Counter(), Counter(), set()

    async def count_page(number):
        path = f"/api/admin/library-folders/{folder}/files"
        page = await read(session, path, page=number, pageSize=PAGE_SIZE)
        for row in page["data"]:
            status = row["indexStatus"]
            counts[status] += 1
            sizes[status] += row["fileSize"]
            seen.add((row["linkId"], row["id"]))
            if status in ("failed", "flagged"):
                errors[status, row["indexError"]] += 1
        return page["pagination"]

    async def count_pages(numbers):
        for number in numbers:
            await count_page(number)

    first = await count_page(1)
    numbers = iter(range(2, first["totalPages"] + 1))
    await asyncio.gather(*(count_pages(numbers) for _ in range(concurrency)))
    if not len(seen) == sum(counts.values()) == first["total"]:
        sys.exit(f"{folder}: files were missed or read twice")
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
