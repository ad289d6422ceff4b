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
import { type ApiResponse, curlCommand } from './use-request.ts'

interface Props {
  response: ApiResponse
  target: string
  hasKey: boolean
}

export function ResponseView({ response, target, hasKey }: Props) {
  const { status, statusText, durationMs, headers, body } = response
  const { api_url } = usePageInfo()
  const requestId = headers.get('x-request-id')
  const limits = [...headers].filter(([name]) => name.startsWith('x-ratelimit-') || name === 'retry-after')
  return (
    <Section
      title="Response"
      action={requestId && <CopyButton text={requestId} label="Copy request ID" size="xs" />}
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
            ['Duration', `${durationMs} ms`],
            ...(requestId ? [requestIdItem(requestId, hasKey && status !== 401)] : []),
            ...limits,
          ]}
        />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to be reachable by keyboard */}
        <section className={classes.body} tabIndex={0} aria-label="Body">
          <pre>{body || '(empty)'}</pre>
        </section>
        <OneTimeSecret
          label="curl command"
          text={curlCommand(api_url, target, hasKey)}
          copyLabel="Copy command"
        />
      </Stack>
    </Section>
  )
}

/** Usage lists only requests with a valid key. */
const requestIdItem = (requestId: string, isInUsage: boolean): [string, ReactNode] => [
  'x-request-id',
  <span key="id">
    <code className={classes.id}>{requestId}</code>{' '}
    {isInUsage && (
      <Anchor component={Link} href="/usage" inherit underline="always">
        View in usage
      </Anchor>
    )}
  </span>,
]
