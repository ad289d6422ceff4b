import type { Contract, Exploration, PublicOf } from '@chancery/contract'
import { Anchor, Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { readError } from '../api/api-error.ts'
import { useApiQuery } from '../api/context.ts'
import { queryString } from '../api/request.ts'
import { useNation } from '../session/use-session.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import classes from './explore.module.css'
import { FieldTable } from './field-table.tsx'

type ResourceName = Exploration['resource']

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
      {found => <FieldTable of={found} />}
    </QueryView>
  )
}

function SearchBox({ onSelect }: { onSelect: (subject: Subject) => void }) {
  const [resource, setResource] = useState<ResourceName>('nation')
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 250)
  const results = useQuery({
    queryKey: ['search', resource, search],
    queryFn: () => searchPublicApi(resource, search),
    enabled: search !== '',
    placeholderData: (previous, query) => (query?.queryKey[1] === resource ? previous : undefined),
  })
  const select = (id: string) => {
    setText('')
    onSelect({ resource, id })
  }
  return (
    <search>
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
        <TextInput
          type="search"
          label="Search"
          placeholder={resource === 'nation' ? 'Nation or leader' : 'Name or tag'}
          maxLength={100}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
        />
      </div>
      {text.trim() !== '' && results.error && <ErrorNotice error={results.error} />}
      {text.trim() !== '' && results.data && (
        <div aria-live="polite" className={classes.results}>
          {results.data.length === 0 ? (
            <Empty>No results.</Empty>
          ) : (
            <ul aria-label="Search results">
              {results.data.map(({ id, name, detail }) => (
                <li key={id}>
                  <button type="button" onClick={() => select(id)}>
                    <bdi>{name}</bdi> <span>{detail}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </search>
  )
}

type Nation = PublicOf<Contract['resources']['nation']>
type Alliance = PublicOf<Contract['resources']['alliance']>

/** Searches by the public API, without credentials. `detail` is the nation's leader or the alliance's tag. */
async function searchPublicApi(resource: ResourceName, search: string) {
  const res = await fetch(`/api/v1/${resource}s${queryString({ search, limit: 10 })}`, {
    credentials: 'omit',
  })
  if (!res.ok) throw await readError(res)
  const { data }: { data: (Nation | Alliance)[] } = await res.json()
  return data.map(found =>
    'nation_name' in found
      ? { id: found.id, name: found.nation_name, detail: found.leader_name }
      : { id: found.id, name: found.name, detail: found.tag },
  )
}
