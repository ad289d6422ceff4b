import { NativeSelect, Text, TextInput } from '@mantine/core'
import { ScopeCheckboxes } from '../keys/scopes.tsx'
import { ExactTime } from '../ui/time.tsx'
import classes from './playground.module.css'
import { type Authentication, isKeyText, type PlaygroundKey } from './use-playground-key.ts'

const labels: Record<Authentication, string> = {
  account: 'My account (temporary key)',
  pasted: 'Another API key',
  anonymous: 'Anonymous',
}
const authentications: Authentication[] = ['account', 'pasted', 'anonymous']

/** Selects how requests are authenticated. A key is never shown. */
export function KeySelect({ selected }: { selected: PlaygroundKey }) {
  const { authentication, setAuthentication, pasted, setPasted } = selected
  return (
    <>
      <NativeSelect
        label="Authentication"
        value={authentication}
        onChange={event =>
          setAuthentication(authentications.find(name => name === event.currentTarget.value) ?? 'account')
        }
        data={authentications.map(value => ({ value, label: labels[value] }))}
      />
      {authentication === 'account' && <AccountKey selected={selected} />}
      {authentication === 'pasted' && (
        <TextInput
          type="password"
          label="Key"
          description="Paste one of your keys. It is discarded when you leave this page."
          autoComplete="off"
          spellCheck={false}
          error={pasted !== '' && !isKeyText(pasted) && 'A key must not contain spaces or accented letters.'}
          value={pasted}
          onChange={event => setPasted(event.currentTarget.value.trim())}
        />
      )}
    </>
  )
}

function AccountKey({ selected: { scopes, setScopes, expiresAt } }: { selected: PlaygroundKey }) {
  return (
    <div className={classes.accountKey}>
      <Text size="sm" c="dimmed" role="status">
        {expiresAt ? (
          <>
            Requests use a temporary key of yours, “Playground”. It is revoked when you leave or reload this
            page, and expires on <ExactTime time={expiresAt} />.
          </>
        ) : (
          'The first request creates a temporary key of yours, “Playground”. It is revoked when you leave or reload this page, and expires after an hour.'
        )}
      </Text>
      <details>
        <summary>Scopes: {scopes.join(', ') || 'none'}</summary>
        <ScopeCheckboxes selected={scopes} onChange={setScopes} />
      </details>
    </div>
  )
}
