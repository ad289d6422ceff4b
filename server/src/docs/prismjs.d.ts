/** It has no types of its own. Each language adds itself to the core. */
declare module 'prismjs' {
  const Prism: {
    languages: Record<string, object | undefined>
    highlight(code: string, grammar: object, language: string): string
  }
  export default Prism
}
declare module 'prismjs/components/prism-*.js'
