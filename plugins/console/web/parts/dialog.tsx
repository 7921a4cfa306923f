// Dialogs: one for anything, and one that asks before what costs or cuts off.
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { names } from './class-names.ts'
import { Notice } from './notice.tsx'
import { messageOf } from './thrown.ts'

export interface DialogProps {
  open: boolean
  /** Closed by Esc, by a press outside or by its cross. */
  onClose: () => void
  title: string
  children: ReactNode
  /** For tables and code. */
  wide?: boolean
  /** False for what must not go by accident, such as a new key: only its own buttons close it. */
  dismissable?: boolean
  /** What has the focus first; without, the first control. */
  first?: RefObject<HTMLElement | null>
}

/**
 * The focus moves to the first control, stays in, and returns to where it came from. (It does not where a control has
 * `autoFocus`, which is earlier: then it came from within.)
 */
export function Dialog({ open, onClose, title, children, wide, dismissable = true, first }: DialogProps) {
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={!dismissable}
      onOpenChange={(now_open) => {
        if (!now_open && dismissable) onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Viewport className="dialog-place">
          <Base.Popup className={names('dialog', wide && 'dialog-wide')} initialFocus={first}>
            <div className="dialog-head">
              <Base.Title>{title}</Base.Title>
            </div>
            {children}
            {/* Last, so that the focus goes to what the dialog is for. */}
            {dismissable && (
              <div className="dialog-close">
                <Button look="quiet" icon={X} aria-label="Close" onClick={onClose} />
              </div>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/** The buttons at the end of a dialog, the deed last. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="dialog-actions">{children}</div>
)

export interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  /** "Revoke the key tg_live_ab12?" */
  title: string
  /** What follows from it: "Calls with this key are refused from now on. This cannot be undone." */
  consequence: ReactNode
  /** What the button says: "Revoke key". */
  verb: string
  /** It is closed once this is done; what it throws is shown in it. */
  confirm: () => Promise<unknown>
}

/** Asks once, naming the consequence, with Cancel focused first. */
export function ConfirmDialog({ open, onClose, title, consequence, verb, confirm }: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const cancel = useRef<HTMLButtonElement>(null)

  async function goAhead(): Promise<void> {
    setBusy(true)
    setFailure(null)
    try {
      await confirm()
      onClose()
    } catch (thrown) {
      setFailure(messageOf(thrown))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog open={open} onClose={onClose} title={title} first={cancel}>
      <div>{consequence}</div>
      {failure && (
        <Notice tone="bad" alert>
          {failure}
        </Notice>
      )}
      <DialogActions>
        <Button ref={cancel} onClick={onClose}>
          Cancel
        </Button>
        <Button look="danger" busy={busy} onClick={() => void goAhead()}>
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
