import type { EndpointDraft } from '@chancery/contract'
import { webhooks } from '@chancery/contract'
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { draftOf, type EndpointFormValues, emptyFormValues } from './draft.ts'
import { EventPicker } from './event-picker.tsx'
import { IdsInput } from './ids-input.tsx'

interface Props {
  initial?: EndpointFormValues
  submitLabel: string
  isPending: boolean
  error: unknown
  onSubmit: (draft: EndpointDraft) => void
  onCancel: () => void
}

export function EndpointForm({
  initial = emptyFormValues,
  submitLabel,
  isPending,
  error,
  onSubmit,
  onCancel,
}: Props) {
  const { webhooks_allow_local } = usePageInfo()
  const [draft, setDraft] = useState(initial)
  const write = (change: Partial<EndpointFormValues>) => setDraft({ ...draft, ...change })
  const hearsNothing = draft.types?.length === 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit(draftOf(draft))
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <Section title="Where to">
          <Stack>
            <TextInput
              type="url"
              label="URL"
              description={
                webhooks_allow_local
                  ? 'Where messages are posted. Here also http, and addresses of this machine.'
                  : 'Where messages are posted: https, at a public address.'
              }
              placeholder="https://bot.example/webhooks"
              required
              withAsterisk={false}
              maxLength={webhooks.urlLengthMax}
              value={draft.url}
              onChange={event => write({ url: event.currentTarget.value })}
            />
            <TextInput
              label="Description (optional)"
              maxLength={webhooks.descriptionLengthMax}
              value={draft.description}
              onChange={event => write({ description: event.currentTarget.value })}
            />
          </Stack>
        </Section>
        <Section title="What it hears">
          <Stack>
            <EventPicker types={draft.types} onChange={types => write({ types })} />
            <IdsInput kind="nation" value={draft.nationIds} onChange={nationIds => write({ nationIds })} />
            <IdsInput
              kind="alliance"
              value={draft.allianceIds}
              onChange={allianceIds => write({ allianceIds })}
            />
          </Stack>
        </Section>
        {Boolean(error) && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={hearsNothing || draft.url.trim() === ''}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
