// Provider costs in metrics and spans: those of the records, and none for a route without a cost.
import { expect, test } from 'bun:test'
import { MODEL, PROVIDER, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { readExposition, totalOf } from '../support/exposition.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { scene } from '../support/scene.ts'
import { startCollector } from './collector.ts'

const TOKEN = 'the-token-of-the-metrics'
const COSTING = 'test-costing'

test('the costs of two calls at a route with a cost are reported, and none for a call at a route without', async () => {
  await using collector = startCollector()
  const watched = await scene({
    script: answering,
    more: `
[metrics]
token = "${TOKEN}"
[telemetry]
endpoint = "${collector.url}"
[[models]]
id = "${COSTING}"
kind = "text"
routes = [{ provider = "${PROVIDER}", model = "${UPSTREAM_MODEL}", cost = { input = 0.5, output = 2 } }]
price = { input = 1, output = 4 }
`,
  })
  for (const model of [COSTING, COSTING, MODEL]) await (await watched.call(wholePath(model), ask())).text()
  const { calls } = await watched.gateway.atRest()
  const recorded = calls.map(({ provider_cost_nanos }) => provider_cost_nanos)
  // 10 tokens at 500 nano-dollars and 5 at 2,000.
  expect(recorded).toEqual([15_000, 15_000, null])

  const metrics = await watched.gateway.call('/metrics', undefined, { key: TOKEN })
  const families = readExposition(await metrics.text())
  const costOf = (model: string) => totalOf(families, 'tollgate_provider_cost_usd_total', { model })
  expect([costOf(COSTING), costOf(MODEL)]).toEqual([0.00003, 0])
  // Margins count the revenue of these two alone, 10 tokens at 1,000 nano-dollars and 5 at 4,000 each: the third has no known cost.
  const knownOf = (model: string) => totalOf(families, 'tollgate_known_revenue_usd_total', { model })
  expect([knownOf(COSTING), knownOf(MODEL)]).toEqual([0.00006, 0])
  expect(totalOf(families, 'tollgate_revenue_usd_total')).toBeGreaterThan(0.00006)

  await watched[Symbol.asyncDispose]()
  const reported = calls.map(
    ({ request_id }) =>
      collector.spans.find(({ attributes }) => attributes['tollgate.request_id'] === request_id)?.attributes[
        'tollgate.provider_cost_nanos'
      ] ?? null,
  )
  expect(reported).toEqual(recorded)
})
