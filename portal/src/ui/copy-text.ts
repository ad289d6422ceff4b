/** Puts text on the clipboard; false where the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  // There is no clipboard on a page that came over plain http from another machine.
  if (!navigator.clipboard) return copyBySelection(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyBySelection(text),
  )
}

function copyBySelection(text: string): boolean {
  const holder = document.createElement('textarea')
  holder.value = text
  holder.className = 'out-of-sight'
  const focused = document.activeElement
  // Inside an open dialog: elsewhere its focus trap would take the selection away.
  const parent = document.querySelector('[role="dialog"]') ?? document.body
  parent.append(holder)
  holder.select()
  const isCopied = document.execCommand('copy')
  holder.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
