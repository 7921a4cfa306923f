// A week of a small gateway and the week before it, made by real calls through the simulator, on a clock that ends now.

import { alertSettings } from '../../plugins/alerts/settings.ts'
import { applySteps } from '../../plugins/alerts/store.ts'
import { watchAlerts } from '../../plugins/alerts/watch.ts'
import { plugins } from '../../plugins/index.ts'
import { changeDetails } from '../../src/access/account-details.ts'
import { setPriceGroup } from '../../src/access/account-group.ts'
import { accountByName } from '../../src/access/accounts.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { registerEndpoint, startFakeStripe } from '../providers/fake-stripe/index.ts'
import { type RandomNumbers, randomOf } from '../providers/random-numbers.ts'
import { consoleAddress } from '../support/console-port.ts'
import { eventually } from '../support/eventually.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts'
import { newPerson } from '../support/people.ts'
import { gatewaySpy } from '../support/plugins.ts'
import { WEEK_CATALOGUE } from './week-catalogue.ts'
import { makeMoney, WEEK_MONEY, WEEK_STRIPE_KEY } from './week-money.ts'

export interface Week extends AsyncDisposable {
  gateway: TestGateway
  /** The text of a key of each account. */
  keys: Readonly<Record<Person, string>>
}

type Person = 'alice' | 'bob' | 'studio-lea' | 'acme'
type Send = (random: RandomNumbers) => Promise<Response>

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const DAYS = 14
/** Calls at once, between two steps of the clock. */
const MAX_AT_ONCE = 12
/** Refused requests in the last hour. */
const REFUSED = 26

const PEOPLE: Readonly<Record<Person, { balance_usd: string; share: number; models: readonly string[] }>> = {
  alice: { balance_usd: '25', share: 4, models: ['claude-sonnet-4-5', 'gemini-2.5-flash'] },
  bob: { balance_usd: '3', share: 2, models: ['house-model', 'gpt-5-mini', 'early-preview'] },
  'studio-lea': { balance_usd: '40', share: 1, models: ['gemini-2.5-flash'] },
  acme: {
    balance_usd: '120',
    share: 5,
    models: ['gpt-5-mini', 'gemini-2.5-flash', 'text-embedding-3-small'],
  },
}
/** Any letters: a long name, one without spaces, one from right to left. */
const DISPLAY_NAMES: Readonly<Partial<Record<Person, string>>> = {
  bob: 'אבי הבנאי ובניו, עבודות אבן ובנייה בע״מ',
  'studio-lea': 'Studio Lea für Gestaltung und Buchdruckerei',
  acme: '株式会社アクメ・インターナショナル東京支店総務部第二課企画係資料室',
}
const LONG_NAME = 'the-workshop-for-clocks-and-barometers-0'
const PROMPTS = [
  'Sum up the minutes of our meeting about the new boiler, in five points.',
  'Why does my query take two seconds, though there is an index on its column?',
  'Write a friendly reminder for an invoice that is ten days late.',
  'Translate this page of the manual, and keep its headings.',
  'What is the difference between a hold and a charge?',
]
const PICTURES = [
  'a red house on green hills at noon',
  'a lighthouse in a storm, in ink',
  'an orange cat asleep on a keyboard',
  'a city of paper, seen from above',
  'a blue bicycle against a yellow wall',
]

/**
 * Starts a gateway, and lets people call it as they would in a week.
 *
 * @param calls_a_day on a busy day; two days of seven have a third of it
 */
export async function startWeek({
  calls_a_day = 60,
  ...options
}: { calls_a_day?: number } & Omit<TestGatewayOptions, 'now' | 'catalogue'> = {}): Promise<Week> {
  let behind_ms = DAYS * DAY_MS
  const now = () => Date.now() - behind_ms
  const stripe = startFakeStripe({ key: WEEK_STRIPE_KEY, now })
  const listen = options.listen ?? consoleAddress()
  const spy = gatewaySpy()
  const gateway = await startTestGateway({
    network: (url, init) => stripe.network(url, init),
    ...options,
    plugins: [...plugins, spy.plugin],
    listen,
    catalogue: WEEK_CATALOGUE.replace('[server]', `[server]\npublic_url = "http://${listen}"`) + WEEK_MONEY,
    now,
  })
  registerEndpoint(stripe, new URL('/payments/stripe/webhook', gateway.url).href)
  const random = randomOf(11)
  const keys = {} as Record<Person, string>
  for (const [name, { balance_usd }] of Object.entries(PEOPLE)) {
    await gateway.account(name, { balance_usd })
    keys[name as Person] = await gateway.key(name, { name: 'laptop' })
  }
  for (const [name, display_name] of Object.entries(DISPLAY_NAMES))
    await changeDetails(gateway.store, name, { display_name })
  await gateway.key('acme', {
    name: 'website-of-the-international-head-office',
    models: ['gpt-*'],
    spend_limit_nanos: 20_000_000_000,
  })
  await gateway.account('new-neighbour')
  await newPerson(
    gateway.store,
    { account_id: null, role: 'support' },
    { name: 'Mia Berg', email: 'mia@example.com' },
  )
  await newPerson(
    gateway.store,
    { account_id: null, role: 'auditor' },
    { name: 'Otto', email: 'otto@audit.example' },
  )
  await gateway.account(LONG_NAME, { balance_usd: '1' })
  let has_pictures = false
  for (const at_ms of momentsOf(random, calls_a_day)) {
    behind_ms = DAYS * DAY_MS - at_ms
    if (!has_pictures && behind_ms < 3 * DAY_MS) {
      has_pictures = true
      await makePictures(gateway, keys['studio-lea'])
    }
    const calls = Array.from({ length: Math.min(MAX_AT_ONCE, calls_a_day) }, () =>
      callOf(gateway, keys, random),
    )
    await Promise.all(calls.map(async (send) => (await send(random)).arrayBuffer().catch(ignoreBroken)))
  }
  behind_ms = 0
  await setPriceGroup(gateway.store, 'bob', 'resellers')
  await setPriceGroup(gateway.store, 'new-neighbour', 'friends')
  await makeRefusals(gateway, keys.bob)
  addMails(gateway)
  await makeMoney(gateway, stripe)
  await makeCoveredCall(gateway, keys.alice)
  await raiseAlerts(spy.gateway(), (ahead_ms) => (behind_ms = -ahead_ms))
  const stop = async () => {
    await gateway.stop()
    await stripe[Symbol.asyncDispose]()
  }
  return { gateway, keys, [Symbol.asyncDispose]: stop }
}

/** A mail in each state, with the words of a mail server. */
function addMails({ db }: TestGateway): void {
  const now_ms = Date.now()
  const insert = db.query(
    `INSERT INTO mails VALUES (NULL, 1, ?, ?, '{}', ?, 'en', NULL, NULL, ?, ?, ?, ${now_ms - 60_000}, ?, ?, ?)`,
  )
  const refused =
    'Recipient refused by mail.example.com:587: 550 5.1.1 The email account that you tried to reach does not exist'
  insert.run('k1', 'invitation', 'lea@example.com', 'm1', 'sent', 1, null, now_ms - 58_000, null)
  insert.run(
    'k2',
    'low_balance',
    'somebody-with-a-long-name@mail.example.com',
    'm2',
    'failed',
    1,
    null,
    null,
    refused,
  )
  insert.run(
    'k3',
    'budget',
    'lea@example.com',
    'm3',
    'queued',
    2,
    now_ms + DAY_MS,
    null,
    'No connection to mail.example.com:587: timeout',
  )
  insert.run(
    'k4',
    'key_expiring',
    'lea@example.com',
    'm4',
    'cancelled',
    1,
    null,
    null,
    'The recipient unsubscribed from notices.',
  )
}

/** Broken streams are part of the week: their records have the outcome. */
const ignoreBroken = () => undefined

/** The times of calls, in ms since the beginning, in order: more by day than by night, and few on two days of seven. */
function momentsOf(random: RandomNumbers, calls_a_day: number): number[] {
  const moments = Array.from({ length: DAYS }, (_, day) => {
    const calls = day % 7 === 3 || day % 7 === 4 ? calls_a_day / 3 : calls_a_day
    return Array.from({ length: Math.max(1, Math.round(calls / MAX_AT_ONCE)) }, () => {
      const of_day = random() < 0.8 ? 0.33 + random() * 0.42 : random()
      return Math.floor((day + of_day) * DAY_MS)
    })
  })
  return [...moments.flat(), DAYS * DAY_MS - 60_000].sort((one, other) => one - other)
}

function callOf(gateway: TestGateway, keys: Week['keys'], random: RandomNumbers): Send {
  const name = weighted(random)
  const { models } = PEOPLE[name]
  const model = pick(models, random)
  const key = keys[name]
  if (model.includes('embedding'))
    return () => gateway.call('/v1/embeddings', { model, input: pick(PROMPTS, random) }, { key })
  const content = pick(PROMPTS, random).repeat(1 + Math.floor(random() ** 3 * 500))
  const messages = [{ role: 'user', content }]
  const stream = random() < 0.7
  if (model.startsWith('claude')) {
    const headers = { 'anthropic-version': '2023-06-01' }
    return () =>
      gateway.call('/v1/messages', { model, messages, stream, max_tokens: 2_000 }, { key, headers })
  }
  if (random() < 0.02)
    return () => gateway.call('/v1/chat/completions', { model: 'gpt-4', messages }, { key })
  return () =>
    gateway.call('/v1/chat/completions', { model, messages, stream, max_completion_tokens: 2_000 }, { key })
}

/** Requests for an unknown model, so that an account's pages have many refusals. */
async function makeRefusals(gateway: TestGateway, key: string): Promise<void> {
  const body = { model: 'claude-3-opus-latest', messages: [{ role: 'user', content: 'Hi' }] }
  for (let at = 0; at < REFUSED; at++)
    await (await gateway.call('/v1/chat/completions', body, { key })).arrayBuffer()
  await eventually('the refusals are recorded', () => refusalsOf(gateway) >= REFUSED)
}

/** Waits for a call that a plan covers: calls use a new plan within a second. */
const makeCoveredCall = (gateway: TestGateway, key: string) =>
  eventually('a call is covered by a plan', async () => {
    const messages = [{ role: 'user', content: PROMPTS[0] }]
    const body = { model: 'gemini-2.5-flash', messages, max_completion_tokens: 500 }
    await (await gateway.call('/v1/chat/completions', body, { key })).arrayBuffer()
    return (await gateway.lastCall()).plan_period_id !== null
  })

/** All refusals are counted; of each reason, the first 20 of an hour are kept. */
const refusalsOf = ({ db }: TestGateway): number =>
  db.query<{ n: number | null }, []>('SELECT sum(refusals) AS n FROM refusal_sums WHERE span_s = 3600').get()
    ?.n ?? 0

/** Raises all alerts that are due before a page is checked: a later one would move the page's content. */
async function raiseAlerts(gateway: Gateway, setAhead: (ahead_ms: number) => void): Promise<void> {
  const condition = {
    rule: 'low_balance',
    subject: 'bob',
    account_id: (await accountByName(gateway.db, 'bob')).id,
    sentence: "bob has 2.84 USD left, about 2 days at this week's pace.",
  } as const
  const steps = { raise: [condition], over: [], back: [], end: [] }
  await applySteps(gateway.db, steps, { now_ms: Date.now(), newWebhookId: () => 'msg_1' })
  const settings = () => alertSettings.of(gateway.calls.catalogue())
  const alerts = watchAlerts({ gateway, settings, post: async () => 204 })
  for (const ahead_ms of [-MINUTE_MS, 0]) {
    setAhead(ahead_ms)
    await alerts.look()
  }
  await alerts.stop()
}

/** Five pictures, two edits of the first, and one composed of two: a lineage for the pages. */
async function makePictures(gateway: TestGateway, key: string): Promise<void> {
  const model = 'gemini-2.5-flash-image'
  const make = async (path: string, body: object): Promise<string> => {
    const response = await gateway.call(`/v1/images/${path}`, { model, size: '512x512', ...body }, { key })
    const { svc_generation_ids } = (await response.json()) as { svc_generation_ids?: string[] }
    const [id] = svc_generation_ids ?? []
    if (id === undefined) throw new Error(`no picture: ${response.status}`)
    return id
  }
  const ids: string[] = []
  for (const prompt of PICTURES) ids.push(await make('generations', { prompt }))
  const [house, lighthouse] = ids
  const evening = await make('edits', { prompt: 'the same in golden evening light', generation_id: house })
  await make('edits', { prompt: 'with snow on the hills', generation_id: evening })
  await make('compose', { prompt: 'both on a blue wall', generation_ids: [evening, lighthouse] })
}

function weighted(random: RandomNumbers): Person {
  const all = Object.entries(PEOPLE) as [Person, { share: number }][]
  const sum = all.reduce((total, [, { share }]) => total + share, 0)
  let left = random() * sum
  for (const [name, { share }] of all) {
    left -= share
    if (left < 0) return name
  }
  return 'acme'
}

function pick<T>(all: readonly T[], random: RandomNumbers): T {
  const one = all[Math.floor(random() * all.length)]
  if (one === undefined) throw new Error('nothing to pick from')
  return one
}
