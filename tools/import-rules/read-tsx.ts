import { createRequire } from 'node:module'

interface Swc {
  parseFileSync(file: string, options: object): unknown
}

/**
 * Teaches the parser of dependency-cruiser 17 to read .tsx: it asks swc for TypeScript without JSX whatever the file, and fails
 * on the first element. Called before dependency-cruiser is loaded, which takes swc's functions as they are then.
 */
export function readTsx(): void {
  const swc = createRequire(import.meta.url)('@swc/core') as Swc
  const { parseFileSync } = swc
  swc.parseFileSync = (file, options) =>
    parseFileSync.call(swc, file, file.endsWith('.tsx') ? { ...options, tsx: true } : options)
}
