// Failing providers in a browser: tested with the words of `providers test`, and red on each page that names them or their models.
import { beforeAll, describe, expect, test } from 'bun:test'
import { createScene } from '../app/commands/scene.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { CLOCK_OFF, invalidGrant } from '../support/google.ts'
import { refusal } from '../support/upstream.ts'
import { press, type Refused, serversConsole } from './server-providers.ts'

const { gateway, visit, network, refuse } = await serversConsole()
const terminal = createScene('nothing', gateway.data_folder)
terminal.network = network
terminal.now_ms = Date.now()

const WRONG: readonly (readonly [what: string, name: string, refused: Refused, headline: string])[] = [
  [
    'a wrong key',
    'azure-here',
    {
      server: refusal(401, {
        error: {
          code: '401',
          message: 'Access denied due to invalid subscription key or wrong API endpoint.',
        },
      }),
    },
    'Bad key',
  ],
  [
    'a key of another region',
    'bedrock-here',
    { server: refusal(403, { Message: 'Authentication failed: Please make sure your API Key is valid.' }) },
    'Bad key',
  ],
  ['a clock that is off', 'vertex-here', { token_server: invalidGrant(CLOCK_OFF) }, 'Wrong clock'],
]

/** The operator's page of all tests. */
let one: ConsolePage
beforeAll(async () => {
  one = await visit('operator')
  await one.open('/console/providers')
})

test.each(WRONG)('%s is reported in the words of `providers test`', async (_, name, answers, headline) => {
  refuse(answers)
  const { page } = one
  await one.go(`/console/providers/${name}`)
  await press(page, `Test ${name}#1`)
  await page.getByText(`${headline} after`).waitFor()
  const result = (await page.locator('.trial-result').innerText()).replace(/\s+/g, ' ')
  const { status, out } = await terminal.run('providers', 'test', name, '--json')
  const { advice, words } = JSON.parse(out).tested[0]
  expect(status).toBe(1)
  expect(advice.toLowerCase()).toStartWith(`${headline.toLowerCase()}: `)
  const sentence = advice.slice(headline.length + 2).replaceAll('`', '')
  expect(result.toLowerCase()).toContain(sentence.toLowerCase())
  expect(result).toContain(words)
})

describe('a model and a provider whose calls all fail', () => {
  let key = ''
  beforeAll(async () => {
    await gateway.account('alice', { balance_usd: '10' })
    key = await gateway.key('alice')
  })
  const say = async () => {
    const body = { model: 'of-azure-here', messages: [{ role: 'user', content: 'Hello' }] }
    await (await gateway.call('/v1/chat/completions', body, { key })).text()
    await gateway.rest()
  }

  test('are red on each page that names them, until a call is answered', async () => {
    refuse({ server: refusal(503, { error: { code: '503', message: 'Out of capacity.' } }) })
    for (let calls = 0; calls < 5; calls++) await say()
    gateway.db.run(`INSERT INTO alerts VALUES
      (1, 'low_balance', 'alice', 1, 'alice has 0.40 USD left, about 1 day at this week''s pace.', ${Date.now()}, NULL, NULL),
      (2, 'disk', '', NULL, 'Disk nearly full: 3 MB free.', ${Date.now() - 3}, ${Date.now() - 2}, ${Date.now() - 1})`)
    gateway.db.run(`INSERT INTO alert_sendings VALUES
      (1, 1, 1, 'raised', 'msg_1', ${Date.now()}, 2, ${Date.now() + 300_000}, NULL, 503, 'The receiver answered 503.')`)
    const { page } = one
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
    await one.go('/console/overview')
    await page
      .getByText(/^azure-here has been failing since .+ The last 5 calls failed: overloaded \(5\)\./)
      .waitFor()
    await page.getByText('alice has 0.40 USD left').waitFor()
    expect(await page.getByText('Disk nearly full').count()).toBe(0)
    await one.looksRight()
    await one.go('/console/models')
    await row('of-azure-here').locator('.status-bad').getByText('failing').waitFor()
    await row('of-bedrock-here').getByText('no recent calls').waitFor()
    await one.go('/console/models/of-azure-here')
    await page.getByText('This model is failing. The last 5 calls failed: overloaded (5).').waitFor()
    await row('azure-here').getByText('overloaded (5)').waitFor()
    await one.go('/console/providers')
    await row('azure-here').locator('.status-bad').getByText('failing').waitFor()
    await row('azure-here').getByText('0 of 5').first().waitFor()
    await row('vertex-here').getByText('no recent calls').waitFor()
    await one.go('/console/providers/azure-here')
    await page.getByText('This provider is failing. The last 5 calls failed: overloaded (5).').waitFor()
    await one.isClean()
    await one.go('/console/system')
    await page.getByRole('table', { name: 'Alerts', exact: true }).getByText('Disk nearly full').waitFor()
    await page.getByRole('table', { name: 'Sent alerts' }).getByText('The receiver answered 503.').waitFor()
    refuse({})
    await say()
    await one.open('/console/overview')
    expect(await page.getByText('has been failing').count()).toBe(0)
    await one.go('/console/models')
    await row('of-azure-here').getByText('partly failing').waitFor()
  })
})
