import type { NewAccountEndpoint } from '@chancery/contract'
import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Section } from '../ui/section.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { TestResult } from './test-result.tsx'
import { useAddEndpoint, useEndpointMutations } from './use-webhooks.ts'

export function AddEndpointPage() {
  const add = useAddEndpoint()
  const [, navigate] = useLocation()
  const [added, setAdded] = useState<NewAccountEndpoint | null>(null)

  if (added) return <AddedEndpoint endpoint={added} />
  return (
    <>
      <PageHeading title="Add endpoint">
        Next you get the signing secret. Nothing is sent until you have it and send a test.
      </PageHeading>
      <EndpointForm
        submitLabel="Add endpoint"
        isPending={add.isPending}
        error={add.error}
        onSubmit={draft => add.mutate(draft, { onSuccess: setAdded })}
        onCancel={() => navigate('/webhooks')}
      />
    </>
  )
}

/** The secret, and the test that activates the endpoint: the receiver needs the secret to verify the test. */
function AddedEndpoint({ endpoint }: { endpoint: NewAccountEndpoint }) {
  const { test } = useEndpointMutations(endpoint.id)
  const result = test.data?.test
  const isActive = test.data?.status === 'active'
  return (
    <>
      <PageHeading title="Endpoint added">{endpoint.url}</PageHeading>
      <Section title="1. Signing secret">
        <SigningSecret secret={endpoint.secret} />
      </Section>
      <Section title="2. Test">
        <Text size="sm">
          Configure your receiver with the secret, then send a test. The endpoint is activated if it responds
          with status 200 to 299.
        </Text>
        <div role="status">{result && <TestResult test={result} />}</div>
        {test.error && <ErrorNotice error={test.error} />}
        <Group justify="flex-end" mt="md">
          <Button
            component={Link}
            href={`/webhooks/${endpoint.id}`}
            variant={isActive ? 'filled' : 'default'}
          >
            {isActive ? 'Done' : 'Test later'}
          </Button>
          {!isActive && (
            <Button loading={test.isPending} onClick={() => test.mutate()}>
              Send test and activate
            </Button>
          )}
        </Group>
      </Section>
    </>
  )
}
