import Prism from 'prismjs'
import 'prismjs/components/prism-bash.js'
import 'prismjs/components/prism-json.js'
import 'prismjs/components/prism-python.js'
import { escaped } from './layout.ts'

/** Names of languages that code blocks use besides those of Prism. */
const aliases: Record<string, string> = {
  curl: 'bash',
  sh: 'bash',
  ts: 'javascript',
  typescript: 'javascript',
}

/** Highlights code as HTML, whose parts the style of all pages colours. Text of an unknown language is escaped. */
export function highlight(code: string, language: string): string {
  const name = aliases[language] ?? language
  const grammar = Prism.languages[name]
  return grammar ? Prism.highlight(code, grammar, name) : escaped(code)
}
