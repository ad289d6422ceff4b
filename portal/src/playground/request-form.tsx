import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { InlineCode } from '../ui/inline-code.tsx'
import { Section } from '../ui/section.tsx'
import { isKeyText, type SelectedKey } from './key-select.tsx'
import type { Operation } from './operations.ts'
import classes from './playground.module.css'
import { ResponseView } from './response-view.tsx'
import { buildTarget, useApiRequest, type Values } from './use-request.ts'

interface Props {
  operation: Operation
  selectedKey: SelectedKey
}

/** The parameters of an operation, and the response below. */
export function RequestForm({ operation, selectedKey }: Props) {
  const { send, isPending, result } = useApiRequest()
  const [values, setValues] = useState<Values>({})
  const isMissingKey = selectedKey.isUsed && !isKeyText(selectedKey.key)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send(buildTarget(operation, values), selectedKey.isUsed ? selectedKey.key : null)
  }
  return (
    <>
      <Section title={operation.summary} lead={<code className={classes.path}>GET {operation.path}</code>}>
        <form onSubmit={submit}>
          <Stack>
            {operation.parameters.length === 0 && <Text size="sm">No parameters.</Text>}
            <div className={classes.parameters}>
              {operation.parameters.map(({ name, description, isRequired, example }) => (
                <TextInput
                  key={name}
                  label={name}
                  description={<InlineCode text={description} />}
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
              {operation.requiresKey && !selectedKey.isUsed && (
                <Text size="sm">This operation requires an API key.</Text>
              )}
              {isMissingKey && <Text size="sm">Enter or create a key first.</Text>}
              <Button type="submit" loading={isPending} disabled={isMissingKey}>
                Send
              </Button>
            </Group>
          </Stack>
        </form>
      </Section>
      {result &&
        ('error' in result ? (
          <ErrorNotice error={result.error} title="No response" />
        ) : (
          <ResponseView {...result} />
        ))}
    </>
  )
}
