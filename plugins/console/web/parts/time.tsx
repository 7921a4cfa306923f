// A time: how long ago, with the exact one on hover.
import { useSyncExternalStore } from 'react'

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const short = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

const TICK_MS = 15_000
const STEPS = [
  ['minute', 60_000, 3_600_000],
  ['hour', 3_600_000, 86_400_000],
  ['day', 86_400_000, 30 * 86_400_000],
] as const

/** "3 minutes ago", "in 2 days"; further away, the date. */
export function relativeTime(time_ms: number, now_ms: number): string {
  const away_ms = time_ms - now_ms
  if (Math.abs(away_ms) < 10_000) return 'just now'
  if (Math.abs(away_ms) < 60_000) return relative.format(Math.trunc(away_ms / 1_000), 'second')
  const step = STEPS.find(([, , until_ms]) => Math.abs(away_ms) < until_ms)
  return step ? relative.format(Math.trunc(away_ms / step[1]), step[0]) : day.format(time_ms)
}

/** The exact time in this browser's zone. */
export const exactTime = (time_ms: number): string => exact.format(time_ms)

/** The day and the minute, where the year is plain and room is short. */
export const shortTime = (time_ms: number): string => short.format(time_ms)

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

export interface TimeProps {
  /** Milliseconds since 1970; null is a dash. */
  at_ms: number | null
  /** The exact time in view, where it is what is looked for. */
  exact?: boolean
}

export function Time({ at_ms, exact: in_view }: TimeProps) {
  const now = useNow()
  if (at_ms === null) return <span className="soft">–</span>
  // What has just arrived is newer than the last tick.
  const words = in_view ? exactTime(at_ms) : relativeTime(at_ms, Math.max(now, Math.min(at_ms, Date.now())))
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
