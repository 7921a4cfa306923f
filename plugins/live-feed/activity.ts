// Live activity: the moments of calls, for those who listen at the time.
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

export interface Activity {
  /** Shows the settlement to the listeners of its account. It is no event of this gateway. */
  settledElsewhere(call: SettledElsewhere): void
  /** True while anybody listens. */
  readonly has_listeners: boolean
  /** Called when somebody begins to listen where nobody did. */
  onFirstListener: () => void
  /** Listens to the calls of an account. @returns stops it */
  listen(account_id: number, listener: ActivityListener): () => void
  /** Listens to all calls. @returns stops it */
  listenToAll(listener: ActivityListener): () => void
}

/** Activity that nobody listens to yet. Where nobody does, an event costs one look-up. A listener that throws is logged, and keeps no other from listening. */
export function createActivity(events: Events, log: Pick<Logger, 'error'>): Activity {
  const listeners = createListeners(() => activity.onFirstListener())

  const guarded = (request_id: string, listen: () => void): void => {
    try {
      listen()
    } catch (cause) {
      log.error({ request_id, cause }, 'a listener to live activity failed')
    }
  }

  function notifyListeners(account: { id: number; name: string }, event: ActivityEvent): void {
    for (const listener of listeners.of(account.id))
      guarded(event.request_id, () => listener(event, account.name))
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

  const isListenedTo = ({ caller }: RecordedCall): boolean => listeners.isAnyOf(caller.account.id)
  const activity: Activity = {
    onFirstListener: () => {},
    get has_listeners() {
      return listeners.isAny()
    },
    listen: listeners.listen,
    listenToAll: listeners.listenToAll,
    settledElsewhere({ account_id, account, ...event }) {
      notifyListeners({ id: account_id, name: account }, { type: 'settled', ...event })
    },
  }
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
  return activity
}

/** Listeners to moments of calls. @param onFirst is called for a listener where there was none */
function createListeners(onFirst: () => void) {
  const to_account = new Map<number, Set<ActivityListener>>()
  const to_all = new Set<ActivityListener>()
  const isAny = (): boolean => to_all.size > 0 || to_account.size > 0
  return {
    isAny,
    isAnyOf: (account_id: number): boolean =>
      to_all.size > 0 || (to_account.size > 0 && to_account.has(account_id)),
    of: (account_id: number): ActivityListener[] => [...to_all, ...(to_account.get(account_id) ?? [])],
    listen(account_id: number, listener: ActivityListener) {
      const was_any = isAny()
      const listening = to_account.get(account_id) ?? new Set()
      to_account.set(account_id, listening.add(listener))
      if (!was_any) onFirst()
      return () => {
        listening.delete(listener)
        if (listening.size === 0 && to_account.get(account_id) === listening) to_account.delete(account_id)
      }
    },
    listenToAll(listener: ActivityListener) {
      const was_any = isAny()
      to_all.add(listener)
      if (!was_any) onFirst()
      return () => void to_all.delete(listener)
    },
  }
}
