// Long commands: a progress line on standard error, cleared when the command ends, and a stop by signal.
import { conflict } from '../../domain/errors.ts'
import { atEnd, onSignals } from '../../utilities/at-end.ts'
import { sizeText } from '../../utilities/size-text.ts'
import type { CliDeps } from '../command-line/terminal.ts'

/** @throws GatewayError conflict once a signal has arrived */
type CheckStopped = () => void

/** @param stopped the message after a signal: that the command was stopped, and what remains of its work */
export async function untilStopped<T>(
  stopped: string,
  work: (check: CheckStopped) => Promise<T>,
): Promise<T> {
  let has_ended = false
  const end = () => {
    has_ended = true
  }
  using _listening = onSignals(end)
  return await work(() => {
    if (has_ended) throw conflict(stopped)
  })
}

/** Yields the content's blocks, and throws once a signal has arrived. */
export async function* untilThen(
  content: AsyncIterable<Uint8Array>,
  check: CheckStopped,
): AsyncGenerator<Uint8Array> {
  for await (const block of content) {
    check()
    yield block
  }
}

export interface Step {
  /** The work, such as `Packing`. */
  what: string
  done: number
  /** The total; undefined if unknown. */
  of?: number | undefined
  /** The unit of the counts; `bytes` are shown in kB and MB. */
  unit: string
}

/** Shows the progress. Redraws are throttled. */
export type ShowStep = (step: Step) => void

const DRAW_EVERY_MS = 100
/** The rate and the remaining time are shown from then on. */
const MIN_RATED_MS = 1_000
const GAP = '  '

/**
 * Runs work with a progress line, unless standard error is no terminal or --json is given. The work must not write anything
 * else while it runs.
 */
export async function withProgress<T>(
  { terminal: { progress }, monotonic_ms = performance.now.bind(performance) }: ProgressDeps,
  json: boolean,
  work: (show: ShowStep) => T | Promise<T>,
): Promise<T> {
  if (!progress || json) return await work(() => {})
  let line = ''
  const draw = (text: string) => {
    // Spaces instead of an erase sequence work on every terminal.
    progress.write(`\r${text.padEnd(line.length)}${text === '' ? '\r' : ''}`)
    line = text
  }
  const clear = () => {
    if (line !== '') draw('')
  }
  let drawn_at_ms = Number.NEGATIVE_INFINITY
  let what: string | undefined
  let started_at_ms = 0
  const show: ShowStep = (step) => {
    const now_ms = monotonic_ms()
    if (step.what !== what) {
      what = step.what
      started_at_ms = now_ms
    } else if (now_ms - drawn_at_ms < DRAW_EVERY_MS) return
    drawn_at_ms = now_ms
    draw(progressText(step, now_ms - started_at_ms, progress.columns()))
  }
  // Some work ends by `process.exit` on a signal.
  process.on('exit', clear)
  using _clearing = atEnd(() => {
    process.off('exit', clear)
    clear()
  })
  return await work(show)
}

interface ProgressDeps extends Pick<CliDeps, 'terminal'> {
  monotonic_ms?: () => number
}

/**
 * A line such as `Packing  12.4 of 85.3 MB  14%  3.1 MB/s  23 s left`.
 * @param elapsed_ms since the step began
 * @param columns of the terminal. The last one stays free, since the cursor after it would wrap; parts that do not fit are left out
 */
export function progressText({ what, done, of, unit }: Step, elapsed_ms: number, columns: number): string {
  const is_rated = elapsed_ms >= MIN_RATED_MS && done > 0
  const per_s = (done * 1_000) / elapsed_ms
  const count =
    of === undefined ? (done > 0 ? amount(done, unit) : '') : countOf(Math.min(done, of), of, unit)
  const percent = of ? `${Math.floor((Math.min(done, of) / of) * 100)}%` : ''
  const rate = is_rated ? `${unit === 'bytes' ? sizeText(per_s) : rounded(per_s)}/s` : ''
  const left = is_rated && of !== undefined ? leftText((Math.max(0, of - done) / per_s) * 1_000) : ''
  const all = [what, count, percent, rate, left]
  const choices = [all, [what, count, percent, left], [what, count, percent], [what, percent], [what]]
  const lines = choices.map((parts) => parts.filter((part) => part !== '').join(GAP))
  return lines.find(({ length }) => length < columns) ?? what.slice(0, Math.max(0, columns - 1))
}

const amount = (count: number, unit: string): string =>
  unit === 'bytes' ? sizeText(count) : `${count} ${unit}`

/** Writes the unit once if both counts have the same. */
function countOf(done: number, of: number, unit: string): string {
  const [is = '', all = ''] = [amount(done, unit), amount(of, unit)]
  const [figure = '', own] = is.split(' ')
  return all.endsWith(` ${own}`) ? `${figure} of ${all}` : `${is} of ${all}`
}

const rounded = (rate: number): string => (rate < 10 ? rate.toFixed(1) : String(Math.round(rate)))

/** Rounds up, so that it never says 0 while work remains. */
function leftText(left_ms: number): string {
  const seconds = Math.ceil(left_ms / 1_000)
  if (seconds < 60) return `${seconds} s left`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s left`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`
}
