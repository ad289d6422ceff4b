/** What the reference has beside the style of all pages. */
export const referenceStyle = `
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
.code:has([value=curl]:checked) pre:not([data-language=curl]),
.code:has([value=TypeScript]:checked) pre:not([data-language=TypeScript]),
.code:has([value=Python]:checked) pre:not([data-language=Python]) { display: none }
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
