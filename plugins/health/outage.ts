// The definition of health: when a route fails, since when, when it fails partly, and when a provider rejects a key. Pure, and the same for every gateway over a database.
import { DAY_MS } from '../../src/domain/ranges.ts'

/** A route fails if so many answers in a row failed … */
const MIN_IN_A_ROW = 5
/** … or, of at least so many in the window, this share. */
const MIN_IN_WINDOW = 10
const FAILING_SHARE = 0.5
/** It fails partly if this share of its last answers failed. */
const IMPAIRED_SHARE = 0.1
const WINDOW_MS = 5 * 60_000
/** The window is counted in slots of this length, to which it is exact. */
const SLOT_MS = 30_000

/** How a route answered a call: the last of its tries, where the call tried several keys. Requests refused as such are no answers. */
export interface Answer {
  at_ms: number
  /** The failure class, or the HTTP status of an error of the provider; null: it answered. */
  failure: string | null
}

interface Slot {
  start_ms: number
  answered: number
  /** By their cause. */
  failed: Record<string, number>
}

/** What the judgement needs to know of a route: a few hundred bytes, however busy it is. */
export interface RouteState {
  /** The last answers, the newest last: five at most. */
  last: Answer[]
  /** Those of the window, the newest last. */
  slots: Slot[]
  /** Since when it has been failing; it says nothing once it no longer fails. */
  since_ms: number | null
}

/** Some last answers, of which some failed. */
export interface Failures {
  /** Of the window, or of the last five answers. */
  of: 'window' | 'row'
  answers: number
  failed: number
  causes: Record<string, number>
}

/** The failing of a route at some moment. */
export interface Outage extends Failures {
  since_ms: number
}

export const emptyRoute = (): RouteState => ({ last: [], slots: [], since_ms: null })

/** Adds an answer. It is called for each call: it changes the state in place. */
export function addAnswer(state: RouteState, answer: Answer): void {
  const { last, slots } = state
  if (last.push(answer) > MIN_IN_A_ROW) last.shift()
  const start_ms = Math.floor(answer.at_ms / SLOT_MS) * SLOT_MS
  // Not the newest alone: of calls that end at the edge of two slots, the older may be told last.
  let slot = slotAt(slots, start_ms)
  if (!slot) {
    slot = { start_ms, answered: 0, failed: {} }
    if (slots.push(slot) > WINDOW_MS / SLOT_MS) slots.shift()
  }
  if (answer.failure === null) slot.answered += 1
  else slot.failed[answer.failure] = (slot.failed[answer.failure] ?? 0) + 1
}

/** The slot that begins at some time. A loop, since every call asks. */
function slotAt(slots: readonly Slot[], start_ms: number): Slot | undefined {
  for (let at = slots.length - 1; at >= 0; at--) if (slots[at]?.start_ms === start_ms) return slots[at]
  return undefined
}

/**
 * The outage of a route at a moment; undefined while it does not fail. It ends with the first answer where five in a row were why, and
 * else once less than half of the window failed. Nothing older than a day counts.
 */
export function outageOf(state: RouteState, now_ms: number): Outage | undefined {
  const { last, since_ms } = state
  const slots = slotsIn(state, now_ms)
  const window = windowOf(slots)
  if (window.answers >= MIN_IN_WINDOW && window.failed >= window.answers * FAILING_SHARE) {
    const first_ms = slots.find((slot) => totalOf(slot.failed) >= slot.answered)?.start_ms ?? now_ms
    return { since_ms: since_ms ?? first_ms, ...window }
  }
  const [first] = last
  const newest = last.at(-1)
  if (!first || !newest || newest.at_ms <= now_ms - DAY_MS) return undefined
  const row = rowOf(last)
  return row.failed < MIN_IN_A_ROW ? undefined : { since_ms: since_ms ?? first.at_ms, ...row }
}

/** The failures of a route of whose last answers a tenth failed: of the window where it has enough, else of the last five of a day. */
export function impairmentOf(state: RouteState, now_ms: number): Failures | undefined {
  const window = windowOf(slotsIn(state, now_ms))
  const row = () => rowOf(state.last.filter(({ at_ms }) => at_ms > now_ms - DAY_MS))
  const judged = window.answers >= MIN_IN_WINDOW ? window : row()
  return judged.failed > 0 && judged.failed >= judged.answers * IMPAIRED_SHARE ? judged : undefined
}

const slotsIn = ({ slots }: RouteState, now_ms: number): Slot[] =>
  slots.filter(({ start_ms }) => start_ms > now_ms - WINDOW_MS)

function windowOf(slots: readonly Slot[]): Failures {
  const causes = countAll(slots.flatMap(({ failed }) => Object.entries(failed)))
  const failed = totalOf(causes)
  const answers = failed + slots.reduce((sum, { answered }) => sum + answered, 0)
  return { of: 'window', answers, failed, causes }
}

function rowOf(last: readonly Answer[]): Failures {
  const failures = last.flatMap(({ failure }) => failure ?? [])
  const causes = countAll(failures.map((failure) => [failure, 1]))
  return { of: 'row', answers: last.length, failed: failures.length, causes }
}

/** A state with the answers that were gathered since, by this gateway or another. @param now_ms of the newest of them */
export function mergeRoutes(known: RouteState, added: RouteState, now_ms: number): RouteState {
  const last = [...known.last, ...added.last].sort(byTime).slice(-MIN_IN_A_ROW)
  const starts = Map.groupBy([...known.slots, ...added.slots], ({ start_ms }) => start_ms)
  const slots = [...starts]
    .map(([start_ms, of_start]): Slot => {
      const answered = of_start.reduce((sum, slot) => sum + slot.answered, 0)
      return {
        start_ms,
        answered,
        failed: countAll(of_start.flatMap(({ failed }) => Object.entries(failed))),
      }
    })
    .filter(({ start_ms }) => start_ms > now_ms - WINDOW_MS)
    .sort((one, other) => one.start_ms - other.start_ms)
  // An outage goes on that had not ended before the new answers.
  const first_ms = added.last[0]?.at_ms ?? now_ms
  const since_ms = known.since_ms !== null && outageOf(known, first_ms) ? known.since_ms : null
  const merged = { last, slots, since_ms }
  return { ...merged, since_ms: outageOf(merged, now_ms)?.since_ms ?? null }
}

/** Answers of the same moment: the failures first, so that a failure does not hide an answer. */
const byTime = (one: Answer, other: Answer): number =>
  one.at_ms - other.at_ms || Number(one.failure === null) - Number(other.failure === null)

function countAll(counts: readonly (readonly [cause: string, count: number])[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [cause, count] of counts) sums[cause] = (sums[cause] ?? 0) + count
  return sums
}

const totalOf = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** What is known of a provider's key: the rejections since its last answer. Other failures say nothing about it. */
export interface KeyState {
  /** The first rejection since the last answer. */
  since_ms: number
  rejected: number
  rejected_ms: number
  /** The last answer; 0: none is known. */
  answered_ms: number
}

export const emptyKey = (): KeyState => ({ since_ms: 0, rejected: 0, rejected_ms: 0, answered_ms: 0 })

/** Whether the provider rejects it: from the first rejection until an answer with it, for a day at most. */
export const isRejected = ({ rejected_ms, answered_ms }: KeyState, now_ms: number): boolean =>
  rejected_ms > answered_ms && rejected_ms > now_ms - DAY_MS

/** Adds an answer with a key, or a rejection of it, in place. */
export function addToKey(
  state: KeyState,
  { at_ms, is_rejected }: { at_ms: number; is_rejected: boolean },
): void {
  if (!is_rejected) {
    state.answered_ms = Math.max(state.answered_ms, at_ms)
    return
  }
  const goes_on = isRejected(state, at_ms)
  state.since_ms = goes_on ? Math.min(state.since_ms, at_ms) : at_ms
  state.rejected = goes_on ? state.rejected + 1 : 1
  state.rejected_ms = Math.max(state.rejected_ms, at_ms)
}

/** Both states of a key: the rejections of each after the last answer of both. */
export function mergeKeys(known: KeyState, added: KeyState): KeyState {
  const answered_ms = Math.max(known.answered_ms, added.answered_ms)
  const counting = [known, added].filter(({ rejected_ms }) => rejected_ms > answered_ms)
  if (counting.length === 0) return { ...emptyKey(), answered_ms }
  return {
    since_ms: Math.min(...counting.map(({ since_ms }) => since_ms)),
    rejected: counting.reduce((sum, { rejected }) => sum + rejected, 0),
    rejected_ms: Math.max(...counting.map(({ rejected_ms }) => rejected_ms)),
    answered_ms,
  }
}
