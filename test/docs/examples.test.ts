// Documented examples, each sent to a real gateway with the simulated models of a first start and answered as documented.
import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXAMPLE_CODE } from '../../plugins/vouchers/views.ts'
import { hashKey } from '../../src/access/secret.ts'
import { AUDIO_FILE, PICTURE, PICTURE_FILE, SAMPLE_IDS } from '../../src/app/reference/samples.ts'
import {
  type Addressed,
  faultsOf,
  type MediaType,
  type OpenApi,
  type Operation,
  startDocumented,
} from './support.ts'

const AUDIO = readFileSync(join(import.meta.dir, '../fixtures/audio/tone.mp3'))
const FILES: Record<string, [bytes: Uint8Array<ArrayBuffer>, type: string]> = {
  [AUDIO_FILE]: [new Uint8Array(AUDIO), 'audio/mpeg'],
  [PICTURE_FILE]: [Uint8Array.fromBase64(PICTURE), 'image/png'],
}

/** The time for which an endless feed is read. */
const FEED_MS = 300

const documented = await startDocumented()
afterAll(() => documented.gateway.stop())
const key = await documented.gateway.caller('100')
/** Real ids in place of those in the examples. */
const real: Record<keyof typeof SAMPLE_IDS, string> = { generation: '', file: '', response: '' }
makeVoucher()

/** Makes the voucher with the code of the example. */
function makeVoucher(): void {
  const { db } = documented.gateway
  db.run("INSERT INTO voucher_batches VALUES (1, '', 0, 0)")
  db.run("INSERT INTO vouchers VALUES (1, 1, NULL, ?, '', 5000000000, 'new', 0, NULL)", [
    hashKey(EXAMPLE_CODE.replaceAll('-', '')),
  ])
}

/** Makes something of each kind to refer to, because an earlier example may have deleted it. */
async function makeThings(): Promise<void> {
  const { gateway } = documented
  const image = { model: 'sim-image', prompt: 'a house', size: '256x256' }
  const images = await jsonOf<{ svc_generation_ids: [string] }>(
    gateway.call('/v1/images/generations', image, { key }),
  )
  const response = await jsonOf<{ id: string }>(
    gateway.call('/v1/responses', { model: 'sim-gpt', input: 'Hi' }, { key }),
  )
  const form = formOf({ files: [PICTURE_FILE] })
  const { uploaded } = await jsonOf<{ uploaded: [{ key: string }] }>(
    send('/api/v1/upload', 'POST', { body: form }),
  )
  real.generation = images.svc_generation_ids[0]
  real.response = response.id
  real.file = uploaded[0].key
}

async function jsonOf<T>(response: Promise<Response>): Promise<T> {
  return (await (await response).json()) as T
}

function withRealIds(text: string): string {
  return Object.entries(SAMPLE_IDS).reduce(
    (filled, [name, id]) => filled.replaceAll(id, real[name as keyof typeof SAMPLE_IDS]),
    text,
  )
}

function formOf(value: Record<string, unknown>): FormData {
  const form = new FormData()
  for (const [name, entry] of Object.entries(value))
    for (const one of Array.isArray(entry) ? entry : [entry]) {
      const file = FILES[String(one)]
      if (file) form.append(name, new Blob([file[0]], { type: file[1] }), String(one))
      else form.append(name, String(one))
    }
  return form
}

interface Sent {
  body?: string | FormData
  headers?: Record<string, string>
  signal?: AbortSignal
}

const send = (path: string, method: string, { body, headers = {}, signal }: Sent = {}): Promise<Response> =>
  fetch(new URL(path, documented.gateway.url), {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  })

/** The address with its path parameters and required headers filled in, and these of the query. */
function addressOf({ path, operation }: Addressed, query: readonly string[]) {
  const filled = operation.parameters
    .filter((one) => one.in === 'path')
    .reduce((so_far, { name, example }) => so_far.replace(`{${name}}`, String(example)), path)
  const search = new URLSearchParams(
    operation.parameters
      .filter((one) => one.in === 'query' && query.includes(one.name))
      .map(({ name, example }): [string, string] => [name, String(example)]),
  )
  const headers = Object.fromEntries(
    operation.parameters
      .filter((one) => one.in === 'header' && one.example !== undefined)
      .map(({ name, example }) => [name, String(example)]),
  )
  return { path: withRealIds(`${filled}${search.size > 0 ? `?${search}` : ''}`), headers }
}

/** Asserts that an answer is a documented one, to its last byte. */
async function expectDocumented(label: string, operation: Operation, response: Response, status = 200) {
  const { document } = documented
  if (response.status !== status) throw new Error(`${label}: ${response.status} ${await response.text()}`)
  const declared = operation.responses[status]
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const media = declared?.content?.[type]
  expect([label, type, Object.keys(declared?.content ?? {})]).toEqual([
    label,
    type,
    expect.arrayContaining([type]),
  ])
  for (const [name] of response.headers)
    if (/^(x-|request-id|retry-after|idempotent)/.test(name) && name !== 'x-content-type-options')
      expect([label, Object.keys(declared?.headers ?? {})]).toEqual([label, expect.arrayContaining([name])])
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  if (media) await expectFit(label, document, media, type, response)
}

async function expectFit(
  label: string,
  document: OpenApi,
  { schema }: MediaType,
  type: string,
  response: Response,
) {
  if (type === 'application/json') {
    expect([label, faultsOf(document, schema, await response.json())]).toEqual([label, []])
    return
  }
  if (type !== 'text/event-stream') {
    expect((await response.bytes()).length).toBeGreaterThan(0)
    return
  }
  const data = await eventsIn(response)
  expect(data.length).toBeGreaterThan(0)
  for (const one of data)
    if (one !== '[DONE]')
      expect([label, faultsOf(document, schema.contentSchema, JSON.parse(one))]).toEqual([label, []])
}

/** The data of each event; of a feed, the events that come at once. */
async function eventsIn(response: Response): Promise<string[]> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
  } catch (failure) {
    // The test has ended a feed that never ends by itself.
    if (!(failure instanceof DOMException)) throw failure
  }
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
}

const isFeed = ({ name }: Addressed): boolean => name === 'GET /api/v1/events'
const ended = (one: Addressed): Sent => (isFeed(one) ? { signal: AbortSignal.timeout(FEED_MS) } : {})

test('every example of a request body is answered as documented', async () => {
  let ran = 0
  for (const one of documented.operations)
    for (const [type, { examples = {} }] of Object.entries(one.operation.requestBody?.content ?? {}))
      for (const [example, { value }] of Object.entries(examples)) {
        if (ran % 10 === 0) await makeThings()
        const optional = one.operation.parameters.filter(
          (entry) => entry.in === 'query' && entry.example !== undefined,
        )
        for (const query of optional.length > 0 ? [[], optional.map(({ name }) => name)] : [[]]) {
          const { path, headers } = addressOf(one, query)
          const entry = JSON.parse(withRealIds(JSON.stringify(value)))
          const body = type === 'application/json' ? JSON.stringify(entry) : formOf(entry)
          const sent = type === 'application/json' ? { ...headers, 'content-type': type } : headers
          const response = await send(path, one.method, { body, headers: sent })
          await expectDocumented(`${one.name} ${example} ${query.join()}`, one.operation, response)
          const streams = type === 'application/json' && JSON.stringify(value).includes('"stream":true')
          if (streams) expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
        }
        ran++
      }
  expect(ran).toBeGreaterThan(35)
  await documented.gateway.rest()
}, 60_000)

test('every address without a body is answered as documented, alone and with each of its parameters', async () => {
  await makeThings()
  let ran = 0
  for (const one of documented.operations.filter(({ operation }) => !operation.requestBody)) {
    const queries = one.operation.parameters
      .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
      .map(({ name }) => [name])
    for (const query of one.method === 'GET' ? [[], ...queries] : [[]]) {
      const { path, headers } = addressOf(one, query)
      const response = await send(path, one.method, { headers, ...ended(one) })
      await expectDocumented(`${one.name} ${query.join()}`, one.operation, response)
      if (one.method === 'DELETE') await makeThings()
      ran++
    }
  }
  expect(ran).toBeGreaterThan(30)
}, 60_000)

test('without a key, every operation that needs one answers 401 in its documented shape', async () => {
  for (const one of documented.operations) {
    const { path, headers } = addressOf(one, [])
    const response = await fetch(new URL(path, documented.gateway.url), { method: one.method, headers })
    const status = one.operation.security.length === 0 ? 200 : 401
    await expectDocumented(`${one.name} without a key`, one.operation, response, status)
  }
})

test('with each documented way of sending a key, every operation lets its caller in', async () => {
  const ways: Record<string, (url: URL) => Record<string, string>> = {
    bearer: () => ({ authorization: `Bearer ${key}` }),
    'x-api-key': () => ({ 'x-api-key': key }),
    'api-key': () => ({ 'api-key': key }),
    'x-goog-api-key': () => ({ 'x-goog-api-key': key }),
    'x-litellm-api-key': () => ({ 'x-litellm-api-key': key }),
    query: (url) => {
      url.searchParams.set('key', key)
      return {}
    },
  }
  for (const one of documented.operations) {
    const named = one.operation.security.flatMap((way) => Object.keys(way))
    for (const [name, put] of Object.entries(ways)) {
      const { path, headers } = addressOf(one, [])
      const url = new URL(path, documented.gateway.url)
      const { status } = await fetch(url, {
        method: one.method,
        headers: { ...headers, ...put(url) },
        ...ended(one),
      })
      const is_open = one.operation.security.length === 0
      // A DELETE may find nothing any more, and a POST without a body is malformed: both callers are known.
      expect([one.name, name, is_open || status !== 401]).toEqual([
        one.name,
        name,
        is_open || named.includes(name),
      ])
    }
  }
})
