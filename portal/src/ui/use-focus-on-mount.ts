import { useEffect, useRef } from 'react'

/** Takes the focus when it appears in the place of what had it. */
export function useFocusOnMount<Element extends HTMLElement>() {
  const element = useRef<Element>(null)
  useEffect(() => element.current?.focus(), [])
  return element
}
