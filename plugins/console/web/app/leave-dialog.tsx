// The question before a page with unsaved changes is left.
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { RouterObject } from 'wouter'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { createNotifier } from './notifier.ts'

const changes = createNotifier()
/** Pages with unsaved changes: one, or none. */
let guards = 0
/** The step that waits for an answer. */
let waiting: (() => void) | null = null
/** The address that is guarded, query included, which the browser has left already when it reports a step back. */
let guarded = ''
/** The next step back was agreed to. */
let is_agreed = false

function wait(step: (() => void) | null): void {
  waiting = step
  changes.notify()
}

/** Asks before the page is left, as long as it has unsaved changes. */
export function useLeaveGuard(has_changes: boolean): void {
  useEffect(() => {
    if (!has_changes) return
    guards += 1
    follow()
    addEventListener('beforeunload', hold)
    return () => {
      guards -= 1
      removeEventListener('beforeunload', hold)
    }
  }, [has_changes])
}

const follow = (): void => {
  guarded = location.href
}

/** The browser asks in its own words. */
const hold = (event: BeforeUnloadEvent): void => event.preventDefault()

const isElsewhere = (address: string): boolean =>
  new URL(address, location.href).pathname !== new URL(guarded).pathname

/** A step back or forward is taken back until somebody agrees. */
function onStep(event: Event): void {
  if (guards === 0 || is_agreed || !isElsewhere(location.href)) {
    is_agreed = false
    follow()
    return
  }
  event.stopImmediatePropagation()
  history.pushState(null, '', guarded)
  wait(() => {
    is_agreed = true
    history.back()
  })
}

// The listeners of a window are called in their order: these come before the router's, which begins with the first page.
addEventListener('popstate', onStep)
for (const move of ['pushState', 'replaceState']) addEventListener(move, follow)

/** The router's steps, of links and of keys. */
export const aroundNavigation: RouterObject['aroundNav'] = (navigate, to, options) => {
  const go = () => navigate(to, options)
  if (guards > 0 && isElsewhere(String(to))) wait(go)
  else go()
}

/** Whether a step waits for an answer; and the answers. */
function useLeaving() {
  const is_waiting = useSyncExternalStore(changes.on, () => waiting !== null)
  return {
    is_waiting,
    stay: () => wait(null),
    leave() {
      const step = waiting
      wait(null)
      step?.()
    },
  }
}

export function LeaveDialog() {
  const { is_waiting, stay, leave } = useLeaving()
  const first = useRef<HTMLButtonElement>(null)
  return (
    <Dialog open={is_waiting} onClose={stay} title="Leave without saving?" first={first}>
      <div>
        Your changes are not in force yet. They stay in this tab as a draft: come back to save or discard
        them.
      </div>
      <DialogActions>
        <Button ref={first} onClick={stay}>
          Stay on this page
        </Button>
        <Button look="primary" onClick={leave}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  )
}
