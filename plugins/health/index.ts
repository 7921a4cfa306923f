// Owns the two questions of whoever keeps the process running: is it alive, and does it take calls?
import { Elysia } from 'elysia'
import { jsonAnswer } from '../../src/http/answers.ts'
import type { Gateway } from '../../src/surface/gateway.ts'

/** `GET /healthz`: 200 while the process answers. `GET /readyz`: 200 while it takes calls, else 503. Both need no key. */
export function health({ newRequestId, ready, running }: Gateway) {
  return new Elysia({ name: 'health' })
    .get('/healthz', () => jsonAnswer({ status: 'ok' }, newRequestId()))
    .get('/readyz', () =>
      ready() && !running.stopping
        ? jsonAnswer({ status: 'ready' }, newRequestId())
        : jsonAnswer({ status: 'not ready' }, newRequestId(), {}, 503),
    )
}
