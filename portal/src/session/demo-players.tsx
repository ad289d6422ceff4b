import { TextInput, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../api/context.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { NationName } from '../ui/nation-name.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import classes from './signed-out-page.module.css'
import { useSignIn } from './use-sign-in.ts'

/** The demo's way in: any of its players, without a password. */
export function DemoPlayers() {
  const { session } = useClient()
  const [search, setSearch] = useState('')
  const [searched] = useDebouncedValue(search.trim(), 200)
  const players = useQuery({
    queryKey: ['demo-players', searched],
    queryFn: () => session.demoPlayers(searched),
    placeholderData: keepPreviousData,
  })
  const signIn = useSignIn(session.startDemo)

  return (
    <Section title="Sign in as a player of the demo" lead="This world is made up. Choose whom to be.">
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
            <Empty>No player is called that.</Empty>
          ) : (
            <ul className={classes.players} aria-label="Players of the demo">
              {data.map(player => (
                <li key={player.player_id}>
                  <button
                    type="button"
                    className={classes.player}
                    disabled={signIn.isPending}
                    onClick={() => signIn.mutate(player.player_id)}
                  >
                    <VisuallyHidden>Sign in as </VisuallyHidden>
                    <NationName nation={player.nation} />
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
