import { type AccountEndpoint, webhooks } from '@chancery/contract'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAnnounce } from '../ui/announcer.tsx'
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { TestResult } from './test-result.tsx'
import { useEndpointMutations } from './use-webhooks.ts'

export function EndpointActions({ endpoint }: { endpoint: AccountEndpoint }) {
  const { test, enable, disable, remove } = useEndpointMutations(endpoint.id)
  const announce = useAnnounce()
  const [, navigate] = useLocation()
  const [open, setOpen] = useState<'secret' | 'remove' | null>(null)
  const close = () => setOpen(null)
  const isDisabled = endpoint.status === 'disabled'
  const testResult = [test, enable].find(({ data }) => data?.test)?.data?.test
  const run = (mutation: typeof test | typeof enable | typeof disable) => {
    for (const { reset } of [test, enable, disable]) reset()
    mutation.mutate()
  }
  const onRemoved = () => {
    announce('Removed the endpoint.')
    navigate('/webhooks')
  }

  return (
    <>
      <Group gap="xs" mt="md">
        {isDisabled ? (
          <Button size="xs" loading={enable.isPending} onClick={() => run(enable)}>
            Enable
          </Button>
        ) : (
          <Button
            size="xs"
            variant={endpoint.status === 'unconfirmed' ? 'filled' : 'default'}
            loading={test.isPending}
            onClick={() => run(test)}
          >
            {endpoint.status === 'unconfirmed' ? 'Send test and activate' : 'Send test'}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => setOpen('secret')}>
          Regenerate secret
        </Button>
        {!isDisabled && (
          <Button size="xs" variant="default" loading={disable.isPending} onClick={() => run(disable)}>
            Disable
          </Button>
        )}
        <Button size="xs" variant="light" color="red" onClick={() => setOpen('remove')}>
          Remove
        </Button>
      </Group>
      <div role="status">{testResult && <TestResult test={testResult} />}</div>
      {[test, enable, disable].map(({ error }, index) => error && <ErrorNotice key={index} error={error} />)}
      {open === 'secret' && <RegenerateSecretDialog endpoint={endpoint} onClose={close} />}
      {open === 'remove' && (
        <ConfirmDialog
          title="Remove this endpoint?"
          confirmLabel="Remove endpoint"
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: onRemoved })}
          onClose={close}
        >
          <Text>No more events are sent to it, and its delivery log is deleted. This cannot be undone.</Text>
        </ConfirmDialog>
      )}
    </>
  )
}

function RegenerateSecretDialog({ endpoint, onClose }: { endpoint: AccountEndpoint; onClose: () => void }) {
  const { rotate } = useEndpointMutations(endpoint.id)
  const secret = rotate.data?.secret
  return (
    <Dialog
      title={secret ? 'New secret' : 'Regenerate secret?'}
      isWide
      isPersistent={secret !== undefined}
      onClose={onClose}
    >
      <Stack>
        {secret ? (
          <SigningSecret secret={secret} />
        ) : (
          <Text>
            For the next {webhooks.secretOverlapHours} hours, messages are signed with both the old and the
            new secret, so that you can switch.
          </Text>
        )}
        {rotate.error && <ErrorNotice error={rotate.error} />}
        <Group justify="flex-end">
          {secret ? (
            <Button onClick={onClose}>Done</Button>
          ) : (
            <>
              <Button variant="default" onClick={onClose} data-autofocus>
                Cancel
              </Button>
              <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
                Regenerate
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}
