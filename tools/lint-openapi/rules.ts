/** The assertions about a kind of node, and the condition to apply them. */
interface Assertion {
  subject: { type: string; property?: string | string[] }
  assertions: Record<string, unknown>
  where?: Assertion[]
}

const webAddress = '/^https?:\\/\\/\\S+$/'

/** Rules beyond the ruleset `recommended-strict`. Redocly names each `rule/…`. */
const assertions: Record<string, Assertion> = {
  'info-description': {
    subject: { type: 'Info', property: 'description' },
    assertions: { nonEmpty: true },
  },
  'contact-url': { subject: { type: 'Contact', property: 'url' }, assertions: { pattern: webAddress } },
  'contact-email': {
    subject: { type: 'Contact', property: 'email' },
    assertions: { pattern: '/^\\S+@\\S+$/' },
  },
  'license-url-or-identifier': {
    subject: { type: 'License' },
    assertions: { mutuallyExclusive: ['url', 'identifier'] },
  },
  'external-docs-url': {
    subject: { type: 'ExternalDocs', property: 'url' },
    assertions: { pattern: webAddress },
  },
  'no-dialect': { subject: { type: 'Root' }, assertions: { disallowed: ['jsonSchemaDialect'] } },
  'no-code-in-texts': {
    subject: { type: 'any', property: ['title', 'description'] },
    assertions: { notPattern: '/eval\\(|<script/' },
  },
  'operation-tags': { subject: { type: 'Operation', property: 'tags' }, assertions: { nonEmpty: true } },
  // The documents have one list of servers; requests of the service are webhooks.
  'operation-parts': { subject: { type: 'Operation' }, assertions: { disallowed: ['callbacks', 'servers'] } },
  'path-parameter-once': {
    subject: { type: 'Paths' },
    assertions: { notPattern: '/\\{([^}]*)\\}.*\\{\\1\\}/' },
  },
  'path-parameter-required': {
    subject: { type: 'Parameter', property: 'required' },
    assertions: { defined: true, const: true },
    where: [{ subject: { type: 'Parameter', property: 'in' }, assertions: { const: 'path' } }],
  },
  'parameter-schema-or-content': {
    subject: { type: 'Parameter' },
    assertions: { mutuallyExclusive: ['schema', 'content'] },
  },
  'query-parameter-style': {
    subject: { type: 'Parameter', property: 'style' },
    assertions: { enum: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] },
    where: [{ subject: { type: 'Parameter', property: 'in' }, assertions: { const: 'query' } }],
  },
  'path-parameter-style': {
    subject: { type: 'Parameter', property: 'style' },
    assertions: { enum: ['simple', 'label', 'matrix'] },
    where: [{ subject: { type: 'Parameter', property: 'in' }, assertions: { const: 'path' } }],
  },
  'response-status': {
    subject: { type: 'Responses' },
    assertions: { pattern: '/^(default|[1-5](\\d\\d|XX))$/' },
  },
  // Redocly does not compare examples of headers with their schema.
  'header-example': {
    subject: { type: 'Header' },
    assertions: { disallowed: ['example', 'examples'] },
  },
  'example-value': { subject: { type: 'Example' }, assertions: { requireAny: ['value', 'externalValue'] } },
  'array-items': {
    subject: { type: 'Schema' },
    assertions: { required: ['items'] },
    where: [
      { subject: { type: 'Schema', property: 'type' }, assertions: { defined: true, contains: ['array'] } },
    ],
  },
}

export const rules = {
  'info-contact': 'error',
  'operation-2xx-response': { severity: 'error', disallowDefault: true },
  'operation-description': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'parameter-description': 'error',
  'chancery/valid-schema': 'error',
  ...Object.fromEntries(Object.entries(assertions).map(([name, rule]) => [`rule/${name}`, rule])),
} as const
