// Keyboard shortcuts of all pages, and the dialog that lists them.
import { useEffect } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import type { PageEntry } from './page-entry.ts'

/** The time for the letter after `g`. */
const LETTER_TIMEOUT_MS = 1_500

interface KeyActions {
  search: () => void
  help: () => void
  /** `g` and a letter. @returns whether a page has the letter */
  goTo: (letter: string) => boolean
}

/** Handles shortcuts, except in inputs, open dialogs and menus. */
export function useKeys(actions: KeyActions): void {
  useEffect(() => {
    let prefix_ms = 0
    function press(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isUsed(event.target))
        return
      const is_letter = event.timeStamp - prefix_ms < LETTER_TIMEOUT_MS
      prefix_ms = 0
      if (is_letter && actions.goTo(event.key)) event.preventDefault()
      else if (event.key === 'g') prefix_ms = event.timeStamp
      else if (event.key === '?') actions.help()
      else if (event.key === '/') {
        // Without it, the slash would be typed into the search box.
        event.preventDefault()
        actions.search()
      }
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [actions])
}

const USED = 'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"]'

const isUsed = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(USED) !== null

interface KeysDialogProps {
  open: boolean
  onClose: () => void
  pages: readonly PageEntry[]
}

export function KeysDialog({ open, onClose, pages }: KeysDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Shortcuts">
      <Facts
        facts={[
          ['Search', <kbd key="search">/</kbd>],
          ...pages
            .filter(({ letter }) => letter !== undefined)
            .map(
              ({ title, letter }) =>
                [
                  title,
                  <span key={title} className="row">
                    <kbd>g</kbd> then <kbd>{letter}</kbd>
                  </span>,
                ] as const,
            ),
          ['These keys', <kbd key="help">?</kbd>],
          ['Close', <kbd key="close">Esc</kbd>],
        ]}
      />
    </Dialog>
  )
}
