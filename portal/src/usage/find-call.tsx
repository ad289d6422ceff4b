import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Loaded } from '../page/loaded.tsx'
import { Empty, Section } from '../page/section.tsx'
import { CallTable } from './call-table.tsx'
import classes from './usage.module.css'
import { useCalls } from './use-usage.ts'

/** Finds one of the player's own calls by what the bot has logged of it. */
export function FindCall() {
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
      {searched && <Found requestId={searched} />}
    </Section>
  )
}

function Found({ requestId }: { requestId: string }) {
  const calls = useCalls({ requestId })
  return (
    <div className={classes.found} aria-live="polite">
      <Loaded query={calls} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>None of your calls of the last seven days has this id.</Empty>
          ) : (
            <CallTable caption="Call found" calls={data} showsKey />
          )
        }
      </Loaded>
    </div>
  )
}
