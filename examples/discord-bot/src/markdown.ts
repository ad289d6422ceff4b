import { escapeMarkdown } from './escape.ts'
import type { Span, Text } from './text.ts'

const around = { bold: '**', italic: '*', code: '`' } as const

/** A line as Discord's markdown. */
export const markdown = (line: Text): string => line.map(spanMarkdown).join('')

/** A line where Discord knows no markdown: footers, labels. */
export const bare = (line: Text): string => line.map(bareSpan).join('')

function spanMarkdown(span: Span): string {
  if ('time' in span)
    return `<t:${Math.floor(Date.parse(span.time) / 1000)}:${span.form === 'ago' ? 'R' : 'D'}>`
  if ('role' in span) return `<@&${span.role}>`
  if ('channel' in span) return `<#${span.channel}>`
  if (span.style === 'code') return `\`${span.text}\``
  const escaped = escapeMarkdown(span.text)
  return span.style && escaped !== '' ? around[span.style] + escaped + around[span.style] : escaped
}

function bareSpan(span: Span): string {
  if ('time' in span) return span.time.slice(0, 10)
  if ('role' in span) return span.role
  if ('channel' in span) return span.channel
  return span.text
}
