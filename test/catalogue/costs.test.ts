// Warnings about costs above a model's price: each kind of price, at its route, whose place in the file may differ from its order.
import { expect, test } from 'bun:test'
import { readGood } from './catalogues.ts'

const PROVIDER =
  '[[providers]]\nname = "one"\nprotocol = "openai"\nbase_url = "https://one.example/v1"\napi_keys = ["k"]\n'
const model = (kind: string, price: string, ...costs: string[]) =>
  `${PROVIDER}[[models]]\nid = "m"\nkind = "${kind}"\nprice = ${price}\nroutes = [${costs
    .map((cost, index) => `{ provider = "one", model = "x${index}", order = ${9 - index}, cost = ${cost} }`)
    .join(', ')}]\n`

const warningsOf = (text: string): string[] =>
  readGood(text).warnings.map(({ path, message }) => `${path}: ${message}`)

const TIERS = 'tiers = [{ above = 1000, input = 3, output = 4 }]'

test.each([
  ['text', '{ input = 1, output = 4 }', '{ input = 1, output = 5 }', 'output, thinking'],
  ['text', '{ input = 1, output = 4 }', `{ input = 1, output = 4, ${TIERS} }`, 'input'],
  ['image', '{ per_image = 0.04 }', '{ per_image = 0.05 }', 'per_image'],
  ['transcription', '{ per_minute = 0.01 }', '{ per_minute = 0.02 }', 'per_minute'],
])('%s: %s below %s brings a warning', (kind, price, cost, rates) => {
  const [warning = '', ...more] = warningsOf(model(kind, price, price, cost))
  expect(more).toEqual([])
  expect(warning).toStartWith(
    "models[0].routes[1].cost: is above the model's price, so that its calls lose money: ",
  )
  expect(warning).toContain(rates)
  expect(warning).toEndWith('. Raise the price, or correct the cost')
})

test.each([
  ['text', '{ input = 1, output = 4 }', '{ input = 1, output = 4 }'],
  ['text', `{ input = 1, output = 4, ${TIERS} }`, '{ input = 1, output = 4 }'],
  ['image', '{ per_image = 0.04 }', '{ per_image = 0.04 }'],
  ['transcription', '{ per_minute = 0.02 }', '{ per_minute = 0.01 }'],
])('%s: %s covers %s', (kind, price, cost) => expect(warningsOf(model(kind, price, cost))).toEqual([]))
