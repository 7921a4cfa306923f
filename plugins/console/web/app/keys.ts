// The keys that work everywhere: which ones there are, and when they are heard.
import { useEffect } from 'react'

/** After `g`, the letter has this long to come. */
const LETTER_WITHIN_MS = 1_500

interface KeyActions {
  /** `/` */
  search: () => void
  /** `?` */
  help: () => void
  /** `g` and a letter. @returns whether there is such a page */
  goTo: (letter: string) => boolean
}

/** Hears keys outside of inputs, and outside of open dialogs and menus. */
export function useKeys(actions: KeyActions): void {
  useEffect(() => {
    let asked_ms = 0
    function press(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target))
        return
      const is_letter = event.timeStamp - asked_ms < LETTER_WITHIN_MS
      asked_ms = 0
      if (is_letter && actions.goTo(event.key)) event.preventDefault()
      else if (event.key === 'g') asked_ms = event.timeStamp
      else if (event.key === '?') actions.help()
      else if (event.key === '/') {
        // Otherwise the slash is typed into the box that opens.
        event.preventDefault()
        actions.search()
      }
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [actions])
}

const TYPES = 'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"]'

const isTaken = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(TYPES) !== null
