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
import { PASSWORD } from '../support/console.ts'
import { consolePage } from '../support/console-page.ts'
import { commandOf } from '../support/programs.ts'

const PROVIDER_KEY = 'sk-of-the-provider-0123456789'
/** A person who types and clicks takes two seconds for each, and this must be done within a minute. */
const MAX_ACTIONS = 24

test('a provider, a model, an account and a key by hand; a call by an SDK turns up with its charge', async () => {
  await using first = await startServe()
  await using provider = serveProvider()
  await using visit = await consolePage(new URL(first.link).origin)
  visit.allow(/status of 4(00|22)|ERR_FAILED/)
  const hand = handOf(visit.page)

  await visit.page.goto(first.link)
  await hand.type('Password', PASSWORD)
  await hand.press('Set password and sign in')

  await visit.page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
  await visit.looksRight()
  await hand.press('Add a provider')
  await hand.choose('Another server')
  await hand.type('Address', `${provider.url}/v1`)
  await hand.type('API key', PROVIDER_KEY)
  await hand.type('Model to test', 'house-lite')
  await hand.press('Test connection')
  await visit.page.getByText(/It answered in/).waitFor()
  await visit.looksRight()
  await hand.press('Save provider')

  // No price is made up: it is a decision.
  await hand.press('Review model')
  await visit.page.locator('.field-error').first().waitFor()
  await hand.type('Input per million tokens', '0.50')
  await hand.type('Output per million tokens', '2')
  await visit.looksRight()
  await hand.press('Review model')
  await hand.press('Save model')

  await hand.press('New account')
  await hand.type('Name', 'alice')
  await hand.press('Create account')
  await hand.press('Top up')
  await hand.type('Amount', '10')
  await hand.press('Top up alice')
  await visit.page.getByText('alice has 10.00 USD', { exact: false }).first().waitFor()
  await visit.looksRight()
  await hand.press('Create key')
  // The answer is lost on its way: the same button brings the key, and nothing is made twice.
  await visit.page.route('**/api/keys', async (route) => {
    await route.fetch()
    await route.abort()
    await visit.page.unroute('**/api/keys')
  })
  await hand.press('Create key')
  await visit.page.getByText(/cannot be reached. What you typed is kept/).waitFor()
  await hand.press('Create key')

  const key = await visit.page.locator('.secret pre').innerText()
  expect(key).toMatch(/^tg_/)
  await hand.press('Done')
  await visit.page.getByText('Waiting for your first call…').waitFor()
  await visit.looksRight()
  const client = new OpenAI({ apiKey: key, baseURL: `${new URL(first.link).origin}/v1`, maxRetries: 0 })
  const answer = await client.chat.completions.create({
    model: 'house-lite',
    messages: [{ role: 'user', content: 'Say hello to the new gateway.' }],
  })

  await visit.page.getByText(/Your first call worked/).waitFor()
  const call = first.onlyCall()
  // The prices that were typed, for the tokens that the SDK was told: 500 and 2,000 nano-dollars each.
  const { prompt_tokens = 0, completion_tokens = 0 } = answer.usage ?? {}
  expect(call.cost_nanos).toBe(prompt_tokens * 500 + completion_tokens * 2_000)
  await visit.page
    .getByText(`${formatUsd(call.cost_nanos)} USD`)
    .first()
    .waitFor()
  await visit.looksRight()
  expect(provider.keys).toEqual([`Bearer ${PROVIDER_KEY}`, `Bearer ${PROVIDER_KEY}`])
  expect(hand.actions).toBeLessThanOrEqual(MAX_ACTIONS)

  await hand.press('Go to the overview')
  await visit.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await visit.isClean()
})

test('what is there already is chosen, the call is sent from the page, and the visit is over', async () => {
  await using first = await startServe()
  await using visit = await consolePage(new URL(first.link).origin, { size: 'phone', theme: 'dark' })
  const hand = handOf(visit.page)
  const asked: string[] = []
  visit.page.on('request', (request) => asked.push(new URL(request.url()).pathname))

  await visit.page.goto(first.link)
  await hand.type('Password', PASSWORD)
  await hand.press('Set password and sign in')
  await hand.press('Create key')
  await hand.press('Create key')
  await visit.page.locator('.secret pre').waitFor()
  await hand.press('Done')
  asked.length = 0
  // Its text is gone with the page, not which key it was: another one is made for the same account.
  await visit.open(visit.page.url())
  await visit.page.getByText(/It was shown only once/).waitFor()
  await visit.page.getByText('Waiting for your first call…').waitFor()
  await visit.looksRight()
  await hand.press('Create another key')
  await hand.press('Create key')
  await visit.page.locator('.secret pre').waitFor()
  await visit.looksRight()
  await hand.press('Done')
  await visit.quiet()
  await visit.looksRight()
  await hand.press('Send from here')
  await visit.page.getByText(/Your first call worked/).waitFor()
  await visit.looksRight()
  expect(first.onlyCall()).toMatchObject({ outcome: 'completed', model: 'sim-flash', surface: 'chat' })
  // The live feed told of it; the clock only asks for refusals.
  expect(asked).toContain('/console/api/live')

  await visit.open('/console')
  expect(await visit.page.getByRole('heading', { level: 1 }).innerText()).toBe('Overview')
  await visit.isClean()
})

test('a provider that refuses is told in its own words, no step is required, and later is not asked again', async () => {
  await using first = await startServe()
  await using provider = serveProvider()
  await using visit = await consolePage(new URL(first.link).origin)
  const hand = handOf(visit.page)
  await visit.page.goto(first.link)
  await hand.type('Password', PASSWORD)
  await hand.press('Set password and sign in')

  await hand.press('Add a provider')
  await hand.choose('Another server')
  await hand.type('Address', 'localhost:11434')
  await hand.type('Model to test', 'house-lite')
  visit.allow(/status of 422/)
  await hand.press('Test connection')
  await visit.page.getByText(/address that begins with https/).waitFor()
  await hand.type('Address', `${provider.url}/v1`)
  await hand.type('Model to test', 'house-fail-401')
  await hand.press('Test connection')
  await visit.page.getByText(/Request had invalid authentication credentials/).waitFor()
  await visit.looksRight()

  await hand.press('Close')
  await visit.page.getByText('Create a key here').waitFor()
  await hand.press('Do this later')
  await visit.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await hand.press('First steps')
  await visit.page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
  await visit.open('/console')
  expect(await visit.page.getByRole('heading', { level: 1 }).innerText()).toBe('Overview')
  await visit.isClean()
})

/** What a person does, counted. */
function handOf(page: Page) {
  const hand = {
    actions: 0,
    async type(label: string, text: string) {
      hand.actions += 1
      await page.getByLabel(label, { exact: true }).fill(text)
    },
    async press(name: string | RegExp) {
      hand.actions += 1
      await page.getByRole('button', { name }).or(page.getByRole('link', { name })).first().click()
    },
    async choose(name: string) {
      hand.actions += 1
      await chooseProvider(page, name)
    },
  }
  return hand
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

/** It is read to its end, so that the process can go on writing. */
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

/** A compatible server on this machine, with the keys that it was shown. */
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
