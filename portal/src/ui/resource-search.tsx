import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type NamedResource, type ResourceName, useResourceSearch } from '../api/resources.ts'
import { ErrorNotice } from './error-notice.tsx'
import classes from './resource-search.module.css'
import { Empty } from './section.tsx'

interface Props {
  resource: ResourceName
  label: string
  description?: ReactNode
  error?: string | undefined
  onSelect: (found: NamedResource) => void
}

/** Finds a nation or an alliance by name. */
export function ResourceSearch({ resource, label, description, error, onSelect }: Props) {
  const [text, setText] = useState('')
  const results = useResourceSearch(resource, text)
  const isSearching = text.trim() !== ''
  const select = (found: NamedResource) => {
    setText('')
    onSelect(found)
  }
  return (
    <search>
      <TextInput
        type="search"
        label={label}
        description={description}
        error={error}
        placeholder={resource === 'nation' ? 'Nation or leader' : 'Name or tag'}
        autoComplete="off"
        maxLength={100}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        onKeyDown={event => {
          // Within a form, Enter would submit it.
          if (event.key === 'Enter') event.preventDefault()
        }}
      />
      {isSearching && results.error && <ErrorNotice error={results.error} />}
      {isSearching && results.data && (
        <div aria-live="polite" className={classes.results}>
          {results.data.length === 0 ? (
            <Empty>No results.</Empty>
          ) : (
            <ul aria-label="Search results">
              {results.data.map(found => (
                <li key={found.id}>
                  <button type="button" onClick={() => select(found)}>
                    <bdi>{found.name}</bdi> <span>{found.detail}</span>
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
