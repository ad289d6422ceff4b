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
          title={has_arrived ? 'It answered the test' : 'It hears nothing yet'}
        >
          {describeTest(added.test)}
          {!has_arrived &&
            ' Events are sent once a test has been answered with 200 to 299: send another from its page.'}
        </Alert>
        <Section title="Its secret">
          <SigningSecret secret={added.secret} />
          <Group justify="flex-end" mt="md">
            <Button component={Link} href={`/webhooks/${added.id}`}>
              I have copied it
            </Button>
          </Group>
        </Section>
      </>
    )
  }
  return (
    <>
      <PageHeading title="Add endpoint">
        A test is sent at once. Until one has been answered with 200 to 299, no event is.
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
