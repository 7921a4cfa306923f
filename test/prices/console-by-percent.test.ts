// Prices by per cent in the console: the draft and the file that it makes, a save that refuses a changed file, and refusals.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'
import { signedIn } from '../support/console-session.ts'

const ACME = `
[[providers]]
name = "acme"
protocol = "openai"
base_url = "https://acme.example/v1"
api_keys = ["secret-of-acme"]

[[models]]
id = "flash"
kind = "text"
routes = [{ provider = "acme", model = "flash-9", cost = { input = 0.30, output = 2 } }]
price = { input = 0.33, output = 2.50 } # ours

[[models]]
id = "painter"
kind = "image"
routes = [{ provider = "acme", model = "painter-1" }]
price = { per_image = 0.04 }
`
const { gateway } = await fileConsole({ catalogue: FIRST_CATALOGUE + ACME })
const operator = await signedIn(gateway, 'operator')
const file = () => readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')
const before = file()
const ORDER = { provider: 'acme', percent: '10', target: 'price' }
const change = (order: object = {}, as = operator) =>
  as.send('POST', '/prices/changes', { body: { ...ORDER, ...order } })
const draftOf = (order: object = {}) => operator.json('POST', '/prices/changes', { ...ORDER, ...order })

describe('a change that is refused and writes nothing', () => {
  test.each<[object, number, string | null]>([
    [{ percent: '0' }, 400, 'percent'],
    [{ percent: '-100' }, 400, 'percent'],
    [{ percent: '10 %' }, 400, 'percent'],
    [{ percent: '10001' }, 400, 'percent'],
    [{ percent: 10 }, 400, 'percent'],
    [{ target: 'prices' }, 400, 'target'],
    [{ provider: 'acne' }, 404, null],
    [{ models: ['flash', 'flush'] }, 404, 'models'],
    [{ models: ['sim-pro'] }, 404, 'models'],
    [{ more: 1 }, 400, 'more'],
  ])('%p', async (order, status, param) => {
    const answer = await change(order)
    expect([answer.status, await answer.json()]).toMatchObject([status, { error: { param } }])
    expect(file()).toBe(before)
  })

  test('by an account holder, by another site, or without a session', async () => {
    await gateway.account('ada')
    const holder = await signedIn(gateway, { account: 'ada' })
    expect((await change({}, holder)).status).toBe(403)
    const elsewhere = { body: ORDER, origin: 'https://elsewhere.example' }
    expect((await operator.send('POST', '/prices/changes', elsewhere)).status).toBe(403)
    const headers = { cookie: '' }
    expect((await operator.send('POST', '/prices/changes', { body: ORDER, headers })).status).toBe(401)
    expect(file()).toBe(before)
  })
})

test('each model has its amounts before and after, with the margin, even below cost', async () => {
  const { models, changes, text } = await draftOf({ percent: '-20', models: ['flash'] })
  expect(changes).toBe(1)
  expect(models).toMatchObject([
    { id: 'flash', kind: 'text', chosen: true, left: [], routes: [{ provider: 'acme', model: 'flash-9' }] },
    { id: 'painter', kind: 'image', chosen: false, left: [] },
  ])
  expect(models[0]?.routes[0]?.lines[0]).toEqual({
    name: 'input',
    of: '',
    per: 'million tokens',
    follows: false,
    old_price_nanos: 330_000_000,
    old_price_usd: '0.33',
    price_nanos: 264_000_000,
    price_usd: '0.264',
    old_cost_nanos: 300_000_000,
    old_cost_usd: '0.30',
    cost_nanos: 300_000_000,
    cost_usd: '0.30',
    margin_nanos: -36_000_000,
    margin_usd: '-0.036',
    margin_percent: '-13.6',
  })
  expect(models[1]?.routes[0]?.lines[0]).toMatchObject({ old_price_usd: '0.04', price_usd: '0.04' })
  expect(text).not.toContain('secret-of-acme')
  expect(file()).toBe(before)
})

test('a change is a draft until it is saved, never over another save, and the audit log has each price once', async () => {
  const { text, hash, changes } = await draftOf({ target: 'both' })
  expect([file(), changes]).toEqual([before, 3])
  const values = [{ path: ['server', 'log_level'], value: 'warn' }]
  await operator.json('POST', '/catalogue/values', { values })
  expect((await operator.send('POST', '/catalogue/save', { body: { text, hash } })).status).toBe(409)

  const again = await draftOf({ target: 'both' })
  await operator.json('POST', '/catalogue/save', { text: again.text, hash: again.hash })
  expect(file()).toContain('secret-of-acme')
  expect(file()).toContain('price = { input = 0.363, output = 2.75 } # ours')
  expect(file()).toContain('cost = { input = 0.33, output = 2.20 }')
  const { actions } = await operator.json('GET', '/audit-log?limit=50')
  const prices = actions.filter(({ action }: { action: string }) => action === 'price.changed')
  expect(
    prices.map(({ subject, before, after }: { subject: string; before: object; after: object }) => [
      subject,
      before,
      after,
    ]),
  ).toEqual([
    ['painter', { per_image: 0.04 }, { per_image: 0.044 }],
    ['flash', { input: 0.33, output: 2.5 }, { input: 0.363, output: 2.75 }],
  ])
})

test('a price above the catalogue’s maximum is refused, with the place', async () => {
  const { hash, values } = await operator.json('GET', '/catalogue')
  const place = values.models.findIndex(({ id }: { id: string }) => id === 'painter')
  const edits = [{ op: 'set', path: ['models', place, 'price', 'per_image'], value: 900_000 }]
  await operator.json('POST', '/catalogue/save', { edits, hash })
  const answer = await change({ percent: '100', models: ['painter'] })
  const message = expect.stringMatching(/per_image must be between 0 and 1000000 USD.*leave that model out/)
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'percent', message } }])
})
