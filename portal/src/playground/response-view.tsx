import { Anchor, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { CopyButton } from '../ui/copy-button.tsx'
import { DescriptionList } from '../ui/description-list.tsx'
import { OneTimeSecret } from '../ui/one-time-secret.tsx'
import { Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { StatusCode } from '../usage/status-code.tsx'
import classes from './playground.module.css'
import { type ApiResponse, curlCommand } from './request.ts'

interface Props {
  answer: ApiResponse
  target: string
  hasKey: boolean
}

export function ResponseView({
  answer: { status, statusText, durationMs: tookMs, headers, body },
  target,
  hasKey,
}: Props) {
  const { api_url } = usePageInfo()
  const requestId = headers.get('x-request-id')
  const limits = [...headers].filter(([name]) => name.startsWith('x-ratelimit-') || name === 'retry-after')
  return (
    <Section
      title="Answer"
      action={requestId && <CopyButton text={requestId} label="Copy request id" size="xs" />}
    >
      <Stack>
        <DescriptionList
          items={[
            [
              'Status',
              <span key="status">
                <StatusCode status={status} /> {statusText}
              </span>,
            ],
            ['Time', `${tookMs} ms`],
            ...(requestId ? [requestIdFact(requestId, hasKey && status !== 401)] : []),
            ...limits,
          ]}
        />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard too */}
        <section className={classes.body} tabIndex={0} aria-label="Body">
          <pre>{body || '(empty)'}</pre>
        </section>
        <OneTimeSecret
          label="The same call in a shell"
          text={curlCommand(api_url, target, hasKey)}
          copyLabel="Copy command"
        />
      </Stack>
    </Section>
  )
}

/** Only calls with a key that works are found among a player's calls. */
const requestIdFact = (requestId: string, isInUsage: boolean): [string, ReactNode] => [
  'x-request-id',
  <span key="id">
    <code className={classes.id}>{requestId}</code>{' '}
    {isInUsage && (
      <Anchor component={Link} href="/usage" inherit underline="always">
        Find it in usage
      </Anchor>
    )}
  </span>,
]
