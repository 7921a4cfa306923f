// Alerts as plugins see them: what is open, what was, and what was sent of it.
import type { SendingWithAlert } from '../alerts/store.ts'
import type { AlertRow } from '../db/schema.ts'

export interface Alerts {
  /** Those that are not over, the oldest first. */
  open(): AlertRow[]
  /** Those that are open and those that were, the newest first. */
  recent(limit: number): AlertRow[]
  /** The newest first. */
  sendings(limit: number): SendingWithAlert[]
}
