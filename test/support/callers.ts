// Observation of callers' connections at the gateway: arrived requests and detected disconnects.

import { Elysia } from 'elysia'
import type { Plugin } from '../../src/app/plugin.ts'
import { type Counter, createCounter } from './counter.ts'
import { routesPlugin } from './plugins.ts'

export interface WatchedCallers {
  /** Goes before the gateway's own plugins. */
  plugin: Plugin
  /** Requests whose head has arrived. */
  arrived: Counter
  /** Callers whose disconnect the gateway has noticed. */
  left: Counter
}

export function watchCallers(): WatchedCallers {
  const arrived = createCounter()
  const left = createCounter()
  const plugin = routesPlugin('watch-callers', () =>
    new Elysia({ name: 'watch-callers' }).onRequest(({ request }) => {
      request.signal.addEventListener('abort', () => left.add())
      arrived.add()
    }),
  )
  return { plugin, arrived, left }
}
