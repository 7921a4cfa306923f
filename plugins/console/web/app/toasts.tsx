// Toasts: results of actions in a corner, for some seconds, with undo if the action has one.
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { Button } from '../parts/button.tsx'
import { createNotifier } from './notifier.ts'

const SHOWN_MS = 6_000
const SHOWN_WITH_UNDO_MS = 10_000
const MAX_TOASTS = 4

export interface Toast {
  text: string
  tone?: 'good' | 'bad'
  /** The subject, such as `catalogue`. A toast replaces an earlier one of the same subject, which may contradict it. */
  subject?: string | undefined
  undo?: () => void
}

interface ToastEntry extends Toast {
  id: number
}

let toasts: readonly ToastEntry[] = []
let next_id = 1
const changes = createNotifier()

function show(next: readonly ToastEntry[]): void {
  toasts = next
  changes.notify()
}

/** Shows the result of an action: "alice is suspended". */
export function toast(result: Toast): void {
  show([...others(result.subject), { ...result, id: next_id++ }].slice(-MAX_TOASTS))
}

/** Removes the toasts of a subject when an action on it begins: they may no longer be true. */
export const dismissToasts = (subject: string): void => show(others(subject))

const others = (subject: string | undefined): readonly ToastEntry[] =>
  subject === undefined ? toasts : toasts.filter((each) => each.subject !== subject)

const dismiss = (id: number): void => show(toasts.filter((each) => each.id !== id))

/** The list of toasts; rendered once, in app.tsx. */
export function Toasts() {
  const current = useSyncExternalStore(changes.on, () => toasts)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {current.map((each) => (
        <ToastLine key={each.id} {...each} />
      ))}
    </div>
  )
}

function ToastLine({ id, text, tone = 'good', undo }: ToastEntry) {
  useEffect(() => {
    // A failure stays until the user dismisses it.
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
