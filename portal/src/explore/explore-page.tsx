import { Anchor, Button, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useApiQuery } from '../api/context.ts'
import type { ResourceName } from '../api/resources.ts'
import { useNation } from '../session/use-session.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { ResourceSearch } from '../ui/resource-search.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import classes from './explore.module.css'
import { FieldTable, nameOf } from './field-table.tsx'
import { History } from './history.tsx'

interface Subject {
  resource: ResourceName
  id: string
}

/** What others can read of a nation or an alliance. The URL identifies it, so that the browser's back button works. */
export function ExplorePage() {
  const nation = useNation()
  const { docs_url } = usePageInfo()
  const [, navigate] = useLocation()
  const [parameters] = useSearchParams()
  const show = ({ resource, id }: Subject) =>
    navigate(`/explore?${new URLSearchParams({ kind: resource, id })}`)

  const ownNation: Subject | null = nation && { resource: 'nation', id: nation.nation_id }
  const own: [label: string, Subject | null][] = [
    ['My nation', ownNation],
    ['My alliance', nation?.alliance ? { resource: 'alliance', id: nation.alliance.alliance_id } : null],
  ]
  const id = parameters.get('id')
  const selected: Subject | null = id
    ? { resource: parameters.get('kind') === 'alliance' ? 'alliance' : 'nation', id }
    : null
  const subject = selected ?? ownNation
  const isShown = (other: Subject) => other.resource === subject?.resource && other.id === subject.id

  return (
    <>
      <PageHeading title="Explore">
        Compare which fields of a nation or an alliance others can read, and which only you can. The API
        applies the same rules.{' '}
        <Anchor href={docs_url} inherit underline="always">
          Read the API reference
        </Anchor>
      </PageHeading>
      <Section title="Select a nation or an alliance">
        <Group gap="xs" mb="md">
          {own.map(
            ([label, item]) =>
              item && (
                <Button
                  key={label}
                  variant={isShown(item) ? 'filled' : 'default'}
                  aria-pressed={isShown(item)}
                  onClick={() => show(item)}
                >
                  {label}
                </Button>
              ),
          )}
        </Group>
        <SearchBox onSelect={show} />
      </Section>
      {subject ? <ExploredResource subject={subject} /> : <Empty>Search for a nation or an alliance.</Empty>}
    </>
  )
}

function ExploredResource({ subject: { resource, id } }: { subject: Subject }) {
  const exploration = useApiQuery(['explore', resource, id], request =>
    request('GET /explore', { query: { kind: resource, id } }),
  )
  return (
    <QueryView query={exploration} rows={8} rowHeight={56}>
      {found => (
        <>
          <History key={id} resource={resource} id={id} name={nameOf(found)} />
          <FieldTable of={found} />
        </>
      )}
    </QueryView>
  )
}

function SearchBox({ onSelect }: { onSelect: (subject: Subject) => void }) {
  const [resource, setResource] = useState<ResourceName>('nation')
  return (
    <div className={classes.search}>
      <NativeSelect
        label="Type"
        value={resource}
        onChange={event => setResource(event.currentTarget.value === 'alliance' ? 'alliance' : 'nation')}
        data={[
          { value: 'nation', label: 'Nation' },
          { value: 'alliance', label: 'Alliance' },
        ]}
      />
      <ResourceSearch
        key={resource}
        resource={resource}
        label="Search"
        onSelect={({ id }) => onSelect({ resource, id })}
      />
    </div>
  )
}
