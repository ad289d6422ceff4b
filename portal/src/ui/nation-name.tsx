import type { NationSummary } from '@chancery/contract'
import { useState } from 'react'
import classes from './nation-name.module.css'

/** Flags come from wherever the game keeps them: nothing is said to that place about this page, and a missing one leaves no hole. */
function Flag({ url }: { url: string | null }) {
  const [failed, setFailed] = useState<string | null>(null)
  if (!url?.startsWith('https://') || url === failed) return null
  return (
    <img
      src={url}
      alt=""
      width={32}
      height={20}
      loading="lazy"
      referrerPolicy="no-referrer"
      className={classes.flag}
      onError={() => setFailed(url)}
    />
  )
}

/** A nation with its flag, and below it its leader and alliance. Names are isolated: a control of direction in one turns nothing else around. */
export function NationName({ nation }: { nation: NationSummary }) {
  const { alliance } = nation
  return (
    <span className={classes.nation}>
      <Flag url={nation.flag_url} />
      <span className={classes.words}>
        <bdi className={classes.name}>{nation.nation_name}</bdi>
        <span className={classes.more}>
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
