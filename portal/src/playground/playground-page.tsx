import { NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Section } from '../ui/section.tsx'
import { KeyChoice, type SelectedKey } from './key-choice.tsx'
import { type Operation, useOperations } from './operations.ts'
import { RequestForm } from './request-form.tsx'

/** Calls the API from the page, as a bot would. */
export function PlaygroundPage() {
  const operations = useOperations()
  return (
    <>
      <PageHeading title="Try it">
        Send a call to the API and read its answer. Calls made here count like any other.
      </PageHeading>
      <QueryView query={operations} rows={3} rowHeight={96}>
        {found => <Playground operations={found} />}
      </QueryView>
    </>
  )
}

function Playground({ operations }: { operations: Operation[] }) {
  const [id, setId] = useState(operations[0]?.id ?? '')
  // Held here and nowhere else: it is gone with the page.
  const [held, setHeld] = useState<SelectedKey>({ isUsed: false, key: '', temporaryUntil: null })
  const operation = operations.find(known => known.id === id)
  return (
    <>
      <Section title="Call">
        <Stack>
          <NativeSelect
            label="Operation"
            value={id}
            onChange={event => setId(event.currentTarget.value)}
            data={groupsOf(operations)}
          />
          <KeyChoice held={held} onChange={setHeld} />
        </Stack>
      </Section>
      {operation && <RequestForm key={id} operation={operation} held={held} />}
    </>
  )
}

const groupsOf = (operations: Operation[]) =>
  [...Map.groupBy(operations, ({ tag }) => tag)].map(([group, items]) => ({
    group,
    items: items.map(({ id, summary, path }) => ({ value: id, label: `${summary} (${path})` })),
  }))
