import type { AccountEndpoint, WebhookTestResult } from '@chancery/contract'
import { Alert, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAnnounce } from '../ui/announcer.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { describeTest } from './descriptions.ts'
import { ReplaceSecretDialog } from './replace-secret-dialog.tsx'
import { UntrustedText } from './untrusted-text.tsx'
import { useEndpointChanges } from './use-webhooks.ts'

export function EndpointActions({ endpoint }: { endpoint: AccountEndpoint }) {
  const { test, enable, disable, remove } = useEndpointChanges(endpoint.id)
  const announce = useAnnounce()
  const [, navigate] = useLocation()
  const [open, setOpen] = useState<'secret' | 'remove' | null>(null)
  const close = () => setOpen(null)
  const isOff = endpoint.status === 'disabled'
  const tested = [test, enable].find(({ data }) => data?.test)?.data?.test
  const reset = () => {
    test.reset()
    enable.reset()
    disable.reset()
  }
  const onRemoved = () => {
    announce('Removed the endpoint.')
    navigate('/webhooks')
  }

  return (
    <>
      <Group gap="xs" mt="md">
        {isOff ? (
          <Button
            size="xs"
            loading={enable.isPending}
            onClick={() => {
              reset()
              enable.mutate()
            }}
          >
            Switch on
          </Button>
        ) : (
          <Button
            size="xs"
            variant={endpoint.status === 'unconfirmed' ? 'filled' : 'default'}
            loading={test.isPending}
            onClick={() => {
              reset()
              test.mutate()
            }}
          >
            Send test
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => setOpen('secret')}>
          Replace secret
        </Button>
        {!isOff && (
          <Button
            size="xs"
            variant="default"
            loading={disable.isPending}
            onClick={() => {
              reset()
              disable.mutate()
            }}
          >
            Switch off
          </Button>
        )}
        <Button size="xs" variant="light" color="red" onClick={() => setOpen('remove')}>
          Remove
        </Button>
      </Group>
      <div role="status">{tested && <TestResult test={tested} />}</div>
      {[test, enable, disable].map(({ error }, index) => error && <ErrorNotice key={index} error={error} />)}
      {open === 'secret' && <ReplaceSecretDialog endpoint={endpoint} onClose={close} />}
      {open === 'remove' && (
        <ConfirmDialog
          title="Remove this endpoint?"
          confirmLabel="Remove endpoint"
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: onRemoved })}
          onClose={close}
        >
          <Text>Nothing more is sent to it, and its delivery log is deleted.</Text>
        </ConfirmDialog>
      )}
    </>
  )
}

function TestResult({ test }: { test: WebhookTestResult }) {
  return (
    <Alert color={test.has_arrived ? 'teal' : 'orange'} variant="light" mt="md" title="Test">
      {describeTest(test)}
      {test.answer && <UntrustedText text={test.answer} />}
    </Alert>
  )
}
