import { holdsScope } from '@chancery/contract'
import { Alert, Text } from '@mantine/core'
import { WarnIcon } from '../ui/icons.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { attributeLabel, type KeyLink, readableData } from './key-link.ts'
import classes from './keys.module.css'

/** Who requests a key by a link, for which data, and what is wrong with the link. */
export function KeyLinkNotice({ link }: { link: KeyLink }) {
  const info = usePageInfo()
  const scopes = link.scopes ?? info.default_scopes
  const requested = info.scopes.filter(({ name }) => holdsScope(new Set(scopes), name))
  return (
    <>
      <Alert
        variant="light"
        role="note"
        title={<RequestTitle name={link.name} />}
        className={classes.linkNotice}
        // Read to screen readers before the form. A key press does not create the key.
        tabIndex={-1}
        data-autofocus
      >
        {requested.length > 0 && (
          <>
            <Text size="sm">With this key, it can read:</Text>
            <ul className={classes.linkScopes}>
              {requested.map(({ name, description, attributes }) => (
                <li key={name}>
                  {readableData(description)}
                  {attributes.length > 0 && `; also ${attributes.map(attributeLabel).join(', ')}`} (
                  <code>{name}</code>
                  {!scopes.includes(name) && ', included'})
                </li>
              ))}
            </ul>
          </>
        )}
        <Text size="sm">
          The name comes from the link and is not verified. No key exists until you select “Create”.
        </Text>
      </Alert>
      {Object.keys(link.problems).length > 0 && (
        <Alert
          color="red"
          variant="light"
          icon={<WarnIcon />}
          title={link.problems.link ? 'The link is not valid' : 'Part of the link is not valid'}
          role="alert"
        >
          <Text size="sm">
            {link.problems.link ?? 'What is wrong was left out, and is stated below. The rest is filled in.'}{' '}
            Check the form, or report the link to its author.
          </Text>
        </Alert>
      )}
    </>
  )
}

/** Who requests a key. The name is isolated, so that text direction in it affects only the name. */
export const RequestTitle = ({ name }: { name: string }) =>
  name === '' ? (
    'A tool requests an API key'
  ) : (
    <>
      “<bdi>{name}</bdi>” requests an API key
    </>
  )
