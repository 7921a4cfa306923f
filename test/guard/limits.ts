// The most that a call may make and do: what it did when the limit was last set, and a little for what varies.
import type { CountedKind } from './kinds.ts'

type Limits = Partial<Record<CountedKind, Readonly<Record<string, number>>>>

export const LIMITS: Limits = {
  'small whole call': {
    objects: 420,
    promises: 30,
    closures: 50,
    'scopes of closures': 84,
    'calls of async functions': 19,
    'plain objects': 124,
    arrays: 57,
    strings: 33,
    bigints: 0.5,
    maps: 0.2,
    sets: 0.2,
    Headers: 2.2,
    Requests: 1,
    Responses: 2,
    ReadableStreams: 0.2,
    AbortControllers: 2,
    AbortSignals: 3,
    timers: 1.3,
    setImmediate: 2.2,
    queueMicrotask: 0,
    nextTick: 0,
    addEventListener: 2,
    'SQL statements': 14.5,
    'messages to a thread': 0,
  },
  'short stream': {
    objects: 620,
    promises: 54,
    closures: 84,
    'plain objects': 160,
    Headers: 2.2,
    Requests: 1,
    Responses: 2,
    ReadableStreams: 2,
    AbortControllers: 2,
    AbortSignals: 3,
    timers: 1.6,
    addEventListener: 3,
    'SQL statements': 14.5,
  },
  'forwarded event': {
    objects: 14.5,
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
    objects: 54,
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
    objects: 385,
    promises: 34,
    closures: 54,
    'SQL statements': 0.5,
    'messages to a thread': 2,
    timers: 2,
  },
}
