import { Alert, Anchor, TextInput, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { pageStorage } from '../api/base-path.ts'
import { useClock, useRequest } from '../api/context.ts'
import { keyLinkPath, parseKeyLink, pendingMinutes, savePendingKeyLink } from '../keys/key-link.ts'
import { RequestTitle } from '../keys/key-link-notice.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { NationName } from '../ui/nation-name.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import classes from './signed-out-page.module.css'
import { useSignIn } from './use-session.ts'

export function SignedOutPage({ hasEnded }: { hasEnded: boolean }) {
  const { game, is_demo, docs_url } = usePageInfo()
  return (
    <>
      <PageHeading title="Developer settings">
        For players of {game.name} who verify their nation to a chat bot, and for bot developers.
      </PageHeading>
      {hasEnded && (
        <Alert color="orange" variant="light" title="Your session has ended" role="alert">
          {is_demo ? 'Sign in again below.' : 'To sign in again, open the developer settings from the game.'}
        </Alert>
      )}
      <PendingKeyLink />
      {is_demo ? (
        <DemoPlayers />
      ) : (
        <Section title="Sign in from the game">
          <p className={classes.text}>
            You do not need a password. Sign in to{' '}
            {game.url ? <Anchor href={game.url}>{game.name}</Anchor> : game.name}, select “Developer settings”
            there and follow the link.
          </p>
        </Section>
      )}
      <Section title="What you can do here">
        <ul className={classes.list}>
          <li>Verify your nation to a chat bot with a one-time code.</li>
          <li>Create API keys for bots and tools, choose their scopes and see their usage.</li>
          <li>Receive game events at your own URL with webhooks.</li>
          <li>See which data of your nation and alliance others can read.</li>
        </ul>
        <Anchor href={docs_url}>Read the API reference</Anchor>
      </Section>
    </>
  )
}

/** Keeps a link that requests a key until the player has signed in. */
function PendingKeyLink() {
  const { scopes } = usePageInfo()
  const clock = useClock()
  const [location] = useLocation()
  const search = useSearch()
  const link = location === keyLinkPath ? parseKeyLink(search, scopes) : null
  const hasLink = link !== null
  useEffect(() => {
    if (hasLink) savePendingKeyLink(pageStorage, search, clock.now())
  }, [hasLink, search, clock])
  if (!link) return null
  return (
    <Alert variant="light" role="note" title={<RequestTitle name={link.name} />}>
      Sign in to see what it can read, and to create the key. This browser keeps the link for {pendingMinutes}{' '}
      minutes.
    </Alert>
  )
}

/** Signs in to the demo as any of its players. */
function DemoPlayers() {
  const request = useRequest()
  const [search, setSearch] = useState('')
  const [debouncedSearch] = useDebouncedValue(search.trim(), 200)
  const players = useQuery({
    queryKey: ['demo-players', debouncedSearch],
    queryFn: () => request('GET /demo/players', { query: { search: debouncedSearch } }),
    placeholderData: keepPreviousData,
  })
  const signIn = useSignIn((playerId: string) =>
    request('POST /demo/session', { body: { player_id: playerId } }),
  )

  return (
    <Section
      title="Sign in as a demo player"
      lead="This world is fictional. Select a player: first those whose API keys the terminal shows, then by score."
    >
      <TextInput
        label="Search players"
        placeholder="Nation or leader"
        type="search"
        maxLength={100}
        value={search}
        onChange={event => setSearch(event.currentTarget.value)}
      />
      {signIn.error && <ErrorNotice error={signIn.error} />}
      <QueryView query={players} rows={5} rowHeight={56}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>No players found.</Empty>
          ) : (
            <ul className={classes.players} aria-label="Demo players">
              {data.map(player => (
                <li key={player.player_id}>
                  <button
                    type="button"
                    className={classes.player}
                    disabled={signIn.isPending}
                    onClick={() => signIn.mutate(player.player_id)}
                  >
                    <VisuallyHidden>Sign in as </VisuallyHidden>
                    {player.nation ? <NationName nation={player.nation} /> : player.player_id}
                    {player.kind && <span className={classes.kind}>{player.kind}</span>}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Section>
  )
}
