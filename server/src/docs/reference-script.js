// The script of the reference page: the search, one language of examples for all, and 'Try it'. It sends requests to its own origin alone.
const root = document.documentElement
root.classList.add('with-script')

/** Bytes of a response body that are shown. */
const shownBytesMax = 262_144

// Worlds at paths of one host share the storage of a tab: each has a key of its own.
const keyName = `key of ${new URL(document.currentScript.src).pathname}`
const key = document.getElementById('key')
key.value = sessionStorage.getItem(keyName) ?? ''
key.addEventListener('input', () => sessionStorage.setItem(keyName, key.value.trim()))

const search = document.getElementById('search')
const found = document.getElementById('found')
const entries = [...document.querySelectorAll('.contents li[data-words]')]

search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const entry of entries) {
    const text = `${entry.dataset.words} ${entry.textContent.toLowerCase()}`
    entry.hidden = !words.every(word => text.includes(word))
  }
  const count = entries.filter(entry => !entry.hidden).length
  found.textContent = words.length === 0 ? '' : `${count} ${count === 1 ? 'operation' : 'operations'}`
})
search.addEventListener('keydown', event => {
  if (event.key === 'Enter')
    entries
      .find(entry => !entry.hidden)
      ?.querySelector('a')
      .click()
})

/** Opens what a link leads into. */
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const details = target?.closest('details')
  if (!details || details.open) return
  details.open = true
  target.scrollIntoView()
}
addEventListener('hashchange', openTarget)
openTarget()

document.addEventListener('change', ({ target }) => {
  if (target.type !== 'radio') return
  for (const radio of document.querySelectorAll(`.code [value="${target.value}"]`)) radio.checked = true
})

/** The request that a form describes. Path, query and headers only: the key is never in a URL. */
function requestOf(form) {
  const headers = {}
  const query = new URLSearchParams()
  let path = form.dataset.path
  for (const [name, value] of new FormData(form)) {
    const [place, parameter] = name.split(':')
    if (place === 'path') path = path.replace(`{${parameter}}`, encodeURIComponent(value))
    else if (place === 'query' && value !== '') query.append(parameter, value)
    else if (place === 'header' && value !== '') headers[parameter] = value
  }
  if (key.value.trim() !== '') headers.authorization = `Bearer ${key.value.trim()}`
  const { body, type } = form.elements
  if (body && body.value.trim() !== '') headers['content-type'] = type.value
  const url = path + (query.size > 0 ? `?${query}` : '')
  return [
    url,
    {
      method: form.dataset.method,
      headers,
      body: body?.value.trim() ? body.value : undefined,
      cache: 'no-store',
    },
  ]
}

async function send(form, stop) {
  const [result, status] = [form.querySelector('div'), form.querySelector('[role=status]')]
  const [headerText, bodyText] = result.querySelectorAll('code')
  const aborter = new AbortController()
  stop.onclick = () => aborter.abort()
  const [url, options] = requestOf(form)
  result.hidden = stop.hidden = false
  status.textContent = `${options.method} ${url} …`
  headerText.textContent = bodyText.textContent = ''
  const startedAt = performance.now()
  try {
    const response = await fetch(url, { ...options, signal: aborter.signal })
    const tookMs = Math.round(performance.now() - startedAt)
    status.textContent = `${response.status} ${response.statusText} · ${tookMs} ms · ${options.method} ${url}`
    headerText.textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    await show(response, bodyText)
  } catch (error) {
    if (error.name !== 'AbortError') status.textContent = `The request failed: ${error.message}`
  } finally {
    stop.hidden = true
  }
}

/** Shows a body as it arrives: a stream does not end. */
async function show(response, place) {
  const type = response.headers.get('content-type') ?? ''
  if (!/json|text/.test(type)) {
    place.textContent = type === '' ? '' : `A body of ${type} is not shown.`
    await response.body?.cancel()
    return
  }
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const part of streamOf(response)) {
    bytes += part.length
    text += decoder.decode(part, { stream: true })
    place.textContent = text
    if (bytes > shownBytesMax) {
      place.textContent += '\n…'
      return
    }
  }
  if (type.startsWith('application/json'))
    place.textContent = JSON.stringify(JSON.parse(text || 'null'), null, 2)
}

/** Not every browser iterates a stream. */
async function* streamOf({ body }) {
  const reader = body?.getReader()
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader?.cancel()
  }
}

document.addEventListener('submit', event => {
  event.preventDefault()
  const form = event.target
  if (form.dataset.path) void send(form, form.querySelector('button[type=button]'))
})
