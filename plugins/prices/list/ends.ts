// Shutdown dates of a price list: what it says of a route, and whether that is new. Pure.
import type { ListEntry } from './entry.ts'

/** LiteLLM's name for it. Its dates are those of the providers' shutdowns, as of `claude-3-7-sonnet-20250219`: 2026-02-19. */
const FIELD = 'deprecation_date'
const MAX_SHOWN_CHARS = 40
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** What an entry says that is no day; undefined where it says nothing, or a day. */
export function unreadShutdownIn(entry: ListEntry): string | undefined {
  const value = entry.fields.get(FIELD)
  return value === undefined || value === null || shutdownIn(entry) !== undefined
    ? undefined
    : `${FIELD} ${JSON.stringify(value)?.slice(0, MAX_SHOWN_CHARS)}`
}

/** The day on which an entry is shut down; undefined where the list has none, or what is no day. */
export function shutdownIn({ fields }: ListEntry): string | undefined {
  const value = fields.get(FIELD)
  if (typeof value !== 'string' || !DAY.test(value)) return undefined
  const date = new Date(value)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined
}
