import type { NationSummary } from '@chancery/contract'
import { useState } from 'react'
import classes from './nation-name.module.css'

/** The game's flag URL may be on any host: it is fetched without a referrer, and hidden if it fails to load. */
function Flag({ url }: { url: string | null }) {
  const [failedUrl, setFailedUrl] = useState<string | null>(null)
  if (!url?.startsWith('https://') || url === failedUrl) return null
  return (
    <img
      src={url}
      alt=""
      width={32}
      height={20}
      loading="lazy"
      referrerPolicy="no-referrer"
      className={classes.flag}
      onError={() => setFailedUrl(url)}
    />
  )
}

interface Props {
  nation: NationSummary
  /** In the header, on a narrow screen, it is the name alone. */
  isInHeader?: boolean
}

/** A nation with its flag, leader and alliance. Names are isolated, so that text direction controls in one affect only that name. */
export function NationName({ nation, isInHeader = false }: Props) {
  const { alliance } = nation
  return (
    <span className={classes.nation} data-header={isInHeader || undefined}>
      <Flag url={nation.flag_url} />
      <span className={classes.text}>
        <bdi className={classes.name}>{nation.nation_name}</bdi>
        <span className={classes.details}>
          <bdi>{nation.leader_name}</bdi>
          {alliance && (
            <>
              {' · '}
              <bdi>{alliance.name}</bdi>
              {alliance.tag && (
                <>
                  {' ['}
                  <bdi>{alliance.tag}</bdi>]
                </>
              )}
            </>
          )}
        </span>
      </span>
    </span>
  )
}
