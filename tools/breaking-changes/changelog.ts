/** What the changelog says under "Breaking" of what is not released yet; empty where it says nothing. */
export function breakingSection(changelog: string): string {
  const unreleased = /^## \[Unreleased\]$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog)?.[1] ?? ''
  return /^### Breaking$([\s\S]*?)(?=^### |$(?![\s\S]))/m.exec(unreleased)?.[1] ?? ''
}
