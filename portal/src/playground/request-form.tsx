import { Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { Section } from '../ui/section.tsx'
import type { Operation } from './operations.ts'
import { ParameterInput } from './parameter-input.tsx'
import classes from './playground.module.css'
import { ResponseView } from './response-view.tsx'
import type { PlaygroundKey } from './use-playground-key.ts'
import { buildTarget, useApiRequest, type Values } from './use-request.ts'

interface Props {
  operation: Operation
  selectedKey: PlaygroundKey
}

/** The parameters of an operation, and the response below. */
export function RequestForm({ operation, selectedKey }: Props) {
  const { send, isPending, result } = useApiRequest()
  const [values, setValues] = useState<Values>({})
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send(buildTarget(operation, values), selectedKey)
  }
  return (
    <>
      <Section title={operation.summary} lead={<code className={classes.path}>GET {operation.path}</code>}>
        <form onSubmit={submit}>
          <Stack>
            {operation.parameters.length === 0 && <Text size="sm">No parameters.</Text>}
            <div className={classes.parameters}>
              {operation.parameters.map(parameter => (
                <ParameterInput
                  key={parameter.name}
                  parameter={parameter}
                  value={values[parameter.name] ?? ''}
                  onChange={value => setValues({ ...values, [parameter.name]: value })}
                />
              ))}
            </div>
            <Group justify="flex-end">
              {operation.requiresKey && !selectedKey.hasKey && (
                <Text size="sm">This operation requires an API key.</Text>
              )}
              {selectedKey.missing && <Text size="sm">{selectedKey.missing}</Text>}
              <Button type="submit" loading={isPending} disabled={selectedKey.missing !== null}>
                Send
              </Button>
            </Group>
          </Stack>
        </form>
      </Section>
      {result &&
        ('error' in result ? (
          <ErrorNotice error={result.error} title="The request failed" />
        ) : (
          <ResponseView {...result} />
        ))}
    </>
  )
}
