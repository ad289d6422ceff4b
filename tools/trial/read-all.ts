interface Page {
  data: Record<string, unknown>[]
  pagination: { pages: number }
}

/** Everything that a list of the API holds, page by page. */
export async function readAll(url: string, path: string): Promise<Page['data']> {
  const things = []
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const response = await fetch(new URL(`/api/v1${path}?limit=100&page=${page}`, url))
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`)
    const { data, pagination } = (await response.json()) as Page
    things.push(...data)
    pages = pagination.pages
  }
  return things
}
