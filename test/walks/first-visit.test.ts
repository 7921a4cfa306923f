// The first visit in a browser: from the link that `serve` prints to a paid call by an SDK and its charge, without a terminal.
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { formatUsd } from '../../src/domain/money.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import type { Call } from '../../src/store/schema.ts'
import { createSimulator } from '../providers/index.ts'
import { chooseProvider } from '../support/chosen-provider.ts'
import { fileConsole, PASSWORD } from '../support/console.ts'
import { type ConsolePage, consolePage } from '../support/console-page.ts'
import { commandOf } from '../support/programs.ts'

const PROVIDER_KEY = 'sk-of-the-provider-0123456789'
/** A person who types and clicks takes two seconds for each, and this must be done within a minute. */
const MAX_ACTIONS = 24

test('the operator reads refusals, adds a provider, a model, an account and a key; a call by an SDK appears with its charge', async () => {
  await using first = await startServe()
  await using provider = serveProvider()
  await using visit = await consolePage(new URL(first.link).origin)
  visit.allow(/status of 4(00|22)|ERR_FAILED/)
  const user = userOf(visit.page)

  await visit.page.goto(first.link)
  await user.type('Password', PASSWORD)
  await user.press('Set password and sign in')

  await visit.page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
  await refuse(visit)
  await user.press('Add a provider')
  await user.choose('Another server')
  await user.type('Address', `${provider.url}/v1`)
  await user.type('API key', PROVIDER_KEY)
  await user.type('Model to test', 'house-lite')
  await user.press('Test connection')
  await visit.page.getByText(/It answered in/).waitFor()
  await visit.fits()
  await user.press('Save provider')

  // The form proposes no price, because a price is a decision.
  await user.press('Review model')
  await visit.page.locator('.field-error').first().waitFor()
  await user.type('Input price per million tokens', '0.50')
  await user.type('Output price per million tokens', '2')
  await visit.looksRight()
  await user.press('Review model')
  await user.press('Save model')

  await user.press('New account')
  await user.type('Name', 'alice')
  await user.press('Create account')
  await user.press('Top up')
  await user.type('Amount', '10')
  await user.press('Top up alice')
  await visit.page.getByText('alice has 10.00 USD', { exact: false }).first().waitFor()
  await visit.fits()
  await user.press('Create key')
  // The answer is lost on its way: the same button brings the key, and nothing is made twice.
  await visit.page.route('**/api/keys', async (route) => {
    await route.fetch()
    await route.abort()
    await visit.page.unroute('**/api/keys')
  })
  await user.press('Create key')
  await visit.page.getByText(/cannot be reached. What you typed is kept/).waitFor()
  await user.press('Create key')

  const key = await visit.page.locator('.secret pre').innerText()
  expect(key).toMatch(/^tg_/)
  await user.press('Done')
  await visit.page.getByText('Waiting for your first call…').waitFor()
  await visit.looksRight()
  const client = new OpenAI({ apiKey: key, baseURL: `${new URL(first.link).origin}/v1`, maxRetries: 0 })
  const answer = await client.chat.completions.create({
    model: 'house-lite',
    messages: [{ role: 'user', content: 'Say hello to the new gateway.' }],
  })

  await visit.page.getByText(/Your first call worked/).waitFor()
  const call = first.onlyCall()
  // The typed prices, for the tokens in the SDK's answer: 500 and 2,000 nano-dollars each.
  const { prompt_tokens = 0, completion_tokens = 0 } = answer.usage ?? {}
  expect(call.cost_nanos).toBe(prompt_tokens * 500 + completion_tokens * 2_000)
  await visit.page
    .getByText(`${formatUsd(call.cost_nanos)} USD`)
    .first()
    .waitFor()
  await visit.fits()
  expect(provider.keys).toEqual([`Bearer ${PROVIDER_KEY}`, `Bearer ${PROVIDER_KEY}`])
  expect(user.actions).toBeLessThanOrEqual(MAX_ACTIONS)

  await user.press('Go to the overview')
  await visit.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await visit.isClean()
})

test('existing parts are chosen, the call is sent from the page, and the first steps are over', async () => {
  const { gateway, visit: visitAs } = await fileConsole()
  await gateway.account('first', { balance_usd: '10' })
  await using visit = await visitAs('operator', { size: 'both', theme: 'dark' })
  const user = userOf(visit.page)
  const requested_paths: string[] = []
  visit.page.on('request', (request) => requested_paths.push(new URL(request.url()).pathname))

  await visit.open('/console')
  await visit.page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
  await user.press('Create key')
  await user.press('Create key')
  await visit.page.locator('.secret pre').waitFor()
  await user.press('Done')
  requested_paths.length = 0
  // A reload loses the text of the key, but not which key it was: another one is made for the same account.
  await visit.open(visit.page.url())
  await visit.page.getByText(/It was shown only once/).waitFor()
  await visit.page.getByText('Waiting for your first call…').waitFor()
  await visit.fits()
  await user.press('Create another key')
  await user.press('Create key')
  await visit.page.locator('.secret pre').waitFor()
  await visit.looksRight()
  await user.press('Done')
  await visit.quiet()
  await user.press('Send from here')
  await visit.page.getByText(/Your first call worked/).waitFor()
  await visit.fits()
  expect((await gateway.atRest()).calls).toMatchObject([
    { outcome: 'completed', model: 'sim-flash', surface: 'chat' },
  ])
  // The live feed reported the call; the timer only requests refusals.
  expect(requested_paths).toContain('/console/api/live')

  await visit.open('/console')
  expect(await visit.page.getByRole('heading', { level: 1 }).innerText()).toBe('Overview')
  await visit.isClean()
})

/** A refusal of a provider is shown in its own words, no step is required, and "Do this later" is not asked again. */
async function refuse(visit: ConsolePage): Promise<void> {
  await using provider = serveProvider()
  const user = userOf(visit.page)
  await user.press('Add a provider')
  await user.choose('Another server')
  await user.type('Address', 'localhost:11434')
  await user.type('Model to test', 'house-lite')
  await user.press('Test connection')
  await visit.page.getByText(/address that begins with https/).waitFor()
  await user.type('Address', `${provider.url}/v1`)
  await user.type('Model to test', 'house-fail-401')
  await user.press('Test connection')
  await visit.page.getByText(/Request had invalid authentication credentials/).waitFor()
  await visit.looksRight()

  await user.press('Close')
  await visit.page.getByText('Create a key here').waitFor()
  await user.press('Do this later')
  await visit.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await visit.open('/console')
  expect(await visit.page.getByRole('heading', { level: 1 }).innerText()).toBe('Overview')
  await user.press('First steps')
  await visit.page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
}

/** Actions of a person, counted. */
function userOf(page: Page) {
  const user = {
    actions: 0,
    async type(label: string, text: string) {
      user.actions += 1
      await page.getByLabel(label, { exact: true }).fill(text)
    },
    async press(name: string | RegExp) {
      user.actions += 1
      await page.getByRole('button', { name }).or(page.getByRole('link', { name })).first().click()
    },
    async choose(name: string) {
      user.actions += 1
      await chooseProvider(page, name)
    },
  }
  return user
}

/** `serve` over an empty folder, as a person starts it. */
async function startServe() {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-first-visit-'))
  const command = [...commandOf('gateway'), 'serve', '--data', folder, '--listen', '127.0.0.1:0']
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const link = await linkOf(child.stderr)
  return {
    link,
    onlyCall(): Call {
      const db = openDatabase(join(folder, 'tollgate.db'), { readonly: true })
      const calls = db.query<Call, []>('SELECT * FROM calls').all()
      db.close()
      const [call] = calls
      if (!call || calls.length > 1) throw new Error(`there are ${calls.length} calls, not one`)
      return call
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Finds the link in the output, which is read to its end so that the process can go on writing. */
async function linkOf(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const read = async () => {
    let output = ''
    for await (const bytes of stderr) {
      output += Buffer.from(bytes).toString()
      const link = /http:\S+\/console\/welcome#\S+(?=\s)/.exec(output)?.[0]
      if (link !== undefined) resolve(link)
    }
    reject(new Error(`serve printed no link: ${output}`))
  }
  void read()
  return await promise
}

/** A compatible server on this machine, with the keys that it received. */
function serveProvider() {
  const simulator = createSimulator()
  const keys: (string | null)[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      keys.push(request.headers.get('authorization'))
      return simulator.fetch(request)
    },
  })
  return {
    url: server.url.origin,
    keys,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
