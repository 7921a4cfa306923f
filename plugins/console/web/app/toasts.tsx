// Results of deeds, in a corner, for some seconds; with undo where there is one.
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { Button } from '../parts/button.tsx'

const SHOWN_MS = 6_000
const SHOWN_WITH_UNDO_MS = 10_000
const MAX_TOASTS = 4

export interface Toast {
  text: string
  tone?: 'good' | 'bad'
  /** Takes the deed back. */
  undo?: () => void
}

interface ShownToast extends Toast {
  id: number
}

let shown: readonly ShownToast[] = []
let next_id = 1
const hearers = new Set<() => void>()

function show(toasts: readonly ShownToast[]): void {
  shown = toasts
  for (const hear of hearers) hear()
}

/** Shows the result of a deed: "alice is suspended". */
export function toast(result: Toast): void {
  show([...shown, { ...result, id: next_id++ }].slice(-MAX_TOASTS))
}

const dismiss = (id: number): void => show(shown.filter((each) => each.id !== id))

const listen = (hear: () => void): (() => void) => {
  hearers.add(hear)
  return () => hearers.delete(hear)
}

/** The place of the toasts. Stands once, in the shell. */
export function Toasts() {
  const toasts = useSyncExternalStore(listen, () => shown)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((each) => (
        <ToastLine key={each.id} {...each} />
      ))}
    </div>
  )
}

function ToastLine({ id, text, tone = 'good', undo }: ShownToast) {
  useEffect(() => {
    // What failed stays until it is read.
    if (tone === 'bad') return
    const timer = setTimeout(() => dismiss(id), undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, tone, undo])
  const Icon = tone === 'good' ? CircleCheck : CircleAlert
  return (
    <div className="toast">
      <Icon className={`icon tone-${tone}`} aria-hidden />
      <span>{text}</span>
      {undo && (
        <Button
          small
          onClick={() => {
            dismiss(id)
            undo()
          }}
        >
          Undo
        </Button>
      )}
      <Button look="quiet" small icon={X} aria-label="Dismiss" onClick={() => dismiss(id)} />
    </div>
  )
}
