import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { useFocusOnMount } from '../ui/focus.ts'
import { WarnIcon } from '../ui/icons.tsx'
import { OneTimeSecret } from '../ui/one-time-secret.tsx'

/** A new signing secret, and how to verify signatures with it. */
export function SigningSecret({ secret }: { secret: string }) {
  const top = useFocusOnMount<HTMLDivElement>()
  return (
    <Stack ref={top} tabIndex={-1}>
      <Alert color="orange" variant="light" icon={<WarnIcon />} title="Copy the secret now">
        The secret is shown only once. If you lose it, regenerate it.
      </Alert>
      <OneTimeSecret label="Secret" text={secret} copyLabel="Copy secret" />
      <Text size="sm">
        Verify each message before you process it: <code>webhook-signature</code> is the HMAC-SHA256, keyed
        with this secret, of <code>webhook-id</code>, <code>webhook-timestamp</code> and the raw body, joined
        by dots. Libraries for{' '}
        <Anchor
          href="https://www.standardwebhooks.com"
          rel="noreferrer"
          target="_blank"
          inherit
          underline="always"
        >
          Standard Webhooks
        </Anchor>{' '}
        do this for you.
      </Text>
    </Stack>
  )
}
