// The events of the core: requests, calls and the gateway at each step, raised for listeners.
import type { PostOperation, VoidOperation } from '../../money/ledger/operations.ts'
import type { Logger } from '../../observe/log.ts'
import type { Admitted, RecordedCall } from './call.ts'

/** A request with an API key that was refused before it cost anything (silent.md, Refused calls). */
export interface RefusedRequest {
  account_id: number
  key_id: number
  request_id: string
  surface: string
  /** As the caller wrote it; undefined if no model was named. */
  model: string | undefined
  status: number
  /** The kind of refusal, one of a few. */
  code: string
  /** The message of the answer. It may repeat words of the caller. */
  sentence: string
}

/** A call whose hold the ledger has resolved, with the record that was written. */
export interface SettledCall {
  call: RecordedCall
  operation: PostOperation | VoidOperation
}

export interface CoreEvents {
  /** The gateway listens and takes calls. */
  started: undefined
  /** A call was let in: its key, account and limits allow it. Nothing is held yet. */
  admitted: Admitted
  /** Money is held for a call. */
  held: RecordedCall
  /** A provider began to answer a call, for the first time. */
  answering: { call: RecordedCall; after_ms: number }
  /** A hold was posted or voided. Raised before the answer has ended. */
  settled: SettledCall
  refused: RefusedRequest
  /** The gateway begins to stop: it takes no further calls, and those under way go on. */
  stopping: undefined
}

export type EventName = keyof CoreEvents

/**
 * A listener runs while the call goes on: it returns at once, and leaves long work for later. A failure of it is logged and changes
 * nothing, since some events stand between a hold and its settlement.
 */
export type Listener<Name extends EventName> = (event: CoreEvents[Name]) => void

export interface Events {
  /** @returns stops listening */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void
  /** Calls the listeners in the order in which they came. */
  raise<Name extends EventName>(name: Name, event: CoreEvents[Name]): void
}

type Listeners = { [Name in EventName]: Listener<Name>[] }

/** Events that nobody listens to yet: raising one costs a look at an empty list. */
export function createEvents(log: Pick<Logger, 'error'>): Events {
  const listeners: Listeners = {
    started: [],
    admitted: [],
    held: [],
    answering: [],
    settled: [],
    refused: [],
    stopping: [],
  }
  return {
    on(name, listener) {
      // A new list, since one may stop listening while an event is raised.
      listeners[name] = [...listeners[name], listener] as Listeners[typeof name]
      return () => {
        listeners[name] = listeners[name].filter((other) => other !== listener) as Listeners[typeof name]
      }
    },
    raise(name, event) {
      for (const listener of listeners[name]) {
        try {
          listener(event)
        } catch (cause) {
          log.error({ event: name, request_id: requestIdOf(event), cause }, 'a listener of an event failed')
        }
      }
    },
  }
}

function requestIdOf(event: CoreEvents[EventName]): string | undefined {
  if (event === undefined) return undefined
  if ('request_id' in event) return event.request_id
  return 'origin' in event ? event.origin.request_id : event.call.origin.request_id
}
