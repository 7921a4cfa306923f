// What the console's live feed tells of calls, as far as pages show it: /console/api/live.
import type { CallOutcome } from './outcome.tsx'

export const LIVE_PATH = '/console/api/live'

export interface AboutCall {
  request_id: string
  /** The key's prefix. */
  key: string
  model: string
  account: string
  account_display_name: string
  /** ISO 8601. */
  at: string
}

/** The data of the feed's events. */
export type LiveEvent =
  | (AboutCall & { type: 'held' })
  | (AboutCall & { type: 'first_byte'; after_ms: number })
  | (AboutCall & {
      type: 'settled'
      outcome: CallOutcome
      status: number
      duration_ms: number
      cost_nanos: number
    })
  | { type: 'skipped'; events: number }
  | { type: 'ping' }
