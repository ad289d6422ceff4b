import type { Ask } from '../../ask.ts'

// What Chancery is asked, in the words of the peers. They have no ranking round: their order is by score and id, for which there is an
// index. There are no foreign keys, so they answer a nation without its rank and alliance, which spares them three joins.

const pageSize = 25

/** The same page or nation, asked of Platformatic DB's REST API. */
export function askPlatformatic({ path }: Ask): Ask {
  const wish = wishIn(path)
  if ('id' in wish) return { path: `/chanceryWorldNation/${wish.id}` }
  const order = 'orderby.nationalScore=desc&orderby.id=asc'
  return {
    path: `/chanceryWorldNation/?${order}&totalCount=true&limit=${pageSize}&offset=${(wish.page - 1) * pageSize}`,
  }
}

const fields = `rowId nationName leaderName nationalScore status government continent color flagUrl motto foundedAt cityCount
  landArea attributes updatedAt activeOffensive activeDefensive warsWon warsLost`
const pageQuery = `query Page($first: Int!, $offset: Int!) {
  allNations(first: $first, offset: $offset, orderBy: [NATIONAL_SCORE_DESC, ROW_ID_ASC]) { totalCount nodes { ${fields} } }
}`
const nationQuery = `query Nation($id: String!) { nationByRowId(rowId: $id) { ${fields} } }`

/** The same, asked of PostGraphile: always the same queries, so that it plans them once. */
export function askPostGraphile({ path }: Ask): Ask {
  const wish = wishIn(path)
  const body =
    'id' in wish
      ? { query: nationQuery, variables: wish }
      : { query: pageQuery, variables: { first: pageSize, offset: (wish.page - 1) * pageSize } }
  return { path: '/graphql', body: JSON.stringify(body) }
}

function wishIn(path: string): { id: string } | { page: number } {
  const id = /\/nations\/([^/?]+)$/.exec(path)?.[1]
  return id === undefined ? { page: Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1) } : { id }
}
