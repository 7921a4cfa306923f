// Dialogs: one for anything, and one that asks before what costs or cuts off.
import { Dialog as Base } from '@base-ui/react/dialog'
import { useMutation } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useRef } from 'react'
import { Button, type Look } from './button.tsx'
import { names } from './class-names.ts'
import { Notice } from './notice.tsx'

interface DialogProps {
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

/** The buttons at the end of a dialog, the action last. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="dialog-actions">{children}</div>
)

interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  /** "Revoke the key tg_live_ab12?" */
  title: string
  /** What follows from it: "Calls with this key are refused from now on. This cannot be undone." */
  consequence: ReactNode
  /** What the button says: "Revoke key". */
  verb: string
  /** Of the button; that of what cuts off where absent. */
  look?: Look
  /** The dialog closes once this is done, and shows its error. */
  confirm: () => Promise<unknown>
}

/** Asks once, naming the consequence, with Cancel focused first. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  consequence,
  verb,
  look = 'danger',
  confirm,
}: ConfirmDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null)
  const { mutate, isPending, error } = useMutation({ mutationFn: confirm, onSuccess: onClose })

  return (
    <Dialog open={open} onClose={onClose} title={title} first={cancel}>
      <div>{consequence}</div>
      {error && (
        <Notice tone="bad" alert>
          {error.message}
        </Notice>
      )}
      <DialogActions>
        <Button ref={cancel} onClick={onClose}>
          Cancel
        </Button>
        <Button look={look} busy={isPending} onClick={() => mutate()}>
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
