import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { RequestTable } from './request-table.tsx'
import classes from './usage.module.css'
import { useLoggedRequests } from './use-usage.ts'

/** Finds one of the player's own calls by what the bot has logged of it. */
export function FindRequest() {
  const [text, setText] = useState('')
  const [searched, setSearched] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSearched(text.trim())
  }
  return (
    <Section
      title="Find a call"
      lead="Every answer carries its request id, in the header x-request-id and in every error. Calls with any of your keys are found."
    >
      <form onSubmit={submit} className={classes.find}>
        <TextInput
          label="Request id"
          autoComplete="off"
          spellCheck={false}
          maxLength={64}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={text.trim() === ''}>
          Find
        </Button>
      </form>
      {searched && <RequestSearchResult requestId={searched} />}
    </Section>
  )
}

function RequestSearchResult({ requestId }: { requestId: string }) {
  const calls = useLoggedRequests({ requestId })
  return (
    <div className={classes.found} aria-live="polite">
      <QueryView query={calls} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>None of your calls of the last seven days has this id.</Empty>
          ) : (
            <RequestTable caption="Call found" calls={data} showsKey />
          )
        }
      </QueryView>
    </div>
  )
}
