import type { ChanceryEvent } from '@chancery/client'
import { sideText, standingText } from './commands/parts.ts'
import { isOf } from './event-kind.ts'
import { fit } from './fit.ts'
import type { Embed, Reply } from './reply.ts'
import { code, italic, name, plain, text } from './text.ts'

/** Kinds of events that a channel of news hears of. */
export const announcedTypes = ['war.*', 'strategic_weapon.launched'] as const

/** What a channel hears of an event; undefined where it is no news for it. */
export function announcement(event: ChanceryEvent): Reply | undefined {
  if (!event.type.startsWith('war.') && event.type !== 'strategic_weapon.launched') return undefined
  const embed = embedOf(event)
  return fit({
    embeds: [{ ...embed, ...(event.war_id !== null && { footer: text`War ${code(event.war_id)}` }) }],
  })
}

function embedOf(event: ChanceryEvent): Embed {
  if (isOf(event, 'war.declared')) {
    const { attacker, defender, war } = event.data
    return {
      title: plain('War is declared'),
      lines: [
        text`${sideText(attacker)} declared war on ${sideText(defender)}.`,
        ...(war.reason === null ? [] : [text`“${italic(war.reason)}”`]),
      ],
    }
  }
  if (isOf(event, 'war.ended')) {
    const { attacker, defender, outcome } = event.data
    const standing = standingText({ status: 'ended', outcome })
    return {
      title: plain('A war is over'),
      lines: [text`${sideText(attacker)} against ${sideText(defender)}: ${standing}.`],
    }
  }
  const title = event.type === 'strategic_weapon.launched' ? { title: plain('Strategic launch') } : {}
  return { ...title, lines: [[name(event.summary)]] }
}
