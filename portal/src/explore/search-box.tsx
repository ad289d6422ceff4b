import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { Empty } from '../ui/section.tsx'
import classes from './explore.module.css'
import { type Kind, type Subject, useSearch } from './use-exploration.ts'

export function SearchBox({ onChoose }: { onChoose: (subject: Subject) => void }) {
  const [kind, setKind] = useState<Kind>('nation')
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 250)
  const found = useSearch(kind, search)
  const choose = (id: string) => {
    setText('')
    onChoose({ kind, id })
  }
  return (
    <search>
      <div className={classes.search}>
        <NativeSelect
          label="Kind"
          value={kind}
          onChange={event => setKind(event.currentTarget.value === 'alliance' ? 'alliance' : 'nation')}
          data={[
            { value: 'nation', label: 'Nation' },
            { value: 'alliance', label: 'Alliance' },
          ]}
        />
        <TextInput
          type="search"
          label="Search for another"
          placeholder={kind === 'nation' ? 'Nation or leader' : 'Name or tag'}
          maxLength={100}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
        />
      </div>
      {text.trim() !== '' && found.error && <ErrorNotice error={found.error} />}
      {text.trim() !== '' && found.data && (
        <div aria-live="polite" className={classes.found}>
          {found.data.length === 0 ? (
            <Empty>None is called that.</Empty>
          ) : (
            <ul aria-label="Found">
              {found.data.map(({ id, name, more }) => (
                <li key={id}>
                  <button type="button" onClick={() => choose(id)}>
                    <bdi>{name}</bdi> <span>{more}</span>
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
