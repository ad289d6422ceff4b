import { type AccountEndpoint, type EndpointDraft, webhooks } from '@chancery/contract'
import { Button, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useNation } from '../session/use-session.ts'
import { DialogFooter } from '../ui/dialog.tsx'
import { Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { EventPicker } from './event-picker.tsx'
import classes from './webhooks.module.css'

interface Props {
  /** The endpoint to edit; none to add one. */
  endpoint?: AccountEndpoint
  submitLabel: string
  isPending: boolean
  error: unknown
  onSubmit: (draft: EndpointDraft) => void
  onCancel: () => void
}

export function EndpointForm({ endpoint, submitLabel, isPending, error, onSubmit, onCancel }: Props) {
  const { webhooks_allow_local } = usePageInfo()
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [types, setTypes] = useState(endpoint?.types ?? null)
  const [nationIds, setNationIds] = useState(endpoint?.nation_ids?.join(' ') ?? '')
  const [allianceIds, setAllianceIds] = useState(endpoint?.alliance_ids?.join(' ') ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit({
      url: url.trim(),
      description: description.trim(),
      types,
      nation_ids: parseIds(nationIds),
      alliance_ids: parseIds(allianceIds),
    })
  }
  return (
    <form onSubmit={submit}>
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
              maxLength={webhooks.urlLengthMax}
              value={url}
              onChange={event => setUrl(event.currentTarget.value)}
            />
            <TextInput
              label="Description (optional)"
              maxLength={webhooks.descriptionLengthMax}
              value={description}
              onChange={event => setDescription(event.currentTarget.value)}
            />
          </Stack>
        </Section>
        <Section title="Events">
          <Stack>
            <EventPicker types={types} onChange={setTypes} />
            <IdsInput kind="nation" value={nationIds} onChange={setNationIds} />
            <IdsInput kind="alliance" value={allianceIds} onChange={setAllianceIds} />
          </Stack>
        </Section>
        <DialogFooter error={error} onCancel={onCancel}>
          <Button type="submit" loading={isPending} disabled={types?.length === 0 || url.trim() === ''}>
            {submitLabel}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}

const splitIds = (text: string) => text.split(/[\s,;]+/).filter(Boolean)

/** Null, for all, where the text has no id. */
const parseIds = (text: string) => {
  const ids = [...new Set(splitIds(text))]
  return ids.length > 0 ? ids : null
}

interface IdsInputProps {
  kind: 'nation' | 'alliance'
  value: string
  onChange: (value: string) => void
}

function IdsInput({ kind, value, onChange }: IdsInputProps) {
  const nation = useNation()
  const ownId = kind === 'nation' ? nation?.nation_id : nation?.alliance?.alliance_id
  return (
    <div className={classes.ids}>
      <TextInput
        label={kind === 'nation' ? 'Nations (optional)' : 'Alliances (optional)'}
        description={`Sends only events about one of these ${kind}s. Separate IDs with spaces.`}
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
      />
      {ownId !== undefined && !splitIds(value).includes(ownId) && (
        <Button variant="default" onClick={() => onChange(`${value} ${ownId}`.trim())}>
          Add my {kind}
        </Button>
      )}
    </div>
  )
}
