// Live activity: the moments of calls, for the listeners at the time.
import type { RecordedCall } from '../../src/calls/life/call.ts'
import type { Events } from '../../src/calls/life/events.ts'
import { costOf } from '../../src/calls/settling/queue.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { CallRecord } from '../../src/money/ledger/operations.ts'
import type { Logger } from '../../src/observe/log.ts'

interface CallEvent {
  request_id: string
  /** The prefix of the key that made the call. */
  key: string
  surface: string
  model: string
  streamed: boolean
}

/** One moment of a call. */
export type ActivityEvent = CallEvent & Moment

type Moment =
  | { type: 'held'; held_nanos: Nanos }
  | { type: 'first_byte'; after_ms: number }
  | {
      type: 'settled'
      outcome: CallRecord['outcome']
      status: number
      duration_ms: number
      cost_nanos: Nanos
    }

/** @param account the name of the call's account */
export type ActivityListener = (event: ActivityEvent, account: string) => void

/** A call that another gateway has settled. */
interface SettledElsewhere extends Omit<Extract<ActivityEvent, { type: 'settled' }>, 'type'> {
  account_id: number
  account: string
}

export type Activity = ReturnType<typeof createActivity>

/** Activity without listeners yet; until there is one, an event costs one look-up. A listener that throws is logged, and keeps no other from its events. */
export function createActivity(events: Events, log: Pick<Logger, 'error'>) {
  /** By account; undefined: those of all accounts. */
  const listeners = new Map<number | undefined, Set<ActivityListener>>()

  function notifyListeners(account: { id: number; name: string }, event: ActivityEvent): void {
    for (const listener of [...(listeners.get(undefined) ?? []), ...(listeners.get(account.id) ?? [])])
      try {
        listener(event, account.name)
      } catch (cause) {
        log.error({ request_id: event.request_id, cause }, 'a listener to live activity failed')
      }
  }

  function notify({ caller, order, origin }: RecordedCall, moment: Moment): void {
    const { request_id, surface } = origin
    const about = {
      request_id,
      key: caller.key.prefix,
      surface,
      model: order.model.id,
      streamed: order.streams,
    }
    notifyListeners(caller.account, { ...about, ...moment })
  }

  const isListenedTo = ({ caller }: RecordedCall): boolean =>
    listeners.size > 0 && (listeners.has(undefined) || listeners.has(caller.account.id))

  events.on('held', (call) => {
    if (isListenedTo(call)) notify(call, { type: 'held', held_nanos: call.held_nanos })
  })
  events.on('answering', ({ call, after_ms }) => {
    if (isListenedTo(call)) notify(call, { type: 'first_byte', after_ms })
  })
  events.on('settled', ({ call, operation }) => {
    if (!isListenedTo(call)) return
    const { outcome, status, duration_ms } = operation.call
    notify(call, { type: 'settled', outcome, status, duration_ms, cost_nanos: costOf(operation) })
  })

  const activity = {
    /** Called for the first listener, and for one after a time without any. */
    onFirstListener: (): void => {},
    hasListeners: (): boolean => listeners.size > 0,
    /** Notifies the listeners of an account. It is no event of this gateway. */
    settledElsewhere({ account_id, account, ...event }: SettledElsewhere): void {
      notifyListeners({ id: account_id, name: account }, { type: 'settled', ...event })
    },
    /** Listens to the calls of an account, or of all. @returns stops it */
    listen(account_id: number | undefined, listener: ActivityListener): () => void {
      const is_first = listeners.size === 0
      const listening = listeners.get(account_id) ?? new Set()
      listeners.set(account_id, listening.add(listener))
      if (is_first) activity.onFirstListener()
      return () => {
        listening.delete(listener)
        if (listening.size === 0 && listeners.get(account_id) === listening) listeners.delete(account_id)
      }
    },
  }
  return activity
}
