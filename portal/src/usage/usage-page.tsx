import { Anchor, NativeSelect } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { useKeys } from '../keys/use-keys.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty } from '../ui/section.tsx'
import { FindRequest } from './find-request.tsx'
import { KeyUsageView } from './key-usage-view.tsx'

/** What a key calls: the one of the address, else the one that was used last. */
export function UsagePage({ keyId }: { keyId: string | null }) {
  const keys = useKeys()
  const [, navigate] = useLocation()
  return (
    <>
      <PageHeading title="Usage">
        What each of your keys calls. Single calls are kept for seven days; what was asked for is not, nor any
        code or key.
      </PageHeading>
      <QueryView query={keys} rows={4} rowHeight={120}>
        {({ data }) => {
          const lastUsed = data.toSorted((a, b) =>
            (b.last_used_at ?? '').localeCompare(a.last_used_at ?? ''),
          )[0]
          const key = data.find(({ id }) => id === keyId) ?? (keyId === null ? lastUsed : undefined)
          if (data.length === 0)
            return (
              <Empty>
                Without a key there is no usage.{' '}
                <Anchor component={Link} href="/keys">
                  Create a key
                </Anchor>
              </Empty>
            )
          return (
            <>
              <NativeSelect
                label="Key"
                value={key?.id ?? ''}
                onChange={event => navigate(`/usage/${event.currentTarget.value}`)}
                data={[
                  ...(key ? [] : [{ value: '', label: 'Choose a key' }]),
                  ...data.map(({ id, name, prefix, revoked_at }) => ({
                    value: id,
                    label: `${name}${prefix ? ` (${prefix}…)` : ''}${revoked_at ? ', revoked' : ''}`,
                  })),
                ]}
              />
              {key ? (
                <KeyUsageView key={key.id} keyId={key.id} />
              ) : (
                <Empty>There is no such key among yours.</Empty>
              )}
            </>
          )
        }}
      </QueryView>
      <FindRequest />
    </>
  )
}
