// A stop of the gateway during a check-up, which ends with it.
import { expect, test } from 'bun:test'
import { catalogueOf } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { startTestGateway } from '../support/gateway.ts'

test('a stop ends a check-up', async () => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  await using upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async () => {
      reach()
      return await new Promise<Response>(() => {})
    },
  })
  const gateway = await startTestGateway({ catalogue: catalogueOf({ upstream_url: upstream.url.origin }) })
  const operator = await signedIn(gateway, 'operator')
  const { running_since_at_ms } = await operator.json('POST', '/doctor')
  expect(running_since_at_ms).toBeNumber()
  await reached
  const started_ms = performance.now()
  await gateway.stop()
  const took_ms = performance.now() - started_ms
  // The provider's time-out is 10 s.
  expect(took_ms).toBeLessThan(1_500)
})
