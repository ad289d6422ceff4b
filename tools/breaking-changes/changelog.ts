/** What the changelog says under "Breaking" of all that came after a version; empty where it says nothing. */
export function breakingSection(changelog: string, version: string): string {
  const [later = ''] = changelog.split(`\n## [${version}]`)
  return [...later.matchAll(/^### Breaking$([\s\S]*?)(?=^##|$(?![\s\S]))/gm)].map(([, text]) => text).join('')
}
