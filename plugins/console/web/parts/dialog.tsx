// Dialogs: a general one, and a confirmation of actions that cost money or cut off access.
import { Dialog as Base } from '@base-ui/react/dialog'
import { useMutation } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { Button, type Look } from './button.tsx'
import { classNames } from './class-names.ts'
import { Notice } from './notice.tsx'

export interface DialogState {
  open: boolean
  /** Called when the user closes it by Esc, a press outside, or the close button. */
  onClose: () => void
}

interface DialogProps extends DialogState {
  title: string
  children: ReactNode
  wide?: boolean
  /** False if it must not be closed by accident, for instance with a new key: only its own buttons close it. */
  dismissable?: boolean
  /** The element that gets the focus first; by default the first control. */
  first?: RefObject<HTMLElement | null>
}

const CONTROL =
  ':is(a[href], button, input, select, textarea, summary):not(:disabled, [type="hidden"], [tabindex="-1"])'

/**
 * A modal dialog. The focus moves to the first control, stays inside, and returns when the dialog closes. It moves before the next
 * key: Base UI moves it a frame later, and keys until then are lost or taken as shortcuts. Do not use `autoFocus` in a dialog: it
 * moves the focus before the dialog remembers where to return it.
 */
export function Dialog({ open, onClose, title, children, wide, dismissable = true, first }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
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
          <Base.Popup
            ref={popup}
            className={classNames('dialog', wide && 'dialog-wide')}
            initialFocus={(interaction) => {
              if (interaction === 'touch') return first?.current ?? popup.current
              const control = first?.current ?? popup.current?.querySelector<HTMLElement>(CONTROL)
              control?.focus()
              return document.activeElement !== control
            }}
          >
            <div className="dialog-head">
              <Base.Title>{title}</Base.Title>
            </div>
            {children}
            {/* Last, so that the first focus is not on the close button. */}
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

/** The buttons at the end of a dialog. The main action is last. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="dialog-actions">{children}</div>
)

/** The end of a dialog that shows a result. */
export const DialogDone = ({ onDone }: { onDone: () => void }) => (
  <DialogActions>
    <Button look="primary" onClick={onDone}>
      Done
    </Button>
  </DialogActions>
)

/** Returns what a dialog made, which it shows in place of its form until it is closed, then its setter, and the closing. */
export function useResult<Result>(onClose: () => void) {
  const [result, setResult] = useState<Result | null>(null)
  const close = (): void => {
    setResult(null)
    onClose()
  }
  return [result, setResult, close] as const
}

export interface ConfirmDialogProps extends DialogState {
  /** "Revoke the key tg_live_ab12?" */
  title: string
  /** "Calls with this key are refused from now on. This cannot be undone." */
  consequence: ReactNode
  /** The button's text: "Revoke key". */
  verb: string
  look?: Look
  /** The dialog closes when this resolves, and shows its error. */
  confirm: () => Promise<unknown>
}

/** A confirmation that names the consequence. Cancel has the focus first. */
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
          {verb.startsWith('Cancel') ? 'Go back' : 'Cancel'}
        </Button>
        <Button look={look} busy={isPending} onClick={() => mutate()}>
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
