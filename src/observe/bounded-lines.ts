// Rate limits for log lines that callers cause for free, by refused requests and sockets: per caller and in total, with a summary of omitted lines.
import type { LogFields, Logger, LogLevel } from './log.ts'

interface BoundedLines {
  /** Writes a line within the limits. @param caller an account or an address, whose lines are counted together */
  write(caller: string, fields: LogFields, message: string, level?: LogLevel): void
}

interface BoundedLinesOptions {
  now?: () => number
  later?: (run: () => void, delay_ms: number) => unknown
}

/** A burst, then a rate per minute: 14,400 lines a day are 4 MB. */
const MAX_OF_CALLER = { at_once: 100, a_minute: 10 }
const MAX_OF_ALL = { at_once: 1_000, a_minute: 100 }
const SUMMARY_AFTER_MS = 60_000
const MINUTE_MS = 60_000
/** Above this number, the counts of all callers are reset. The total limit still applies. */
const MAX_CALLERS = 10_000

const inAMinute = (run: () => void, delay_ms: number) => setTimeout(run, delay_ms).unref()

/** Limits the lines of a log. */
export function boundLines(
  log: Logger,
  { now = Date.now, later = inAMinute }: BoundedLinesOptions = {},
): BoundedLines {
  const all = new Room(MAX_OF_ALL, now())
  const callers = new Map<string, Room>()
  let left_out = new Map<string, number>()

  function summarize(): void {
    const counts = [...left_out].sort(([, one], [, other]) => other - one)
    const [most_of, most] = counts[0] ?? []
    left_out = new Map()
    const lines = counts.reduce((sum, [, count]) => sum + count, 0)
    log.info({ left_out: lines, callers: counts.length, most_of, most }, 'lines about requests were left out')
  }

  function leaveOut(caller: string): void {
    if (left_out.size === 0) later(summarize, SUMMARY_AFTER_MS)
    const name = left_out.has(caller) || left_out.size < MAX_CALLERS ? caller : 'others'
    left_out.set(name, (left_out.get(name) ?? 0) + 1)
  }

  return {
    write(caller, fields, message, level = 'info') {
      const at_ms = now()
      let room = callers.get(caller)
      if (!room) {
        if (callers.size >= MAX_CALLERS) callers.clear()
        room = new Room(MAX_OF_CALLER, at_ms)
        callers.set(caller, room)
      }
      // A caller over its own limit does not use up the total.
      if (room.take(at_ms) && all.take(at_ms)) log[level](fields, message)
      else leaveOut(caller)
    },
  }
}

/** A token bucket for lines. */
class Room {
  readonly #max: typeof MAX_OF_CALLER
  #lines: number
  #at_ms: number

  constructor(max: typeof MAX_OF_CALLER, at_ms: number) {
    this.#max = max
    this.#lines = max.at_once
    this.#at_ms = at_ms
  }

  take(at_ms: number): boolean {
    const come_back = (Math.max(0, at_ms - this.#at_ms) / MINUTE_MS) * this.#max.a_minute
    this.#lines = Math.min(this.#max.at_once, this.#lines + come_back)
    this.#at_ms = at_ms
    if (this.#lines < 1) return false
    this.#lines -= 1
    return true
  }
}

const LINES = new WeakMap<Logger, BoundedLines>()

/** Returns the limited lines of a log: all writers share one limit. */
export function boundedLinesOf(log: Logger): BoundedLines {
  let lines = LINES.get(log)
  if (!lines) {
    lines = boundLines(log)
    LINES.set(log, lines)
  }
  return lines
}
