import { type AccountEndpoint, type EndpointDraft, webhooks } from '@chancery/contract'
import { Button, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { fieldErrorOf } from '../api/api-error.ts'
import { DialogFooter } from '../ui/dialog.tsx'
import { Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { EventPicker } from './event-picker.tsx'
import { ResourcePicker } from './resource-picker.tsx'

interface Props {
  /** The endpoint to edit; none to add one. */
  endpoint?: AccountEndpoint
  submitLabel: string
  isPending: boolean
  error: unknown
  onSubmit: (draft: EndpointDraft) => void
  onCancel: () => void
}

const fields = ['url', 'description', 'types', 'nation_ids', 'alliance_ids'] as const
type Field = (typeof fields)[number]
type Problems = Partial<Record<Field, string>>

/** The form of an endpoint. What is wrong with a field, by its own rules or by the server's, is said beside it. */
export function EndpointForm({ endpoint, submitLabel, isPending, error, onSubmit, onCancel }: Props) {
  const { webhooks_allow_local } = usePageInfo()
  const [draft, setDraft] = useState<EndpointDraft>({
    url: endpoint?.url ?? '',
    description: endpoint?.description ?? '',
    types: endpoint?.types ?? null,
    nation_ids: endpoint?.nation_ids ?? null,
    alliance_ids: endpoint?.alliance_ids ?? null,
  })
  const [problems, setProblems] = useState<Problems>({})
  // A message disappears when its field is edited.
  const [edited, setEdited] = useState<Field[]>([])
  const set = (change: Partial<EndpointDraft>) => {
    setDraft({ ...draft, ...change })
    setEdited([...edited, ...fields.filter(field => field in change)])
  }
  const problemOf = (field: Field) =>
    edited.includes(field) ? undefined : (problems[field] ?? fieldErrorOf(error, field))
  const isAboutField = fields.some(field => fieldErrorOf(error, field) !== undefined)

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const trimmed = { ...draft, url: draft.url.trim(), description: draft.description.trim() }
    const found = problemsOf(trimmed)
    setProblems(found)
    setEdited([])
    if (Object.keys(found).length === 0) onSubmit(trimmed)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <Section title="Endpoint">
          <Stack>
            <TextInput
              type="url"
              label="URL"
              description={
                webhooks_allow_local
                  ? 'An http or https URL. Addresses of this machine are allowed.'
                  : 'An https URL with a public address.'
              }
              placeholder="https://bot.example/webhooks"
              required
              withAsterisk={false}
              error={problemOf('url')}
              value={draft.url}
              onChange={event => set({ url: event.currentTarget.value })}
            />
            <TextInput
              label="Description (optional)"
              error={problemOf('description')}
              value={draft.description}
              onChange={event => set({ description: event.currentTarget.value })}
            />
          </Stack>
        </Section>
        <Section title="Events">
          <Stack>
            <EventPicker types={draft.types} error={problemOf('types')} onChange={types => set({ types })} />
            <ResourcePicker
              resource="nation"
              ids={draft.nation_ids ?? []}
              error={problemOf('nation_ids')}
              onChange={ids => set({ nation_ids: orAll(ids) })}
            />
            <ResourcePicker
              resource="alliance"
              ids={draft.alliance_ids ?? []}
              error={problemOf('alliance_ids')}
              onChange={ids => set({ alliance_ids: orAll(ids) })}
            />
          </Stack>
        </Section>
        <DialogFooter error={isAboutField ? null : error} onCancel={onCancel}>
          <Button type="submit" loading={isPending}>
            {submitLabel}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}

/** Without a nation or an alliance the filter is for all. */
const orAll = (ids: string[]) => (ids.length > 0 ? ids : null)

/** What the form checks itself; the server checks the rest. */
function problemsOf({ url, description, types }: EndpointDraft): Problems {
  const { urlLengthMax, descriptionLengthMax } = webhooks
  const urlProblem =
    url === ''
      ? 'Enter the URL of your receiver.'
      : url.length > urlLengthMax && `Enter a URL of at most ${urlLengthMax} characters.`
  return {
    ...(urlProblem && { url: urlProblem }),
    ...(description.length > descriptionLengthMax && {
      description: `Enter at most ${descriptionLengthMax} characters.`,
    }),
    ...(types?.length === 0 && { types: 'Select at least one event.' }),
  }
}
