// Owns the two questions of whoever keeps the process running: is it alive, and does it take calls?
import { Elysia } from 'elysia'
import type { Gateway } from '../../src/gateway.ts'

/** `GET /healthz`: 200 while the process answers. `GET /readyz`: 200 while it takes calls, else 503. Both need no key. */
export function health(gateway: Gateway) {
  return new Elysia({ name: 'health' })
    .get('/healthz', () => Response.json({ status: 'ok' }))
    .get('/readyz', () => {
      const takes_calls = gateway.ready() && !gateway.running.stopping
      return Response.json(
        { status: takes_calls ? 'ready' : 'not ready' },
        { status: takes_calls ? 200 : 503 },
      )
    })
}
