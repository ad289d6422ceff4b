import { NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { Loaded } from '../page/loaded.tsx'
import { PageHeading } from '../page/page-heading.tsx'
import { Section } from '../page/section.tsx'
import { CallForm } from './call-form.tsx'
import { type HeldKey, KeyChoice } from './key-choice.tsx'
import { type Operation, useOperations } from './operations.ts'

/** Calls the API from the page, as a bot would. */
export function TryPage() {
  const operations = useOperations()
  return (
    <>
      <PageHeading title="Try it">
        Send a call to the API and read its answer. Calls made here count like any other.
      </PageHeading>
      <Loaded query={operations} rows={3} rowHeight={96}>
        {found => <Trial operations={found} />}
      </Loaded>
    </>
  )
}

function Trial({ operations }: { operations: Operation[] }) {
  const [id, setId] = useState(operations[0]?.id ?? '')
  // Held here and nowhere else: it is gone with the page.
  const [held, setHeld] = useState<HeldKey>({ isUsed: false, key: '', madeUntil: null })
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
      {operation && <CallForm key={id} operation={operation} held={held} />}
    </>
  )
}

const groupsOf = (operations: Operation[]) =>
  [...Map.groupBy(operations, ({ tag }) => tag)].map(([group, items]) => ({
    group,
    items: items.map(({ id, summary, path }) => ({ value: id, label: `${summary} (${path})` })),
  }))
