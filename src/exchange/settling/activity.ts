// Live activity: what happens to an account's calls, told to whoever listens at the moment.
import type { Nanos } from '../../domain/money.ts'
import type { CallRecord, PostOperation, VoidOperation } from '../../ledger/operations.ts'
import type { Logger } from '../../observe/log.ts'
import type { ToldCall } from '../life/call.ts'
import { costOf } from './queue.ts'

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

/** @param account the name of the account whose call it is */
export type ActivityListener = (event: ActivityEvent, account: string) => void

/** @param operation by which the ledger has resolved its hold, with the record of the call */
export type SettledListener = (call: ToldCall, operation: PostOperation | VoidOperation) => void

export interface Activity {
  held(call: ToldCall): void
  firstByte(call: ToldCall, after_ms: number): void
  settled(call: ToldCall, operation: PostOperation | VoidOperation): void
  /** Listens to the calls of an account. @returns stops it */
  listen(account_id: number, listener: ActivityListener): () => void
  /** Listens to all calls. @returns stops it */
  listenToAll(listener: ActivityListener): () => void
  /** Listens to the records of all calls. It is told before the call's answer has ended: what takes long is for later. @returns stops it */
  listenToSettled(listener: SettledListener): () => void
}

/**
 * Activity that nobody listens to yet. Where nobody does, telling it costs one look-up. A listener that throws is logged,
 * because they are shown between their hold and its settlement, where nothing else may fail.
 */
export function createActivity(log: Pick<Logger, 'error'>): Activity {
  const listeners = new Map<number, Set<ActivityListener>>()

  const listeners_to_all = new Set<ActivityListener>()
  const listeners_to_settled = new Set<SettledListener>()

  const guarded = (request_id: string, listen: () => void): void => {
    try {
      listen()
    } catch (cause) {
      log.error({ request_id, cause }, 'a listener to live activity failed')
    }
  }

  const isHeard = (call: ToldCall): boolean =>
    listeners_to_all.size > 0 || (listeners.size > 0 && listeners.has(call.caller.account.id))

  function tell(call: ToldCall, moment: Moment): void {
    const { caller, order } = call
    const { request_id, surface } = call.origin
    const about = {
      request_id,
      key: caller.key.prefix,
      surface,
      model: order.model.id,
      streamed: order.streams,
    }
    const event = { ...about, ...moment }
    for (const listener of [...listeners_to_all, ...(listeners.get(caller.account.id) ?? [])])
      guarded(request_id, () => listener(event, caller.account.name))
  }

  return {
    held(call) {
      if (isHeard(call)) tell(call, { type: 'held', held_nanos: call.held_nanos })
    },
    firstByte(call, after_ms) {
      if (isHeard(call)) tell(call, { type: 'first_byte', after_ms })
    },
    settled(call, operation) {
      for (const listener of listeners_to_settled)
        guarded(call.origin.request_id, () => listener(call, operation))
      if (!isHeard(call)) return
      const { outcome, status, duration_ms } = operation.call
      const cost_nanos = costOf(operation)
      tell(call, { type: 'settled', outcome, status, duration_ms, cost_nanos })
    },
    listen(account_id, listener) {
      const listening = listeners.get(account_id) ?? new Set()
      listeners.set(account_id, listening.add(listener))
      return () => {
        listening.delete(listener)
        if (listening.size === 0 && listeners.get(account_id) === listening) listeners.delete(account_id)
      }
    },
    listenToAll(listener) {
      listeners_to_all.add(listener)
      return () => void listeners_to_all.delete(listener)
    },
    listenToSettled(listener) {
      listeners_to_settled.add(listener)
      return () => void listeners_to_settled.delete(listener)
    },
  }
}
