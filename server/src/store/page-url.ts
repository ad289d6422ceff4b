/** The page of a thing in the game, from the profile's template; null where the game has none. */
export const pageUrl = (template: string | null, id: string): string | null =>
  template === null ? null : template.replace('{id}', encodeURIComponent(id))
