// Providers at known servers in a browser: added by what their server asks for, refused at the field, tested in the words of `providers test`; models of theirs.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { FIRST_CATALOGUE } from '../../src/config/first.ts'
import type { Fetch } from '../../src/upstream/transport.ts'
import { createScene } from '../cli/scene.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { ACCOUNT, accountFile, CLOCK_OFF, invalidGrant, PRIVATE_KEY, tokenAnswer } from '../support/google.ts'
import { folderOfFile } from '../support/test-folder.ts'
import { type Answer, refusal, type Script, startUpstream, whole } from '../support/upstream.ts'
import { ADDED } from './added-providers.ts'

const KEY = 'key-of-the-server-1'
const KEY_FILE = folderOfFile().at('vertex.json')
writeFileSync(KEY_FILE, accountFile('https://oauth2.googleapis.com'))

const COMPLETION = {
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'OK.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
}
const MESSAGE = {
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'OK.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 9, output_tokens: 2 },
}
const GEMINI = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'OK.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
}

/** The answer of a server, or of the token server, where it is not the good one. */
let refused: { server?: Answer; token_server?: Answer } = {}
const servers: Script = (seen) => {
  if (seen.path === '/token') return refused.token_server ?? tokenAnswer(seen, Date.now(), 1)
  if (refused.server) return refused.server
  if (seen.path.includes('/messages')) return whole(MESSAGE)
  return whole(seen.path.includes(':generateContent') ? GEMINI : COMPLETION)
}
const upstream = await startUpstream(servers)

/** Where requests were sent, but for tokens. */
const sent: string[] = []
/** All hosts are the one fake. */
const network: Fetch = (url, init) => {
  const { pathname, search } = new URL(url)
  if (pathname !== '/token') sent.push(url)
  return fetch(upstream.url + pathname + search, init)
}

const saved = (name: string, entry: string, key: string) => `
[[providers]]
name = "${name}"
${entry}
api_keys = ["${key}"]

[[models]]
id = "of-${name}"
kind = "text"
routes = [{ provider = "${name}", model = "m" }]
price = { input = 1, output = 4 }
`
const { gateway, visit } = await fileConsole({
  catalogue: [
    FIRST_CATALOGUE,
    // Without a cooldown, in which its page would say that instead of its health.
    saved('azure-here', 'server = "azure"\nresource = "acme"\ncooldown_ms = 0', KEY),
    saved('bedrock-here', 'server = "bedrock"\nregion = "us-east-1"', KEY),
    saved('vertex-here', 'server = "vertex"', `file:${KEY_FILE}`),
  ].join(''),
  network,
})
const file = () => readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')
const terminal = createScene('nothing', gateway.data_folder)
terminal.network = network
terminal.now_ms = Date.now()
afterAll(() => upstream[Symbol.asyncDispose]())
afterEach(() => {
  refused = {}
})

const choose = (page: Page, title: string) =>
  page.getByRole('radio', { name: new RegExp(`^${title}`) }).check()
const type = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

describe('a provider at a known server', () => {
  test.each(ADDED)('%s is tested and added', async (title, added) => {
    const { fields = {}, by_file, model, url, header, name, written } = added
    const key_file = by_file ? KEY_FILE : undefined
    await using one = await visit('operator', key_file === undefined ? {} : { size: 'phone' })
    const { page } = one
    await one.open('/console/providers/new')
    await choose(page, title)
    for (const [label, text] of Object.entries(fields)) await type(page, label, text)
    if (key_file === undefined) await type(page, 'API key', KEY)
    else {
      await page.locator('input[type=file]').setInputFiles(key_file)
      await page.getByText(ACCOUNT).waitFor()
    }
    await type(page, 'Model to test', model)
    await press(page, 'Test connection')
    await page.getByText(/It answered in/).waitFor()
    expect(sent.at(-1)).toBe(url)
    expect(upstream.last().headers[header]).toContain(key_file === undefined ? KEY : 'ya29.')
    await one.looksRight()
    await press(page, 'Save provider')
    await page.waitForURL(new RegExp(`/console/providers/${name}$`))
    await page.getByRole('definition').getByText(title, { exact: true }).waitFor()
    expect(blockOf(name)).toEqual([`name = "${name}"`, ...written])
    const [secret = ''] = key_file === undefined ? [KEY] : PRIVATE_KEY.split('\n').slice(1)
    expect(gateway.started.catalogue().providers.get(name)?.api_keys[0]).toContain(secret)
    expect(await page.content()).not.toContain(secret)
    await one.looksRight()
  })
})

/** What the file says of a provider, but for its keys. */
function blockOf(name: string): string[] {
  const block = file()
    .split('[[')
    .find((each) => each.startsWith(`providers]]\nname = "${name}"`))
  return (block ?? '').split('\n').filter((line) => line.includes(' = ') && !line.startsWith('api_keys'))
}

describe('what a form refuses', () => {
  /** Of every server; the refused field is another. */
  const FILLED = {
    Resource: 'acme',
    Region: 'us-east-1',
    'Region (optional)': '',
    'API version (optional)': '',
    'Service account key': '',
    'API key': KEY,
  }
  let form: ConsolePage
  beforeAll(async () => {
    form = await visit('operator')
    form.allow(/status of 422/)
    await form.open('/console/providers/new')
  })
  afterAll(() => form[Symbol.asyncDispose]())

  test.each([
    ['a resource left out', 'Azure OpenAI', 'Resource', '', 'Enter the name of the Azure resource.'],
    [
      'an address in place of a resource',
      'Azure OpenAI',
      'Resource',
      'https://acme.openai.azure.com',
      'letters',
    ],
    ['a region left out', 'Amazon Bedrock', 'Region', '', 'Enter the region of the account.'],
    ['a region of another shape', 'Amazon Bedrock', 'Region', 'EU (Ireland)', 'such as "us-east-1"'],
    [
      'a region of another shape',
      'Vertex AI',
      'Region (optional)',
      'europe_west1',
      'must be the name of a region',
    ],
    ['an invalid version', 'Azure OpenAI', 'API version (optional)', 'latest', 'such as'],
    [
      'a file of the server',
      'Vertex AI',
      'Service account key',
      'file:other.json',
      'paste the text of the file',
    ],
    [
      'a file that is no key',
      'Vertex AI',
      'Service account key',
      '{"type": "external_account"}',
      'not of type',
    ],
  ])('%s is told at its field, and nothing is sent: %s', async (_, title, label, text, words) => {
    const { page } = form
    await choose(page, title)
    const filled: Record<string, string> = { ...FILLED, [label]: text }
    for (const [each, value] of Object.entries(filled)) {
      const field = page.getByLabel(each, { exact: true })
      if ((await field.count()) > 0) await field.fill(value)
    }
    await type(page, 'Model to test', 'm')
    const before = sent.length
    await press(page, 'Test connection')
    await page.getByLabel(label, { exact: true }).and(page.locator('[aria-invalid]')).waitFor()
    await page.locator('.field-error').filter({ hasText: words }).first().waitFor()
    expect(sent.length).toBe(before)
    await form.isClean()
  })
})

const WRONG: readonly (readonly [what: string, name: string, refused: typeof refused, headline: string])[] = [
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

test.each(WRONG)('%s is told in the words of `providers test`', async (_, name, answers, headline) => {
  refused = answers
  await using one = await visit('operator')
  const { page } = one
  await one.open(`/console/providers/${name}`)
  await press(page, `Try ${name}#1`)
  await page.getByText(`${headline} after`).waitFor()
  const shown = (await page.locator('.trial-result').innerText()).replace(/\s+/g, ' ')
  const { status, out } = await terminal.run('providers', 'test', name, '--json')
  const { advice, words } = JSON.parse(out).tested[0]
  expect(status).toBe(1)
  expect(advice.toLowerCase()).toStartWith(`${headline.toLowerCase()}: `)
  const sentence = advice.slice(headline.length + 2).replaceAll('`', '')
  expect(shown.toLowerCase()).toContain(sentence.toLowerCase())
  expect(shown).toContain(words)
  await one.looksRight()
})

test('a model of a deployment has its generation, and a cost of images has the units of their price', async () => {
  await gateway.recatalogue(
    `${file()}\n[[models]]\nid = "drawn"\nkind = "image"\nroutes = [{ provider = "azure-here", model = "pictures" }]
price = { input = 5, image_output = 32 }\n`,
  )
  await using one = await visit('operator')
  const { page } = one
  await one.open('/console/catalogue')
  const part = async (name: string) => {
    await page.getByRole('combobox', { name: 'Part of the file' }).click()
    await page.getByRole('option', { name, exact: true }).click()
  }
  await part('Model of-vertex-here')
  expect(await page.getByLabel('Generation (optional)').count()).toBe(0)
  await part('Model of-azure-here')
  await page.getByLabel('Generation (optional)').fill('gpt-5.4')
  await page.getByLabel('Generation (optional)').press('Enter')
  await part('Model drawn')
  await page.getByLabel('Generation (optional)').fill('gpt-image-2')
  await page.getByLabel('Generation (optional)').press('Enter')
  await page.getByText('Cost of azure-here').click()
  await type(page, 'Cost: Text input per million tokens', '4')
  await type(page, 'Cost: Image output per million tokens', '30')
  await page.keyboard.press('Enter')
  await press(page, 'Review and save')
  await press(page, 'Save catalogue')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(file()).toContain('model = "m", generation = "gpt-5.4" }')
  expect(file()).toMatch(
    /model = "pictures", generation = "gpt-image-2", cost = \{ input = "?4"?, image_output = "?30"? \}/,
  )
  await one.looksRight()
})

describe('a model and a provider of which every call fails', () => {
  let key = ''
  beforeAll(async () => {
    await gateway.account('alice', { balance_usd: '10' })
    key = gateway.key('alice')
  })
  const say = async () => {
    const body = { model: 'of-azure-here', messages: [{ role: 'user', content: 'Hello' }] }
    await (await gateway.call('/v1/chat/completions', body, { key })).text()
    await gateway.rest()
  }

  test('are red wherever they are named, and no longer once a call is answered', async () => {
    refused = { server: refusal(503, { error: { code: '503', message: 'Out of capacity.' } }) }
    await say()
    await say()
    gateway.db.run(`INSERT INTO alerts VALUES
      (1, 'low_balance', 'alice', 1, 'alice has 0.40 USD left, about 1 day at this week''s pace.', ${Date.now()}, NULL, NULL),
      (2, 'disk', '', NULL, 'Disk nearly full: 3 MB free.', 1, 2, 3)`)
    gateway.db.run(`INSERT INTO alert_sendings VALUES
      (1, 1, 1, 'raised', 'msg_1', ${Date.now()}, 2, ${Date.now() + 300_000}, NULL, 503, 'The receiver answered 503.')`)
    await using one = await visit('operator')
    const { page } = one
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
    await one.open('/console/overview')
    await page
      .getByText(
        /^Model of-azure-here is failing\. All 2 calls in the last hour failed\. .*Out of capacity\./,
      )
      .waitFor()
    await page.getByText(/^Provider azure-here is failing\./).waitFor()
    await page.getByText('alice has 0.40 USD left').waitFor()
    expect(await page.getByText('Disk nearly full').count()).toBe(0)
    await one.looksRight()
    await one.go('/console/models')
    await row('of-azure-here').locator('.status-bad').getByText('failing').waitFor()
    await row('of-bedrock-here').getByText('no recent calls').waitFor()
    await one.go('/console/models/of-azure-here')
    await page.getByText('This model is failing. All 2 calls in the last hour failed.').waitFor()
    await row('azure-here').getByText('was overloaded 2×').waitFor()
    await one.looksRight()
    await one.go('/console/providers')
    await row('azure-here').locator('.status-bad').getByText('failing').waitFor()
    await row('azure-here').getByText('0 of 2').first().waitFor()
    await row('vertex-here').getByText('no recent calls').waitFor()
    await one.go('/console/providers/azure-here')
    await page.getByText('This provider is failing. All 2 requests in the last hour failed.').waitFor()
    await one.isClean()
    await one.go('/console/system')
    await page.getByRole('table', { name: 'Alerts', exact: true }).getByText('Disk nearly full').waitFor()
    await page.getByRole('table', { name: 'Sent alerts' }).getByText('The receiver answered 503.').waitFor()
    refused = {}
    await say()
    await one.open('/console/overview')
    expect(await page.getByText('is failing').count()).toBe(0)
    await one.go('/console/models')
    await row('of-azure-here').getByText('partly failing').waitFor()
  })
})
