import type { NationBadge } from '@chancery/contract'
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

/** A nation with its flag, and below it its leader and alliance. */
export function NationName({ nation }: { nation: NationBadge }) {
  const { alliance } = nation
  return (
    <span className={classes.nation}>
      <Flag url={nation.flag_url} />
      <span className={classes.words}>
        <span className={classes.name}>{nation.nation_name}</span>
        <span className={classes.more}>
          {nation.leader_name}
          {alliance && ` · ${alliance.name}${alliance.tag ? ` [${alliance.tag}]` : ''}`}
        </span>
      </span>
    </span>
  )
}
