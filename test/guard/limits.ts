// Limits of the cost guard: the counts of a call when a limit was last set, with a margin for variation.
import type { CountedKind } from './kinds.ts'

type Limits = Partial<Record<CountedKind, Readonly<Record<string, number>>>>

/** One timer in 50 ms writes the rows of decided holds: its share in a call depends on the machine's load. So do the SQL statements
 * of a slow stream, whose hold gets a row and loses it again. */
export const LIMITS: Limits = {
  'small whole call': { timers: 1, AbortControllers: 0.1, 'SQL statements': 11, 'messages to a thread': 0 },
  'short stream': { timers: 1.3, AbortControllers: 1.1, 'SQL statements': 14.5, 'messages to a thread': 0 },
  'forwarded event': { timers: 0.1, 'SQL statements': 0.25, 'messages to a thread': 0 },
  'translated event': { timers: 0.1, 'SQL statements': 0.25, 'messages to a thread': 0 },
}
