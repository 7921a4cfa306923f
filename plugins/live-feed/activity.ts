// Live activity: notifies listeners when calls are held, answered and settled.
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

/** A call that reached a new stage. */
export type ActivityEvent = CallEvent & Stage

type Stage =
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

/** Creates activity without listeners. An event without listeners costs one look-up. A listener that throws is logged and does not affect others. */
export function createActivity(events: Events, log: Pick<Logger, 'error'>) {
  /** By account id; undefined for listeners to all accounts. */
  const listeners = new Map<number | undefined, Set<ActivityListener>>()

  function notifyListeners(account: { id: number; name: string }, event: ActivityEvent): void {
    for (const listener of [...(listeners.get(undefined) ?? []), ...(listeners.get(account.id) ?? [])])
      try {
        listener(event, account.name)
      } catch (cause) {
        log.error({ request_id: event.request_id, cause }, 'a listener to live activity failed')
      }
  }

  function notify({ caller, order, origin }: RecordedCall, stage: Stage): void {
    const { request_id, surface } = origin
    const about = {
      request_id,
      key: caller.key.prefix,
      surface,
      model: order.model.id,
      streamed: order.streams,
    }
    notifyListeners(caller.account, { ...about, ...stage })
  }

  const hasListener = ({ caller }: RecordedCall): boolean =>
    listeners.size > 0 && (listeners.has(undefined) || listeners.has(caller.account.id))

  events.on('held', (call) => {
    if (hasListener(call)) notify(call, { type: 'held', held_nanos: call.held_nanos })
  })
  events.on('answering', ({ call, after_ms }) => {
    if (hasListener(call)) notify(call, { type: 'first_byte', after_ms })
  })
  events.on('settled', ({ call, operation }) => {
    if (!hasListener(call)) return
    const { outcome, status, duration_ms } = operation.call
    notify(call, { type: 'settled', outcome, status, duration_ms, cost_nanos: costOf(operation) })
  })

  const activity = {
    /** Called when a listener is added and there was none before. */
    onFirstListener: (): void => {},
    hasListeners: (): boolean => listeners.size > 0,
    /** Notifies the listeners of an account of a call that another gateway has settled. */
    settledElsewhere({ account_id, account, ...event }: SettledElsewhere): void {
      notifyListeners({ id: account_id, name: account }, { type: 'settled', ...event })
    },
    /** Adds a listener to the calls of an account, or of all. @returns a function that removes it */
    listen(account_id: number | undefined, listener: ActivityListener): () => void {
      const is_first = listeners.size === 0
      const account_listeners = listeners.get(account_id) ?? new Set()
      listeners.set(account_id, account_listeners.add(listener))
      if (is_first) activity.onFirstListener()
      return () => {
        account_listeners.delete(listener)
        if (account_listeners.size === 0 && listeners.get(account_id) === account_listeners)
          listeners.delete(account_id)
      }
    },
  }
  return activity
}
