import type { ActiveCode, RedeemedCode } from '@chancery/contract'
import { Alert, Badge, Button, Text } from '@mantine/core'
import { useNation } from '../session/use-session.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { GuideLink } from '../ui/guides.tsx'
import { CheckIcon, WarnIcon } from '../ui/icons.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { ExactTime, formatCountdown, formatTime, TimeAgo, useNow } from '../ui/time.tsx'
import { CodePanel } from './code-panel.tsx'
import { useCancelCode, useCodes, useDisplayedCode, useSetDisplayedCode } from './use-codes.ts'
import classes from './verify-page.module.css'

/** Creates the codes by which a chat bot verifies the player's nation. */
export function VerifyPage() {
  const codes = useCodes()
  return (
    <>
      <PageHeading title="Verify">
        Prove to a chat bot that your nation is yours: create a code and enter it in the bot’s verify command.
      </PageHeading>
      <div className={classes.top}>
        <CodePanel codes={codes.data} />
        <SharedData />
      </div>
      <Section title="Active codes">
        <QueryView query={codes} rows={1}>
          {({ live, live_max }) => <ActiveCodes codes={live} max={live_max} />}
        </QueryView>
      </Section>
      <Section title="Redeemed in the last 30 days">
        <QueryView query={codes} rows={2}>
          {({ redeemed }) => (
            <RecordTable
              caption="Codes redeemed in the last 30 days"
              columns={redeemedColumns}
              rows={redeemed}
              rowKey={({ id }) => id}
              empty={
                <>
                  No redeemed codes. <GuideLink guide="verify-a-nation">How verification works</GuideLink>
                </>
              }
            />
          )}
        </QueryView>
      </Section>
    </>
  )
}

/** The data that a bot reads by redeeming a code. */
function SharedData() {
  const nation = useNation()
  const items: [label: string, name?: string | undefined, suffix?: string][] = [
    ['Your nation', nation?.nation_name],
    ['Its leader', nation?.leader_name],
    ['Its score'],
    ['Your alliance', nation?.alliance?.name, ', and your rank there'],
  ]
  return (
    <Section title="Shared with the bot">
      <ul className={classes.sharedData}>
        {items.map(([label, name, suffix]) => (
          <li key={label}>
            <CheckIcon size={16} />
            <span>
              {label}
              {/* Isolated, so that text direction controls in a name affect only the name. */}
              {name && (
                <>
                  : <bdi>{name}</bdi>
                </>
              )}
              {suffix}
            </span>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed" mb="md">
        The bot cannot read your units or your treasury, and cannot act in the game.
      </Text>
      <Alert
        color="orange"
        variant="light"
        icon={<WarnIcon />}
        title="Only enter the code in the bot’s command"
      >
        Never send it in a private message, even to a moderator. Anyone with the code can impersonate you.
      </Alert>
    </Section>
  )
}

/** The browser's clock may be behind: the remaining time is at most the whole lifetime. */
const lifetimeMs = ({ created_at, expires_at }: ActiveCode) => Date.parse(expires_at) - Date.parse(created_at)

function ActiveCodes({ codes, max }: { codes: ActiveCode[]; max: number }) {
  const now = useNow(1000, codes.length > 0)
  const cancel = useCancelCode()
  const displayed = useDisplayedCode()
  const setDisplayed = useSetDisplayedCode()

  const columns: Column<ActiveCode>[] = [
    {
      label: 'Created',
      render: ({ created_at, id }) => (
        <>
          <TimeAgo time={created_at} /> {id === displayed?.id && <Badge variant="light">shown above</Badge>}
        </>
      ),
    },
    {
      label: 'Expires in',
      render: code => formatCountdown(Math.min(lifetimeMs(code), Date.parse(code.expires_at) - now)),
    },
    { label: 'Chat account', render: ({ bound_to }) => bound_to ?? 'Any chat account' },
    {
      label: 'Cancel',
      render: ({ id, created_at }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Cancel the code created ${formatTime(created_at)}`}
          loading={cancel.isPending && cancel.variables === id}
          onClick={() => cancel.mutate(id, { onSuccess: () => id === displayed?.id && setDisplayed(null) })}
        >
          Cancel
        </Button>
      ),
    },
  ]
  if (codes.length === 0)
    return (
      <Empty>
        No active codes. <GuideLink guide="verify-a-nation">How verification works</GuideLink>
      </Empty>
    )
  return (
    <>
      {cancel.error && <ErrorNotice error={cancel.error} />}
      <RecordTable caption="Active codes" columns={columns} rows={codes} rowKey={({ id }) => id} />
      <Text size="sm" c="dimmed" mt="sm">
        A code is shown only when it is created. You can have up to {max} active codes.
      </Text>
    </>
  )
}

const redeemedColumns: Column<RedeemedCode>[] = [
  { label: 'Redeemed', render: ({ redeemed_at }) => <TimeAgo time={redeemed_at} /> },
  {
    label: 'By',
    render: ({ with_key }) => (with_key ? 'Bot with an API key' : 'Client without an API key'),
  },
  { label: 'Chat account', render: ({ bound_to }) => bound_to ?? 'Not recorded' },
  { label: 'Created', render: ({ created_at }) => <ExactTime time={created_at} /> },
]
