// The import of a price list in the console: the catalogue that a list leads to, and refusals.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { priceListOf } from '../fixtures/price-list.ts'
import { fileConsole } from '../support/console.ts'
import { signedIn } from '../support/console-session.ts'

const GOOGLE = `
[[providers]]
name = "google"
protocol = "gemini"
base_url = "https://generativelanguage.googleapis.com"
api_keys = ["secret-of-google"]

[[models]]
id = "flash"
kind = "text"
routes = [{ provider = "google", model = "flash-9" }]
price = { input = 0.30, output = 2.50 } # ours
`
const LIST = priceListOf(0, 0, {
  'gemini/flash-9': {
    litellm_provider: 'gemini',
    mode: 'chat',
    input_cost_per_token: 1e-7,
    output_cost_per_token: 1e-6,
  },
})
const { gateway } = await fileConsole({ catalogue: FIRST_CATALOGUE + GOOGLE })
const operator = await signedIn(gateway, 'operator')
const file = () => readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')
const before = file()
const importDraft = () => operator.json('POST', '/prices/import', LIST)
const list = (body: string, as = operator) => as.send('POST', '/prices/import', { body })

describe('an import that is refused and writes nothing', () => {
  test('of a list while no markup is set', async () => {
    const answer = await list(LIST)
    const message = expect.stringMatching(/no markup is set\. Set it in Settings, Markup: (?!.*--)/)
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'markup', message } }])
  })

  test.each(['', 'no JSON', '[]', '{}'])('of %p', async (body) => {
    expect((await list(body)).status).toBe(400)
  })

  test('by an account holder, by another site, or without a session', async () => {
    await gateway.account('ada')
    const holder = await signedIn(gateway, { account: 'ada' })
    expect((await list(LIST, holder)).status).toBe(403)
    const elsewhere = { body: LIST, origin: 'https://elsewhere.example' }
    expect((await operator.send('POST', '/prices/import', elsewhere)).status).toBe(403)
    const headers = { cookie: '' }
    expect((await operator.send('POST', '/prices/import', { body: LIST, headers })).status).toBe(401)
    expect(file()).toBe(before)
  })
})

test('costs are those of the list, prices have the markup, and the import is a draft until it is saved, never over another save', async () => {
  await operator.json('POST', '/catalogue/values', {
    values: [{ path: ['catalogue', 'markup'], value: '25' }],
  })
  const marked_up = file()
  const { text, hash, changes, warnings, left } = await importDraft()
  expect(file()).toBe(marked_up)
  expect(text).toMatch(/cost = \{ input = "?0\.10"?, output = "?1\.00"? \}/)
  expect(text).toMatch(/price = \{ input = "?0\.125"?, output = "?1\.25"? \} # ours/)
  expect(text).not.toContain('secret-of-google')
  expect([changes, warnings]).toEqual([4, []])
  expect(left).toContainEqual({ model: 'sim-pro', provider: 'simulator', reason: 'not listed' })

  const values = [{ path: ['server', 'log_level'], value: 'warn' }]
  await operator.json('POST', '/catalogue/values', { values })
  expect((await operator.send('POST', '/catalogue/save', { body: { text, hash } })).status).toBe(409)
  const again = await importDraft()
  await operator.json('POST', '/catalogue/save', { text: again.text, hash: again.hash })
  expect(file()).toContain('secret-of-google')
  const { routes } = await operator.json('GET', '/models/detail?id=flash')
  expect(routes[0].margins[0]).toMatchObject({
    name: 'input',
    price_usd: '0.125',
    cost_usd: '0.10',
    margin_percent: '20',
  })
  expect((await importDraft()).changes).toBe(0)
})
