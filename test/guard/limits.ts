// The most that a call may make and do: what it did when the limit was last set, and a little for what varies.
import type { CountedKind } from './kinds.ts'

type Limits = Partial<Record<CountedKind, Readonly<Record<string, number>>>>

export const LIMITS: Limits = {
  'small whole call': {
    objects: 930,
    promises: 47.5,
    closures: 139,
    'scopes of closures': 175,
    'calls of async functions': 39,
    'plain objects': 173,
    arrays: 115,
    strings: 130,
    bigints: 30,
    maps: 9.5,
    sets: 5.5,
    Headers: 5,
    Requests: 1,
    Responses: 3,
    ReadableStreams: 1,
    AbortControllers: 2,
    AbortSignals: 3,
    timers: 2,
    setImmediate: 2.2,
    queueMicrotask: 0,
    nextTick: 0,
    addEventListener: 2,
    'SQL statements': 19.5,
    'messages to a thread': 0,
  },
  'short stream': {
    objects: 1180,
    promises: 78,
    closures: 190,
    'plain objects': 212,
    Headers: 5,
    Requests: 1,
    Responses: 3,
    ReadableStreams: 2,
    AbortControllers: 2,
    AbortSignals: 3,
    timers: 2,
    addEventListener: 3,
    'SQL statements': 19.5,
  },
  'forwarded event': {
    objects: 14,
    promises: 3.4,
    closures: 1,
    'scopes of closures': 3,
    'plain objects': 2.6,
    arrays: 0.8,
    strings: 3,
    timers: 0.1,
    setImmediate: 0.1,
    addEventListener: 0.1,
    'SQL statements': 0.2,
  },
  'translated event': {
    objects: 57,
    promises: 3.4,
    closures: 1,
    'plain objects': 21.5,
    arrays: 11.5,
    strings: 9.2,
    timers: 0.1,
  },
}

/** The ledger's own work is on another thread then, which is told of each batch once. */
export const LIMITS_WITH_A_THREAD: Limits = {
  'small whole call': {
    objects: 820,
    promises: 52,
    closures: 139,
    'SQL statements': 0.5,
    'messages to a thread': 2,
    timers: 2,
  },
}
