/** Changes one value of a JSON document. */
export type Edit = (document: unknown) => void

/** Sets the value at a path: keys separated by spaces. In an array a key is an index, or the `name` of a member. */
export const set =
  (path: string, value: unknown): Edit =>
  document =>
    change(document, path, (parent, key) => Reflect.set(parent, key, value))

export const remove =
  (path: string): Edit =>
  document =>
    change(document, path, (parent, key) => {
      if (Array.isArray(parent)) parent.splice(Number(key), 1)
      else Reflect.deleteProperty(parent, key)
    })

/** Adds a value to the array at a path. */
export const push =
  (path: string, value: unknown): Edit =>
  document =>
    change(document, path, (parent, key) => {
      const list: unknown = Reflect.get(parent, key)
      if (!Array.isArray(list)) throw new Error(`${path} is not an array`)
      list.push(value)
    })

export const both =
  (...edits: Edit[]): Edit =>
  document => {
    for (const edit of edits) edit(document)
  }

function change(document: unknown, path: string, apply: (parent: object, key: string) => void): void {
  const keys = path.split(' ')
  const last = keys.pop() ?? ''
  let at: unknown = document
  for (const key of keys) at = Reflect.get(objectOf(at, path), keyIn(at, key))
  const parent = objectOf(at, path)
  apply(parent, keyIn(parent, last))
}

function objectOf(value: unknown, path: string): object {
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is not in the document`)
  return value
}

/** The index of the member with this name or value, where there is one. */
function keyIn(parent: unknown, key: string): string {
  if (!Array.isArray(parent)) return key
  const index = parent.findIndex(member => member === key || member?.name === key)
  return index === -1 ? key : String(index)
}
