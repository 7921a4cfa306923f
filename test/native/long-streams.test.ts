// A stream has no time limit as long as it moves: however long it takes, its hold stays until it is charged.
import { expect, test } from 'bun:test'
import { catalogueOf } from '../support/catalogue.ts'
import { startTestGateway } from '../support/gateway.ts'
import { ANSWER_NANOS, answer, ask, piece, streamPath } from '../support/native.ts'
import { startUpstream, stream } from '../support/upstream.ts'

const SWEEP_EVERY_MS = 10
/** A hold's own time: the provider's call_timeout_ms, and what a caller may take to read. */
const HOLD_LASTS_MS = 1_001

test('a stream that outlasts the time of its hold is charged, and not swept away', async () => {
  await using upstream = await startUpstream()
  let clock_ms = Date.now()
  await using gateway = await startTestGateway({
    catalogue: catalogueOf({
      upstream_url: upstream.url,
      server: 'drain_timeout_ms = 0\nstalled_reader_timeout_ms = 1000',
      provider: 'call_timeout_ms = 1',
    }),
    now: () => clock_ms,
    sweep_every_ms: SWEEP_EVERY_MS,
  })
  const key = await gateway.caller()
  const rest = Promise.withResolvers<void>()
  upstream.answer(stream({ event: piece('Long ') }, { wait: rest.promise }, { event: answer('ago.') }))
  const response = await gateway.call(streamPath(), ask(), { key })
  clock_ms += HOLD_LASTS_MS
  await Bun.sleep(20 * SWEEP_EVERY_MS)
  rest.resolve()
  expect(await response.text()).toContain('ago.')
  await gateway.atRest()
  expect(gateway.onlyCall()).toMatchObject({ outcome: 'completed', cost_nanos: ANSWER_NANOS })
})
