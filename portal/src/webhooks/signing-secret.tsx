import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { WarnIcon } from '../ui/icons.tsx'
import { OneTimeSecret } from '../ui/one-time-secret.tsx'
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts'

/** The secret by which messages are signed, this once. */
export function SigningSecret({ secret }: { secret: string }) {
  const top = useFocusOnMount<HTMLDivElement>()
  return (
    <Stack ref={top} tabIndex={-1}>
      <Alert color="orange" variant="light" icon={<WarnIcon />} title="Copy it now">
        The secret is shown this once. Nobody can tell it to you later; a lost one is replaced.
      </Alert>
      <OneTimeSecret label="Secret" text={secret} copyLabel="Copy secret" />
      <Text size="sm">
        Check each message before you believe it: <code>webhook-signature</code> is the HMAC-SHA256, with this
        secret, of <code>webhook-id</code>, <code>webhook-timestamp</code> and the body as they came, joined
        by dots; any library of{' '}
        <Anchor
          href="https://www.standardwebhooks.com"
          rel="noreferrer"
          target="_blank"
          inherit
          underline="always"
        >
          Standard Webhooks
        </Anchor>{' '}
        does it in a line.
      </Text>
    </Stack>
  )
}
