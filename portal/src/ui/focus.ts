import { useEffect, useRef } from 'react'

const controls = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary'

/**
 * Keeps the keyboard focus when the focused control is removed or disabled by its own action. Browsers drop the focus then, and
 * Tab starts again at the top of the page.
 */
export function useKeptFocus() {
  useEffect(() => {
    /** The element that had the focus last, then its ancestors. */
    let path: Element[] = []
    const savePath = ({ target }: FocusEvent) => {
      path = []
      for (let element = target; element instanceof Element; element = element.parentElement)
        path.push(element)
    }
    // A click on an empty area removes the focus on purpose.
    const clearPath = () => {
      path = []
    }
    const restoreFocus = () => {
      const [last] = path
      if (!(last instanceof HTMLElement) || document.activeElement !== document.body) return
      if (last.checkVisibility()) last.focus()
      else nearestControl(path)?.focus()
    }
    const observer = new MutationObserver(restoreFocus)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    addEventListener('focusin', savePath)
    addEventListener('pointerdown', clearPath)
    return () => {
      observer.disconnect()
      removeEventListener('focusin', savePath)
      removeEventListener('pointerdown', clearPath)
    }
  }, [])
}

/** The first control in the nearest remaining ancestor within the content, else the page's heading. */
function nearestControl(path: Element[]): HTMLElement | null {
  for (const element of path.slice(1)) {
    if (element.id === 'content' || !element.closest('#content')) break
    const control = element.querySelector<HTMLElement>(controls)
    if (control) return control
  }
  return document.querySelector<HTMLElement>('h1') ?? document.getElementById('content')
}

/** Focuses the element when it appears in place of the control that had the focus. */
export function useFocusOnMount<Element extends HTMLElement>() {
  const element = useRef<Element>(null)
  useEffect(() => element.current?.focus(), [])
  return element
}
