import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Description } from '../explore/description.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { Section } from '../ui/section.tsx'
import { isKeyText, type SelectedKey } from './key-choice.tsx'
import type { Operation } from './operations.ts'
import classes from './playground.module.css'
import { buildTarget, type Values } from './request.ts'
import { ResponseView } from './response-view.tsx'
import { useApiRequest } from './use-request.ts'

interface Props {
  operation: Operation
  held: SelectedKey
}

/** What an operation is asked, and below it what it has answered. */
export function RequestForm({ operation, held }: Props) {
  const { call, isPending, outcome } = useApiRequest()
  const [values, setValues] = useState<Values>({})
  const isMissingKey = held.isUsed && !isKeyText(held.key)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void call(buildTarget(operation, values), held.isUsed ? held.key : null)
  }
  return (
    <>
      <Section title={operation.summary} lead={<code className={classes.path}>GET {operation.path}</code>}>
        <form onSubmit={submit}>
          <Stack>
            {operation.parameters.length === 0 && <Text size="sm">It takes no parameters.</Text>}
            <div className={classes.parameters}>
              {operation.parameters.map(({ name, description, isRequired, example }) => (
                <TextInput
                  key={name}
                  label={name}
                  description={<Description text={description} />}
                  placeholder={example}
                  required={isRequired}
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
                  value={values[name] ?? ''}
                  onChange={event => setValues({ ...values, [name]: event.currentTarget.value })}
                />
              ))}
            </div>
            <Group justify="flex-end">
              {operation.needsKey && !held.isUsed && <Text size="sm">Without a key it is refused.</Text>}
              {isMissingKey && <Text size="sm">Paste or make a key first.</Text>}
              <Button type="submit" loading={isPending} disabled={isMissingKey}>
                Send
              </Button>
            </Group>
          </Stack>
        </form>
      </Section>
      {outcome &&
        ('error' in outcome.result ? (
          <ErrorNotice error={outcome.result.error} title="There was no answer" />
        ) : (
          <ResponseView answer={outcome.result.answer} target={outcome.target} hasKey={outcome.hasKey} />
        ))}
    </>
  )
}
