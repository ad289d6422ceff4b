import { limits } from '@chancery/contract'
import { Button, CloseButton } from '@mantine/core'
import { useState } from 'react'
import { type ResourceName, useResourceNames } from '../api/resources.ts'
import { useNation } from '../session/use-session.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { ResourceSearch } from '../ui/resource-search.tsx'
import classes from './webhooks.module.css'

interface Props {
  resource: ResourceName
  ids: string[]
  error: string | undefined
  onChange: (ids: string[]) => void
}

/** Selects the nations or the alliances of a filter by name. */
export function ResourcePicker({ resource, ids, error, onChange }: Props) {
  const nation = useNation()
  const announce = useAnnounce()
  const [found, setFound] = useState<ReadonlyMap<string, string>>(new Map())
  const names = useResourceNames(resource, ids)
  const nameOf = (id: string) => found.get(id) ?? names.get(id) ?? id
  const ownId = resource === 'nation' ? nation?.nation_id : nation?.alliance?.alliance_id
  const isFull = ids.length >= limits.idsMax
  const add = (id: string, name: string) => {
    setFound(new Map([...found, [id, name]]))
    if (!ids.includes(id) && !isFull) onChange([...ids, id])
    announce(`Selected ${name}.`)
  }
  return (
    <div>
      <ResourceSearch
        resource={resource}
        label={resource === 'nation' ? 'Nations (optional)' : 'Alliances (optional)'}
        description={`Sends only events about one of these ${resource}s. Search by name.`}
        error={error ?? (isFull ? `At most ${limits.idsMax} can be selected.` : undefined)}
        onSelect={({ id, name }) => add(id, name)}
      />
      {ids.length > 0 && (
        <ul className={classes.selected} aria-label={`Selected ${resource}s`}>
          {ids.map(id => (
            <li key={id}>
              <bdi>{nameOf(id)}</bdi>
              <CloseButton
                size="sm"
                aria-label={`Remove ${nameOf(id)}`}
                onClick={() => onChange(ids.filter(other => other !== id))}
              />
            </li>
          ))}
        </ul>
      )}
      {ownId !== undefined && !ids.includes(ownId) && !isFull && (
        <Button
          size="compact-sm"
          variant="default"
          mt="xs"
          onClick={() => onChange([...ids, ownId])}
        >{`Add my ${resource}`}</Button>
      )}
    </div>
  )
}
