// A time: in sentences how long ago, in lists by the clock; the other one on hover.
import { useSyncExternalStore } from 'react'

import { clockTime, exactTime, relativeTime } from './time-words.ts'

const TICK_MS = 15_000

let now_ms = Date.now()
let ticking: ReturnType<typeof setInterval> | undefined
const hearers = new Set<() => void>()

function onTick(hear: () => void): () => void {
  hearers.add(hear)
  ticking ??= setInterval(() => {
    now_ms = Date.now()
    for (const each of hearers) each()
  }, TICK_MS)
  return () => {
    hearers.delete(hear)
    if (hearers.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

/** The time now, in steps of some seconds that all of the page share. */
const useNow = (): number => useSyncExternalStore(onTick, () => now_ms)

/** The same for a time that has just come and is newer than the last tick. */
function useNowFor(at_ms: number | null): number {
  const now = useNow()
  return at_ms === null ? now : Math.max(now, Math.min(at_ms, Date.now()))
}

interface TimeProps {
  /** Milliseconds since 1970; null is a dash. */
  at_ms: number | null
  /** The exact time in view, where it is what is looked for. */
  exact?: boolean
}

/** How long ago, for sentences. */
export function Time({ at_ms, exact: in_view }: TimeProps) {
  const now = useNowFor(at_ms)
  if (at_ms === null) return <span className="soft">–</span>
  const words = in_view ? exactTime(at_ms) : relativeTime(at_ms, now)
  return (
    <time
      className="no-wrap"
      dateTime={new Date(at_ms).toISOString()}
      title={in_view ? undefined : exactTime(at_ms)}
    >
      {words}
    </time>
  )
}

/** The time by the clock, for lists: rows compare at a glance. */
export function ClockTime({ at_ms }: Pick<TimeProps, 'at_ms'>) {
  const now = useNowFor(at_ms)
  if (at_ms === null) return <span className="soft">–</span>
  return (
    <time
      className="no-wrap"
      dateTime={new Date(at_ms).toISOString()}
      title={`${relativeTime(at_ms, now)}: ${exactTime(at_ms)}`}
    >
      {clockTime(at_ms, now)}
    </time>
  )
}
