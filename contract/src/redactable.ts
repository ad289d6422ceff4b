/** What a redaction may replace, by resource: texts that people wrote. */
export const redactableFields = {
  nation: ['nation_name', 'leader_name', 'motto', 'flag_url', 'attributes'],
  alliance: ['name', 'tag', 'description', 'flag_url', 'attributes'],
  war: ['reason'],
  conflict: ['name', 'cause'],
  era: ['name', 'summary'],
  news_item: ['title', 'body', 'author'],
} as const
export type RedactableResource = keyof typeof redactableFields
export const redactableResources = Object.keys(redactableFields) as RedactableResource[]

/** A field that can be redacted, as in `nation.nation_name`. */
export type RedactableField = {
  [R in RedactableResource]: `${R}.${(typeof redactableFields)[R][number]}`
}[RedactableResource]
