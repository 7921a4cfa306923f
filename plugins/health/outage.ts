// Rules of health: when a route fails or partly fails, and when a provider rejects a key. Pure; the same for all gateways of a database.
import { DAY_MS } from '../../src/domain/ranges.ts'

/** A route fails if this many answers in a row failed. */
const MIN_IN_A_ROW = 5
/** A route also fails if the window has at least this many answers, of which at least FAILING_SHARE failed. */
const MIN_IN_WINDOW = 10
const FAILING_SHARE = 0.5
/** A route partly fails if at least this share of its last answers failed. */
const IMPAIRED_SHARE = 0.1
const WINDOW_MS = 5 * 60_000
/** The length of the slots in which answers of the window are counted. */
const SLOT_MS = 30_000

/** A route's answer to a call: its last attempt, if the call tried several keys. Invalid requests that the provider refused do not count. */
export interface Answer {
  at_ms: number
  /** The failure class, or the HTTP status of a provider error; null for a success. */
  failure: string | null
}

interface Slot {
  start_ms: number
  answered: number
  /** The number of failures by cause. */
  failed: Record<string, number>
}

/** The state of a route from which its health is derived: a few hundred bytes, at any number of calls. */
export interface RouteState {
  /** The last MIN_IN_A_ROW answers, newest last. */
  last: Answer[]
  /** The slots of the window, newest last. */
  slots: Slot[]
  /** The start of the outage; meaningless if the route does not fail. */
  since_ms: number | null
}

/** The last answers of a route, with failures among them. */
export interface Failures {
  /** Whether these are the answers of the window, or the last five. */
  of: 'window' | 'row'
  answers: number
  failed: number
  causes: Record<string, number>
}

/** A current outage of a route. */
export interface Outage extends Failures {
  since_ms: number
}

export const emptyRoute = (): RouteState => ({ last: [], slots: [], since_ms: null })

/** Adds an answer. It changes the state in place, because it runs for each call. */
export function addAnswer(state: RouteState, answer: Answer): void {
  const { last, slots } = state
  if (last.push(answer) > MIN_IN_A_ROW) last.shift()
  const start_ms = Math.floor(answer.at_ms / SLOT_MS) * SLOT_MS
  // Not only the newest slot: answers around the edge of two slots may arrive in the wrong order.
  let slot = slotAt(slots, start_ms)
  if (!slot) {
    slot = { start_ms, answered: 0, failed: {} }
    if (slots.push(slot) > WINDOW_MS / SLOT_MS) slots.shift()
  }
  if (answer.failure === null) slot.answered += 1
  else slot.failed[answer.failure] = (slot.failed[answer.failure] ?? 0) + 1
}

/** Finds the slot that starts at a time. A loop for speed, because it runs for each call. */
function slotAt(slots: readonly Slot[], start_ms: number): Slot | undefined {
  for (let at = slots.length - 1; at >= 0; at--) if (slots[at]?.start_ms === start_ms) return slots[at]
  return undefined
}

/**
 * Returns the outage of a route; undefined if it does not fail. An outage by five failures in a row ends with the first success; an outage
 * by the window ends when less than half of its answers failed. Answers older than a day do not count.
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

/** Returns the failures of a partly failing route: of the window if it has enough answers, else of the last five within a day. */
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

/** Merges a stored state with newer answers, of this gateway or another. @param now_ms the current time */
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
  // An outage that had not ended before the new answers keeps its start.
  const first_ms = added.last[0]?.at_ms ?? now_ms
  const since_ms = known.since_ms !== null && outageOf(known, first_ms) ? known.since_ms : null
  const merged = { last, slots, since_ms }
  return { ...merged, since_ms: outageOf(merged, now_ms)?.since_ms ?? null }
}

/** Orders answers by time; of equal times, failures come first, so that the success counts as the later one. */
const byTime = (one: Answer, other: Answer): number =>
  one.at_ms - other.at_ms || Number(one.failure === null) - Number(other.failure === null)

function countAll(counts: readonly (readonly [cause: string, count: number])[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [cause, count] of counts) sums[cause] = (sums[cause] ?? 0) + count
  return sums
}

const totalOf = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** The state of a provider's key: its rejections since its last success. Other failures do not concern the key. */
export interface KeyState {
  /** The time of the first rejection since the last success. */
  since_ms: number
  rejected: number
  rejected_ms: number
  /** The time of the last success; 0 if unknown. */
  answered_ms: number
}

export const emptyKey = (): KeyState => ({ since_ms: 0, rejected: 0, rejected_ms: 0, answered_ms: 0 })

/** Whether the provider rejects the key: from a rejection until the next success, for at most a day. */
export const isRejected = ({ rejected_ms, answered_ms }: KeyState, now_ms: number): boolean =>
  rejected_ms > answered_ms && rejected_ms > now_ms - DAY_MS

/** Adds a success with a key, or a rejection of it, in place. */
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

/** Merges two states of a key: rejections before the latest success of both do not count. */
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
