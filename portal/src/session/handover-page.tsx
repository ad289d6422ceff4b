import { Alert, Button, Group, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useApiQuery, useRequest } from '../api/context.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { WarnIcon } from '../ui/icons.tsx'
import { NationName } from '../ui/nation-name.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { useNation, useSignIn } from './use-session.ts'

/** Confirms the player before a handover link signs in, so that a link from another person does not go unnoticed. */
export function HandoverPage({ token, onDone }: { token: string; onDone: () => void }) {
  const request = useRequest()
  const { game } = usePageInfo()
  const currentNation = useNation()
  const preview = useApiQuery(['handover', token], send => send('POST /handover', { body: { token } }), {
    staleTime: Number.POSITIVE_INFINITY,
  })
  const signIn = useSignIn(() => request('POST /session', { body: { token } }), onDone)
  const isExpired = [preview.error, signIn.error].some(
    error => error instanceof ApiError && error.status === 410,
  )

  if (isExpired) {
    return (
      <>
        <PageHeading title="This link no longer works" />
        <Alert
          color="orange"
          variant="light"
          icon={<WarnIcon />}
          title="The link was already used or is older than one minute"
          role="alert"
        >
          A link works once, within one minute. Go back to {game.name} and open the developer settings again.
        </Alert>
        <Group>
          <Button variant="default" onClick={onDone}>
            Close
          </Button>
        </Group>
      </>
    )
  }
  return (
    <>
      <PageHeading title="Sign in" />
      <Section title="You are about to sign in as">
        <QueryView query={preview} rows={1} rowHeight={56}>
          {({ nation }) => (
            <>
              {nation ? <NationName nation={nation} /> : <Text>A player without a nation</Text>}
              {currentNation && currentNation.nation_id !== nation?.nation_id && (
                <Text size="sm" c="dimmed" mt="sm">
                  You are currently signed in as <bdi>{currentNation.nation_name}</bdi>.
                </Text>
              )}
              <Text size="sm" c="dimmed" mt="sm">
                If this is not your nation, or another person sent you this link, select “Cancel”.
              </Text>
              {signIn.error && <ErrorNotice error={signIn.error} />}
              <Group mt="md">
                <Button loading={signIn.isPending} onClick={() => signIn.mutate()}>
                  Continue
                </Button>
                <Button variant="default" onClick={onDone}>
                  Cancel
                </Button>
              </Group>
            </>
          )}
        </QueryView>
      </Section>
    </>
  )
}

const fragmentPrefix = '#handover='

/** Reads the token of a handover link and removes it from the address and the history. */
export function takeHandoverToken(): string | null {
  if (!location.hash.startsWith(fragmentPrefix)) return null
  const token = location.hash.slice(fragmentPrefix.length)
  history.replaceState(history.state, '', location.pathname + location.search)
  return token || null
}

/** The token of the handover link that was opened, if any. A link opened while the page is open only changes the fragment. */
export function useHandoverToken(firstToken: string | null) {
  const [token, setToken] = useState(firstToken)
  useEffect(() => {
    const onChange = () => {
      const next = takeHandoverToken()
      if (next) setToken(next)
    }
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return { token, clear: () => setToken(null) }
}
