// The core's events: requests, calls, and start and stop of the gateway, raised for listeners.
import type { PostOperation, VoidOperation } from '../../money/ledger/operations.ts'
import type { Logger } from '../../observe/log.ts'
import type { Admitted, RecordedCall } from './call.ts'

/** A request with an API key that was refused before any cost (silent.md, Refused calls). */
export interface RefusedRequest {
  account_id: number
  key_id: number
  request_id: string
  surface: string
  /** As the caller wrote it; undefined if the request named no model. */
  model: string | undefined
  status: number
  /** The kind of refusal, one of a few. */
  code: string
  /** The message of the answer. It may contain the caller's words. */
  sentence: string
}

/** A call whose hold is resolved, with the written operation. */
export interface SettledCall {
  call: RecordedCall
  operation: PostOperation | VoidOperation
}

export interface CoreEvents {
  /** The gateway listens and accepts calls. */
  started: undefined
  /** A call was admitted by its key, account and limits. It has no hold yet. */
  admitted: Admitted
  /** A call has its hold. */
  held: RecordedCall
  /** A provider began to answer a call, for the first time in that call. */
  answering: { call: RecordedCall; after_ms: number }
  /** A hold was posted or voided. Raised before the answer has ended. */
  settled: SettledCall
  refused: RefusedRequest
  /** The gateway begins to stop: it accepts no new calls, and the running ones continue. */
  stopping: undefined
}

export type EventName = keyof CoreEvents

/**
 * A listener runs while the call waits, so it must return at once and defer long work. Its failure is logged and has no other effect,
 * since some events occur between a hold and its settlement.
 */
export type Listener<Name extends EventName> = (event: CoreEvents[Name]) => void

export interface Events {
  /** @returns a function that stops listening */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void
  /** Calls the listeners in the order in which they were added. */
  raise<Name extends EventName>(name: Name, event: CoreEvents[Name]): void
}

type Listeners = { [Name in EventName]: Listener<Name>[] }

/** Creates the events without listeners. Raising an event without listeners only checks an empty list. */
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
      // A new list, since a listener may be removed while an event is raised.
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
