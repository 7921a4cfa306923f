// Time: relative in sentences, by the clock in lists, with the other form on hover.
import { useSyncExternalStore } from 'react'
import { useZone } from '../app/zone.ts'
import { clockTime, exactTime, relativeTime } from './time-words.ts'

const TICK_MS = 15_000

let now_ms = Date.now()
let ticking: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function onTick(listen: () => void): () => void {
  listeners.add(listen)
  ticking ??= setInterval(() => {
    now_ms = Date.now()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listen)
    if (listeners.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

interface TimeProps {
  /** Milliseconds since 1970; null is a dash. */
  at_ms: number | null
}

interface TimeElementProps extends TimeProps {
  wordsOf: (at_ms: number, now_ms: number) => string
  titleOf: (at_ms: number, now_ms: number) => string | undefined
}

/** All times of a page share one clock. A time may be newer than the clock's last tick. */
function TimeElement({ at_ms, wordsOf, titleOf }: TimeElementProps) {
  const tick_ms = useSyncExternalStore(onTick, () => now_ms)
  useZone()
  if (at_ms === null) return <span className="soft">–</span>
  const now = Math.max(tick_ms, Math.min(at_ms, Date.now()))
  return (
    <time className="no-wrap" dateTime={new Date(at_ms).toISOString()} title={titleOf(at_ms, now)}>
      {wordsOf(at_ms, now)}
    </time>
  )
}

/** A relative time, for sentences. @param exact shows the exact time instead */
export const Time = ({ at_ms, exact = false }: TimeProps & { exact?: boolean }) => (
  <TimeElement
    at_ms={at_ms}
    wordsOf={exact ? exactTime : relativeTime}
    titleOf={exact ? () => undefined : exactTime}
  />
)

/** The time by the clock, for lists, in which rows are compared. */
export const ClockTime = ({ at_ms }: TimeProps) => (
  <TimeElement
    at_ms={at_ms}
    wordsOf={clockTime}
    titleOf={(time_ms, now) => `${relativeTime(time_ms, now)}: ${exactTime(time_ms)}`}
  />
)
