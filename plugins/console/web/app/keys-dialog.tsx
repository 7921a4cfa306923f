// The keys that work everywhere, shown by `?`.
import { Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import type { PageEntry } from './page-entry.ts'

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
