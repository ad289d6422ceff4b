import { slug } from 'github-slugger'
import { highlight } from './highlight.ts'
import { copyScriptPath, escaped, layoutPage, type PageLayout, publicLayout, type Site } from './layout.ts'
import { createMarkdown } from './markdown.ts'
import { type ExampleCall, operatorSnippets, publicSnippets, type Snippet } from './reference-code.ts'
import {
  type Content,
  type Described,
  describeOperations,
  type Parameter,
  type ReferenceDocument,
  textOf,
} from './reference-document.ts'
import {
  asObject,
  componentOf,
  type Field,
  fieldsOf,
  partsOf,
  renderFields,
  type Schema,
  schemaId,
  typeOf,
} from './reference-fields.ts'

/** URL of the page's script. */
export const scriptPath = '/docs/reference.js'

/** The API of a reference. */
export type ReferenceKind = 'public' | 'operator'

const kinds = {
  public: { layout: publicLayout, keyLabel: 'API key', errorPages: true },
  operator: {
    layout: { home: '/docs/', links: [['Reference', '/docs/']], scripts: [copyScriptPath] },
    keyLabel: 'Operator token',
    errorPages: false,
  },
} satisfies Record<
  ReferenceKind,
  { layout: Pick<PageLayout, 'home' | 'links' | 'scripts'>; keyLabel: string; errorPages: boolean }
>

const markdown = createMarkdown()
/** Sections of the introduction have the same headings as those of operations. */
const introduction = createMarkdown(undefined, { idPrefix: 'introduction-' })
const codeBlock = (text: string, language: string, attributes = '') =>
  `<pre${attributes}><code>${highlight(text, language)}</code></pre>`

/** Renders the reference page of an API. Everything but 'Try it' and the search works without a script. */
export function renderReference(document: ReferenceDocument, site: Site, kind: ReferenceKind): string {
  const described = describeOperations(document)
  const { layout, keyLabel } = kinds[kind]
  const baseUrl = new URL(document.servers[0]?.url ?? '/', site.publicUrl).href.replace(/\/$/, '')
  const base = new URL(baseUrl).pathname.replace(/\/$/, '')
  const groups = document.tags.map(tag => ({
    ...tag,
    operations: described.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const sections = groups.map(
    ({ name, description, operations }) => `<section><h2 id="${slug(name)}">${name}</h2>
<p>${markdown.inline(description)}</p>
${operations.map(operation => renderOperation(operation, { document, kind, baseUrl, base, publicUrl: site.publicUrl })).join('\n')}</section>`,
  )
  const body = `<div class="columns">
<nav class="contents" aria-label="Operations"><details><summary>Operations</summary>
<label class="scripted">Search <input type="search" id="search" autocomplete="off" placeholder="name, path or parameter"></label>
<p id="found" role="status" class="scripted"></p>
<ul><li><a href="#introduction">Introduction</a></li></ul>
${groups.map(({ name, operations }) => `<h2>${name}</h2>\n<ul>${operations.map(contentsEntry).join('\n')}</ul>`).join('\n')}
<ul><li><a href="#objects">Objects</a></li></ul></details></nav>
<div class="reference">
<h1 id="${slug(document.info.title)}">${escaped(document.info.title)}</h1>
<p>Start with the <a href="#introduction">introduction</a>: keys, limits, pages, errors. The same for programs: <a href="/openapi.json">openapi.json</a>.</p>
<form class="key scripted"><label>${keyLabel} for “Try it” <input type="password" id="key" autocomplete="off" spellcheck="false"></label>
<p>It stays in this tab until the tab is closed, and is sent to this server only.</p></form>
${sections.join('\n')}
<section><h2 id="introduction">Introduction</h2>
${introduction.blocks(document.info.description)}</section>
<section><h2 id="objects">Objects</h2>
${Object.entries(document.components.schemas).map(renderObject(document)).join('\n')}</section>
</div></div>`
  return layoutPage({
    ...layout,
    site,
    title: 'API reference',
    body,
    style: referenceStyle,
    scripts: [...layout.scripts, scriptPath],
  })
}

const contentsEntry = ({ id, method, path = '', operation, parameters }: Described) =>
  `<li data-words="${escaped([id, method, path, ...parameters.map(({ name }) => name)].join(' ').toLowerCase())}"><a href="#${id}">${escaped(operation.summary)}</a></li>`

interface Surroundings {
  document: ReferenceDocument
  kind: ReferenceKind
  baseUrl: string
  base: string
  publicUrl: string
}

function renderOperation(described: Described, surroundings: Surroundings): string {
  const { id, method, path, operation, parameters, responses, call } = described
  const { document, kind, baseUrl, base, publicUrl } = surroundings
  const scope = operation['x-scope'] ?? 'none'
  const needs = scope === 'none' ? [] : [scope === 'key' ? 'any key' : `scope ${scope}`]
  const fields = parameters.map(parameterField)
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  const snippets =
    call && (kind === 'public' ? publicSnippets(call, { baseUrl, publicUrl }) : operatorSnippets(call))
  const label = call ? 'Parameter' : 'Header'
  const route = path === undefined ? 'the URL of your endpoint' : `${base}${path}`
  return `<section class="operation"><h3 id="${id}">${escaped(operation.summary)} <a class="anchor" href="#${id}" aria-label="Link to ${escaped(operation.summary)}">#</a></h3>
<p class="route"><code><b>${method}</b> ${escaped(route)}</code>${needs.map(need => ` <small>${need}</small>`).join('')}${operation.deprecated ? ' <small>deprecated</small>' : ''}</p>
${markdown.blocks(operation.description)}
${fields.length > 0 ? `<h4>${label}s</h4>\n${renderFields(fields, label, markdown.inline)}` : ''}
${bodies.map(([type, content]) => `<h4>Request body <small>${type}</small></h4>\n${renderContent(content, document)}`).join('\n')}
${snippets ? renderSnippets(id, snippets) : ''}
${call ? renderResponses(responses, surroundings) : renderReceiverResponses(responses)}
${call ? renderForm({ ...described, call }, base) : ''}</section>`
}

const parameterField = ({
  name,
  in: place,
  description,
  required,
  deprecated,
  schema,
}: Parameter): Field => ({
  name,
  schema,
  description,
  remarks: [place, ...(required ? ['required'] : []), ...(deprecated ? ['deprecated'] : [])],
})

/** Radio buttons switch between languages without a script. */
function renderSnippets(id: string, snippets: readonly Snippet[]): string {
  const radio = ({ language }: Snippet, index: number) =>
    `<label><input type="radio" name="code-${id}" value="${language}"${index === 0 ? ' checked' : ''}> ${language}</label>`
  const blocks = snippets
    .map(({ language, code }) => codeBlock(code, language.toLowerCase(), ` data-language="${language}"`))
    .join('\n')
  const tabs = snippets.length > 1 ? snippets.map(radio).join(' ') : ''
  return `<fieldset class="code"><legend>Example request</legend>${tabs}\n${blocks}</fieldset>`
}

/** The fields of a body and its first example. */
function renderContent({ schema, examples }: Content, document: ReferenceDocument): string {
  const items = schema.properties?.data?.items ?? schema.properties?.data ?? schema.contentSchema ?? schema
  const { schemas } = document.components
  const shapes = (items.anyOf ?? [items]).map(shape => {
    const component = componentOf(shape)
    const fields = fieldsOf(asObject(component ? (schemas[component] ?? {}) : shape, schemas))
    if (fields.length === 0) return `<p>${typeOf(shape)}</p>`
    const title = component ? `Fields of ${component}` : 'Fields'
    return `<details><summary>${title} (${fields.length})</summary>${renderFields(fields, 'Field', markdown.inline)}</details>`
  })
  const shown = Object.values(examples).map(
    ({ summary, value }) =>
      `<details><summary>Example${summary ? ` <code>${escaped(summary)}</code>` : ''}</summary>${codeBlock(textOf(value), 'json')}</details>`,
  )
  return [...shapes, ...shown].join('\n')
}

function renderResponses(responses: Described['responses'], { document, kind }: Surroundings): string {
  const isError = (status: string) => !/^[23]/.test(status)
  const good = responses
    .filter(([status]) => !isError(status))
    .map(([status, { description, content = {} }]) => {
      const contents = Object.entries(content).map(([, one]) => renderContent(one, document))
      return `<h4>${status} <small>${markdown.inline(description)}</small></h4>\n${contents.join('\n')}`
    })
  const rows = responses
    .filter(([status]) => isError(status))
    .flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ examples }) =>
        Object.entries(examples).map(([code, { summary = '' }]) => {
          const words = `<code>${escaped(code)}</code>`
          const linked = kinds[kind].errorPages ? `<a href="/docs/errors/${code}">${words}</a>` : words
          const label = status === 'default' ? 'any' : status
          return `<tr><th scope="row">${label} ${linked}</th><td>${markdown.inline(summary)}</td></tr>`
        }),
      ),
    )
  const table = `<table class="fields"><thead><tr><th scope="col">Error</th><th scope="col">What to do</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`
  return `${good.join('\n')}\n<details><summary>Errors (${rows.length})</summary>${table}</details>`
}

/** What the service does after each response of a receiver. */
function renderReceiverResponses(responses: Described['responses']): string {
  const rows = responses.map(
    ([status, { description }]) =>
      `<tr><th scope="row"><code>${status === 'default' ? 'any other' : status}</code></th><td>${markdown.inline(description)}</td></tr>`,
  )
  return `<h4>Your response</h4>
<table class="fields"><thead><tr><th scope="col">Status</th><th scope="col">What happens</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`
}

/** The form of 'Try it': its script sends the request and shows the response. */
function renderForm(
  { id, method, parameters, call, operation }: Described & { call: ExampleCall },
  base: string,
): string {
  const given = new Map(new URLSearchParams(call.target.split('?')[1]))
  const parts = call.target.split('?')[0]?.split('/') ?? []
  call.pattern.split('/').forEach((part, index) => {
    given.set(part.replace(/[{}]/g, ''), decodeURIComponent(parts[index] ?? ''))
  })
  const field = ({ name, in: place, schema, required }: Parameter) => {
    const attributes = `name="${place}:${escaped(name)}"${required ? ' required' : ''}`
    const value = escaped(given.get(name) ?? '')
    const words =
      schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? []).filter(word => word !== null)
    const options = ['', ...words].map(
      word => `<option${word === value ? ' selected' : ''}>${escaped(String(word))}</option>`,
    )
    const input =
      words.length > 0
        ? `<select ${attributes}>${options.join('')}</select>`
        : `<input ${attributes} value="${value}" autocomplete="off" spellcheck="false">`
    return `<label>${escaped(name)} ${input}</label>`
  }
  const types = Object.keys(operation.requestBody?.content ?? {})
  const body = call.body
    ? `<label>Content-Type <select name="type">${types.map(type => `<option>${type}</option>`).join('')}</select></label>
<label>Body <textarea name="body" rows="8" spellcheck="false">${escaped(call.body.text)}</textarea></label>`
    : ''
  return `<details class="try scripted"><summary>Try it</summary>
<form data-method="${method}" data-path="${escaped(base + call.pattern)}" aria-label="Try ${id}">${parameters.map(field).join('\n')}${body}
<p><button>Send request</button> <button type="button" hidden>Stop</button></p>
<div hidden><p role="status"></p><details><summary>Response headers</summary>${codeBlock('', '')}</details>${codeBlock('', '')}</div></form></details>`
}

const renderObject =
  ({ components: { schemas } }: ReferenceDocument) =>
  ([name, schema]: [string, Schema]): string => {
    const { required = [] } = schema
    // The parts of `allOf` are named; their fields are in their own tables.
    const fields = fieldsOf(schema.allOf ? schema : asObject(schema, schemas), '', required)
    const shape =
      fields.length > 0 ? renderFields(fields, 'Field', markdown.inline) : `<p>${typeOf(schema)}</p>`
    const description = schema.description ? `<p>${markdown.inline(schema.description)}</p>` : ''
    return `<details class="object" id="${schemaId(name)}"><summary>${escaped(schema.title ?? name)}</summary>${description}${partsOf(schema)}${shape}</details>`
  }

/** The style of the reference, in addition to that of all pages. */
const referenceStyle = `
header nav, main { max-width: 84rem }
html { scroll-padding-top: 1rem }
html:not(.with-script) .scripted { display: none }
.contents { font-size: 0.92rem }
.contents h2 { font-size: 0.92rem; margin: 1rem 0 0.2rem; padding: 0; border: 0; color: var(--soft) }
.contents ul { list-style: none; margin: 0; padding: 0 }
.contents a { display: block; padding: 0.15rem 0; text-decoration: none }
.contents a:hover { text-decoration: underline }
.reference { min-width: 0 }
.operation { border-top: 1px solid var(--line); margin-top: 2rem }
h4 { font-size: 1rem; margin: 1.25rem 0 0.35rem }
h4 small, .route small { font-weight: 400; color: var(--soft) }
h4 small p { display: inline }
.anchor { color: var(--soft); text-decoration: none; font-weight: 400 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.5rem 0 }
.fields { table-layout: fixed; width: 100% }
.fields th:first-child { width: 38% }
.fields th, .fields td { overflow-wrap: anywhere }
.fields tbody th { color: inherit; font-weight: 400; padding-left: 0 }
.fields small { display: block; color: var(--soft); overflow-wrap: break-word }
summary { cursor: pointer; padding: 0.25rem 0 }
fieldset { border: 0; margin: 1.25rem 0 0; padding: 0; min-width: 0 }
legend { font-weight: 600; padding: 0 }
.code label { margin-right: 1rem }
.code:has([value=curl]:checked) [data-language]:not([data-language=curl]),
.code:has([value=TypeScript]:checked) [data-language]:not([data-language=TypeScript]),
.code:has([value=Python]:checked) [data-language]:not([data-language=Python]) { display: none }
form label { display: block; margin: 0.5rem 0; font-size: 0.92rem }
input:not([type=radio]), select, textarea { display: block; width: 100%; font: inherit; padding: 0.4rem 0.5rem; color: var(--ink);
  background: var(--paper); border: 1px solid var(--soft); border-radius: 6px }
textarea { font: 0.85rem/1.5 ui-monospace, monospace }
button { font: inherit; padding: 0.4rem 1rem; border: 1px solid var(--link); border-radius: 6px; background: var(--link); color: var(--paper) }
button[type=button] { background: none; color: var(--link) }
.key p { margin: 0; font-size: 0.85rem; color: var(--soft) }
@media (min-width: 60rem) {
  .columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2.5rem }
  .contents { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1rem 0.25rem }
  @supports selector(::details-content) {
    .contents summary { display: none }
    .contents details::details-content { content-visibility: visible; block-size: auto }
  }
  form[data-path] { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1rem }
  form[data-path] > :not(label), form[data-path] > :has(textarea) { grid-column: 1 / -1 }
}
`
