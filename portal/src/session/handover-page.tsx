import { Alert, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/context.ts'
import { ApiError } from '../api/errors.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { WarnIcon } from '../ui/icons.tsx'
import { NationName } from '../ui/nation-name.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { useNation } from './use-session.ts'
import { useSignIn } from './use-sign-in.ts'

/** Asks before a link of the game signs somebody in: nobody works as somebody else without having been told. */
export function HandoverPage({ token, onDone }: { token: string; onDone: () => void }) {
  const { session } = useClient()
  const { game } = usePageInfo()
  const present = useNation()
  const preview = useQuery({
    queryKey: ['handover', token],
    queryFn: () => session.preview(token),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const signIn = useSignIn(session.start, onDone)
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
          title="Used, or older than a minute"
          role="alert"
        >
          A link from the game signs in once, within one minute. Go back to {game.name} and open the developer
          settings again.
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
      <PageHeading title="Sign in from the game" />
      <Section title="You are about to sign in as">
        <QueryView query={preview} rows={1} rowHeight={56}>
          {({ nation }) => (
            <>
              {nation ? <NationName nation={nation} /> : <Text>A player who has no nation at present</Text>}
              {present && present.nation_id !== nation?.nation_id && (
                <Text size="sm" c="dimmed" mt="sm">
                  At present you are signed in as <bdi>{present.nation_name}</bdi>.
                </Text>
              )}
              <Text size="sm" c="dimmed" mt="sm">
                If somebody sent you this link and this is not your nation, choose “Not me”.
              </Text>
              {signIn.error && <ErrorNotice error={signIn.error} />}
              <Group mt="md">
                <Button loading={signIn.isPending} onClick={() => signIn.mutate(token)}>
                  Go on
                </Button>
                <Button variant="default" onClick={onDone}>
                  Not me
                </Button>
              </Group>
            </>
          )}
        </QueryView>
      </Section>
    </>
  )
}
