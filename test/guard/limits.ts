// The most that a call may do: what it did when the limit was last set, and a little for what varies.
import type { CountedKind } from './kinds.ts'

type Limits = Partial<Record<CountedKind, Readonly<Record<string, number>>>>

export const LIMITS: Limits = {
  'small whole call': { timers: 1.3, 'SQL statements': 14.5, 'messages to a thread': 0 },
  'short stream': { timers: 1.6, 'SQL statements': 14.5, 'messages to a thread': 0 },
  'forwarded event': { timers: 0.1, 'SQL statements': 0.2, 'messages to a thread': 0 },
  'translated event': { timers: 0.1, 'SQL statements': 0.2, 'messages to a thread': 0 },
}

/** The ledger's own work is on another thread then, which is told of each batch once. */
export const LIMITS_WITH_A_THREAD: Limits = {
  'small whole call': { timers: 2, 'SQL statements': 0.5, 'messages to a thread': 2 },
}
