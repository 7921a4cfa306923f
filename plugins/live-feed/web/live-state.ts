// The list of live calls, computed from the feed's events and the newest calls of the history. Pure.
import type { AnswerOf, api } from '../../console/web/app/client.ts'
import type { CallSubject, LiveEvent } from '../../console/web/parts/live.ts'
import type { ListedOutcome } from '../../console/web/parts/outcome.tsx'

export interface LiveCall {
  request_id: string
  model: string
  account: string
  account_display_name: string
  key: string
  at_ms: number
  first_byte_ms: number | null
  /** Null until the call is settled. */
  outcome: ListedOutcome | null
  status: number
  duration_ms: number | null
  cost_nanos: number | null
}

export interface Feed {
  /** By request id, oldest first. */
  calls: ReadonlyMap<string, LiveCall>
  skipped: number
}

const MAX_CALLS = 200

export function merged({ calls: before, skipped: skipped_before }: Feed, events: readonly LiveEvent[]): Feed {
  const calls = new Map(before)
  let skipped = skipped_before
  for (const event of events) {
    if (event.type === 'ping') continue
    if (event.type === 'skipped') {
      skipped += event.events
      continue
    }
    calls.set(event.request_id, next(calls.get(event.request_id) ?? newCall(event), event))
  }
  for (const id of calls.keys()) {
    if (calls.size <= MAX_CALLS) break
    calls.delete(id)
  }
  return { calls, skipped }
}

const newCall = ({ request_id, model, account, account_display_name, key, at }: CallSubject): LiveCall => ({
  request_id,
  model,
  account,
  account_display_name,
  key,
  at_ms: Date.parse(at),
  first_byte_ms: null,
  outcome: null,
  status: 0,
  duration_ms: null,
  cost_nanos: null,
})

function next(call: LiveCall, event: Exclude<LiveEvent, { type: 'skipped' | 'ping' }>): LiveCall {
  if (event.type === 'held') return call
  if (event.type === 'first_byte') return { ...call, first_byte_ms: event.after_ms }
  const { outcome, status, duration_ms, cost_nanos } = event
  return { ...call, outcome, status, duration_ms, cost_nanos }
}

/** Returns the newest calls, those of the feed first. @param past calls of the history, newest first */
export function newestCalls(
  { calls }: Feed,
  past: AnswerOf<typeof api.calls.get>['calls'],
  max_calls: number,
): LiveCall[] {
  const live = [...calls.values()].reverse()
  const earlier = past
    .filter(({ request_id }) => !calls.has(request_id))
    .map(({ key_prefix, started_at_ms, ...call }) => ({ ...call, key: key_prefix, at_ms: started_at_ms }))
  return [...live, ...earlier].slice(0, max_calls)
}
