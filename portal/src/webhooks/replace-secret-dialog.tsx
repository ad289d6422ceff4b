import type { AccountEndpoint } from '@chancery/contract'
import { webhooks } from '@chancery/contract'
import { Button, Group, Stack, Text } from '@mantine/core'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { useEndpointChanges } from './use-webhooks.ts'

export function ReplaceSecretDialog({
  endpoint,
  onClose,
}: {
  endpoint: AccountEndpoint
  onClose: () => void
}) {
  const { rotate } = useEndpointChanges(endpoint.id)
  const secret = rotate.data?.secret
  return (
    <Dialog
      title={secret ? 'The new secret' : 'Replace the secret?'}
      isWide
      isPersistent={secret !== undefined}
      onClose={onClose}
    >
      <Stack>
        {secret ? (
          <SigningSecret secret={secret} />
        ) : (
          <Text>
            The previous secret also signs every message for {webhooks.secretOverlapHours} hours, so that you
            can switch.
          </Text>
        )}
        {rotate.error && <ErrorNotice error={rotate.error} />}
        <Group justify="flex-end">
          {secret ? (
            <Button onClick={onClose}>I have copied it</Button>
          ) : (
            <>
              <Button variant="default" onClick={onClose} data-autofocus>
                Cancel
              </Button>
              <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
                Replace it
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}
