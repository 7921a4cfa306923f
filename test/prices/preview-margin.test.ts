// The margin in a preview of prices: of last week's calls with a known provider cost, as it was and at the new prices.
import { expect, test } from 'bun:test'
import { MODEL, PROVIDER, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'

const COSTING = 'test-costing'
const { gateway, call } = await fileScene({
  script: answering,
  more: `
[[models]]
id = "${COSTING}"
kind = "text"
routes = [{ provider = "${PROVIDER}", model = "${UPSTREAM_MODEL}", cost = { input = 0.5, output = 2 } }]
price = { input = 1, output = 4 }
`,
})
const operator = await signedIn(gateway, 'operator')

const previewOf = async (edits: object[]) =>
  (await operator.json('POST', '/catalogue/previews', { edits })).rating

async function pathOf(model: string): Promise<(string | number)[]> {
  const { values } = await operator.json('GET', '/catalogue')
  return ['models', values.models.findIndex(({ id }: { id: string }) => id === model), 'price', 'input']
}

test('the margin includes only calls with a known cost', async () => {
  for (const model of [COSTING, COSTING, MODEL]) await (await call(wholePath(model), ask())).text()
  await gateway.rest()
  const edits = await Promise.all(
    [COSTING, MODEL].map(async (model) => ({ op: 'set', path: await pathOf(model), value: '0.20' })),
  )
  const { all, models } = await previewOf(edits)
  // Each call has a price of 10 tokens at 1,000 nano-dollars and 5 at 4,000, and a cost of 15,000; then 10 tokens are at 200.
  expect(all).toMatchObject({
    calls: 3,
    known_calls: 2,
    margin_nanos: 2 * 15_000,
    new_margin_nanos: 2 * 7_000,
  })
  expect(models.find(({ model }: { model: string }) => model === MODEL)).toMatchObject({
    calls: 1,
    known_calls: 0,
    margin_nanos: 0,
    new_margin_nanos: 0,
  })
})

test('the margin may be a loss', async () => {
  const path = await pathOf(COSTING)
  const output = [...path.slice(0, -1), 'output']
  const { all } = await previewOf([
    { op: 'set', path, value: '0' },
    { op: 'set', path: output, value: '0' },
  ])
  expect(all).toMatchObject({ known_calls: 2, would_cost_nanos: 0, new_margin_nanos: -2 * 15_000 })
})

test('the margin of a removed model stays the same, as its charges do', async () => {
  const [, index] = await pathOf(COSTING)
  const { all } = await previewOf([{ op: 'remove', path: ['models', index] }])
  expect(all).toMatchObject({ unrated_calls: 2, margin_nanos: 30_000, new_margin_nanos: 30_000 })
})
