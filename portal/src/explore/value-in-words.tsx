import { createContext, useContext } from 'react'
import { ExactTime } from '../ui/time.tsx'
import classes from './explore.module.css'

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 8 })

/** The name of a field as words: `national_score` is "National score". */
export function fieldLabel(name: string): string {
  const words = (name.split('.').at(-1) ?? name).replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A field's description without what it says about `null`, which is shown as "None". */
export const withoutNull = (description: string) =>
  description.replaceAll(/; null [^.;]*/g, '').replaceAll(/(?<=\.) ?Null [^.]*\./g, '')

/** The members with a time, by path. */
export const TimesContext = createContext<readonly string[]>([])

/** A JSON value as words, lists and tables. */
export function ValueInWords({ path, value }: { path: string; value: unknown }) {
  const times = useContext(TimesContext)
  if (value === null || value === '') return <span className={classes.none}>None</span>
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return numbers.format(value)
  if (typeof value === 'string')
    return times.includes(path) && !Number.isNaN(Date.parse(value)) ? (
      <ExactTime time={value} />
    ) : (
      <bdi>{value}</bdi>
    )
  if (Array.isArray(value)) return <ListInWords path={path} items={value} />
  return <ObjectInWords path={path} object={Object(value)} />
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function ListInWords({ path, items }: { path: string; items: unknown[] }) {
  if (items.length === 0) return <span className={classes.none}>None</span>
  if (!items.every(isRecord))
    return (
      <ul className={classes.words}>
        {items.map((item, index) => (
          <li key={index}>
            <ValueInWords path={path} value={item} />
          </li>
        ))}
      </ul>
    )
  const names = [...new Set(items.flatMap(item => Object.keys(item)))]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to be reachable by keyboard
    <section className={classes.innerFrame} tabIndex={0} aria-label="List">
      <table className={classes.inner}>
        <thead>
          <tr>
            {names.map(name => (
              <th key={name} scope="col">
                {fieldLabel(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, index) => (
            <tr key={index}>
              {names.map(name => (
                <td key={name}>
                  <ValueInWords path={`${path}.${name}`} value={item[name] ?? null} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function ObjectInWords({ path, object }: { path: string; object: Record<string, unknown> }) {
  const members = Object.entries(object)
  if (members.length === 0) return <span className={classes.none}>None</span>
  return (
    <dl className={classes.members}>
      {members.map(([name, value]) => (
        <div key={name}>
          <dt>{fieldLabel(name)}</dt>
          <dd>
            <ValueInWords path={`${path}.${name}`} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
