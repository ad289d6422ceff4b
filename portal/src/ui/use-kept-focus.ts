import { useEffect } from 'react'

const controls = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary'

/**
 * Keeps the focus of whoever works by keyboard on the page. A control that is used often goes away with what it has done, or is
 * disabled while it works; the browser then drops the focus, and Tab begins again at the top.
 */
export function useKeptFocus() {
  useEffect(() => {
    /** What had the focus last, and all that is around it. */
    let trail: Element[] = []
    const remember = ({ target }: FocusEvent) => {
      trail = []
      for (let element = target; element instanceof Element; element = element.parentElement)
        trail.push(element)
    }
    // Whoever points at an empty place means to take the focus away.
    const forget = () => {
      trail = []
    }
    const keep = () => {
      const [last] = trail
      if (!(last instanceof HTMLElement) || document.activeElement !== document.body) return
      if (last.checkVisibility()) last.focus()
      else nearest(trail)?.focus()
    }
    const observer = new MutationObserver(keep)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    addEventListener('focusin', remember)
    addEventListener('pointerdown', forget)
    return () => {
      observer.disconnect()
      removeEventListener('focusin', remember)
      removeEventListener('pointerdown', forget)
    }
  }, [])
}

/** The first control of what is left around it, short of the whole page: there its heading. */
function nearest(trail: Element[]): HTMLElement | null {
  for (const element of trail.slice(1)) {
    if (element.id === 'content' || !element.closest('#content')) break
    const control = element.querySelector<HTMLElement>(controls)
    if (control) return control
  }
  return document.querySelector<HTMLElement>('h1') ?? document.getElementById('content')
}
