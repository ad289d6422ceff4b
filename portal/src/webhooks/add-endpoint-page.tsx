import type { NewAccountEndpoint } from '@chancery/contract'
import { Alert, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { PageHeading } from '../ui/page-heading.tsx'
import { Section } from '../ui/section.tsx'
import { describeTest } from './descriptions.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { useAddEndpoint } from './use-webhooks.ts'

export function AddEndpointPage() {
  const add = useAddEndpoint()
  const [, navigate] = useLocation()
  const [added, setAdded] = useState<NewAccountEndpoint | null>(null)

  if (added) {
    const { has_arrived } = added.test
    return (
      <>
        <PageHeading title="Endpoint added" />
        <Alert
          color={has_arrived ? 'teal' : 'orange'}
          variant="light"
          title={has_arrived ? 'Test delivered' : 'Test failed'}
        >
          {describeTest(added.test)}
          {!has_arrived &&
            ' No events are sent until a test succeeds. Fix the endpoint, then send another test from its page.'}
        </Alert>
        <Section title="Signing secret">
          <SigningSecret secret={added.secret} />
          <Group justify="flex-end" mt="md">
            <Button component={Link} href={`/webhooks/${added.id}`}>
              Done
            </Button>
          </Group>
        </Section>
      </>
    )
  }
  return (
    <>
      <PageHeading title="Add endpoint">
        A test event is sent immediately. Other events follow once the endpoint has responded to a test with
        status 200 to 299.
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
