// Leaving a page with unsaved changes: it asks, whether by a link, by the browser's back button, or by closing the tab.
import { useEffect, useSyncExternalStore } from 'react'
import type { RouterObject } from 'wouter'
import { createNews } from './news.ts'

const news = createNews()
/** Pages with unsaved changes: one, or none. */
let guards = 0
/** The step that waits for an answer. */
let waiting: (() => void) | null = null
/** The address that is guarded, query included, which the browser has left already when it tells of a step back. */
let guarded = ''
/** The next step back was agreed to. */
let is_agreed = false

function wait(step: (() => void) | null): void {
  waiting = step
  news.tell()
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
export function useLeaving() {
  const is_waiting = useSyncExternalStore(news.on, () => waiting !== null)
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
