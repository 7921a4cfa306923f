// Confirmation before the user leaves a page with unsaved changes.
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { RouterObject } from 'wouter'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { createNotifier } from './notifier.ts'

const changes = createNotifier()
/** The number of mounted components with unsaved changes. */
let guards = 0
let is_kept = false
let pending: (() => void) | null = null
/** The address of the guarded page with its query. The browser reports a step back only after it has left this address. */
let guarded_address = ''
let is_confirmed = false

function setPending(navigation: (() => void) | null): void {
  pending = navigation
  changes.notify()
}

/** Asks the user before they leave the page, as long as it has unsaved changes. @param keeps_draft whether they survive it */
export function useLeaveGuard(has_changes: boolean, keeps_draft = false): void {
  useEffect(() => {
    if (!has_changes) return
    guards += 1
    is_kept = keeps_draft
    rememberAddress()
    addEventListener('beforeunload', preventUnload)
    return () => {
      guards -= 1
      removeEventListener('beforeunload', preventUnload)
    }
  }, [has_changes, keeps_draft])
}

const rememberAddress = (): void => {
  guarded_address = location.href
}

/** Makes the browser show its own confirmation. */
const preventUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

const isOtherPage = (address: string): boolean =>
  new URL(address, location.href).pathname !== new URL(guarded_address).pathname

/** Reverts a step back or forward until the user confirms it. */
function onHistoryStep(event: Event): void {
  if (guards === 0 || is_confirmed || !isOtherPage(location.href)) {
    is_confirmed = false
    rememberAddress()
    return
  }
  event.stopImmediatePropagation()
  history.pushState(null, '', guarded_address)
  setPending(() => {
    is_confirmed = true
    history.back()
  })
}

// Listeners of a window run in the order of their registration: these must run before the router's, which the first page registers.
addEventListener('popstate', onHistoryStep)
for (const method of ['pushState', 'replaceState']) addEventListener(method, rememberAddress)

/** Guards the router's navigations, by links and by shortcuts. */
export const aroundNavigation: RouterObject['aroundNav'] = (navigate, to, options) => {
  const go = () => navigate(to, options)
  if (guards > 0 && isOtherPage(String(to))) setPending(go)
  else go()
}

function usePendingNavigation() {
  const is_pending = useSyncExternalStore(changes.on, () => pending !== null)
  return {
    is_pending,
    stay: () => setPending(null),
    leave() {
      const navigation = pending
      setPending(null)
      navigation?.()
    },
  }
}

export function LeaveDialog() {
  const { is_pending, stay, leave } = usePendingNavigation()
  const first = useRef<HTMLButtonElement>(null)
  return (
    <Dialog open={is_pending} onClose={stay} title="Leave without saving?" first={first}>
      {is_kept ? 'Your changes stay in this tab as a draft.' : 'Your changes are lost if you leave.'}
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
