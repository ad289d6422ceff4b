import { NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Section } from '../ui/section.tsx'
import { KeySelect } from './key-select.tsx'
import { type Operation, useOperations } from './operations.ts'
import { RequestForm } from './request-form.tsx'
import { usePlaygroundKey } from './use-playground-key.ts'

/** Sends requests to the public API from the browser. */
export function PlaygroundPage() {
  const operations = useOperations()
  return (
    <>
      <PageHeading title="Playground">
        Send a request to the API and see the response. Requests from here count towards the rate limits.
      </PageHeading>
      <QueryView query={operations} rows={3} rowHeight={96}>
        {found => <Playground operations={found} />}
      </QueryView>
    </>
  )
}

function Playground({ operations }: { operations: Operation[] }) {
  const [id, setId] = useState(operations[0]?.id ?? '')
  const key = usePlaygroundKey()
  const operation = operations.find(known => known.id === id)
  return (
    <>
      <Section title="Request">
        <Stack>
          <NativeSelect
            label="Operation"
            value={id}
            onChange={event => setId(event.currentTarget.value)}
            data={optionGroups(operations)}
          />
          <KeySelect selected={key} />
        </Stack>
      </Section>
      {operation && <RequestForm key={id} operation={operation} selectedKey={key} />}
    </>
  )
}

const optionGroups = (operations: Operation[]) =>
  [...Map.groupBy(operations, ({ tag }) => tag)].map(([group, items]) => ({
    group,
    items: items.map(({ id, summary, path }) => ({ value: id, label: `${summary} (${path})` })),
  }))
