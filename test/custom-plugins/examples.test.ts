// The worked plugins of data/plugins-examples, from source in this process and in the program that a whole run builds.
import { afterAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginRecord } from '../../src/plugin-api.ts'
import { catalogueOf, MODEL } from '../support/catalogue.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { startTestGateway } from '../support/gateway.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../support/native.ts'
import { startUpstream, whole } from '../support/upstream.ts'

const EXAMPLES = join(import.meta.dir, '../../data/plugins-examples')
const SECRET = 'a-secret-of-the-webhook'

const upstream = await startUpstream(whole(answer()))
afterAll(() => upstream[Symbol.asyncDispose]())

interface Delivery {
  record: PluginRecord
  is_signed: boolean
  at_s: number
}

/** Receives webhooks; answers with these statuses first, then with 204. */
function startReceiver() {
  const statuses: number[] = []
  const deliveries: Delivery[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = await request.text()
      const timestamp = request.headers.get('x-tollgate-timestamp') ?? ''
      const expected = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')
      deliveries.push({
        record: JSON.parse(body),
        is_signed: request.headers.get('x-tollgate-signature') === `sha256=${expected}`,
        at_s: Number(timestamp),
      })
      return new Response(null, { status: statuses.shift() ?? 204 })
    },
  })
  return { url: server.url.href, statuses, deliveries, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** A running gateway: from source, or as the built program. */
interface Run {
  url: URL
  key: string
  [Symbol.asyncDispose](): PromiseLike<void>
}

/** A file's text by its name: examples by their names alone. */
const filesOf = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, readFileSync(join(EXAMPLES, name), 'utf8')]))

const inThisProcess = async (files: Record<string, string>, env: Record<string, string>): Promise<Run> => {
  Object.assign(process.env, env)
  try {
    const gateway = await startTestGateway({ upstream, own_plugins: files })
    const { url } = gateway
    return { url, key: await gateway.caller(), [Symbol.asyncDispose]: () => gateway.stop() }
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
  }
}

const inItsOwn = async (files: Record<string, string>, environment: Record<string, string>): Promise<Run> => {
  const catalogue = catalogueOf({ upstream_url: upstream.url })
  const folder = await prepareDataFolder(catalogue)
  const plugins = join(folder.path, 'plugins')
  for (const [name, text] of Object.entries(files)) await Bun.write(join(plugins, name), text)
  const gateway = await startGatewayProcess(catalogue, folder, { environment })
  const { url, key } = gateway
  return { url, key, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
}

const say = ({ url, key }: Run, text: string): Promise<Response> =>
  fetch(new URL(wholePath(), url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
    body: JSON.stringify(ask(text)),
  })

describe.each([
  ['in this process, from source', inThisProcess],
  ['in a process of its own: the executable, in a whole run', inItsOwn],
])('%s', (_name, start) => {
  test('the moderation list refuses texts with a word of its file, and no others', async () => {
    await using run = await start(filesOf(['moderation-list.ts', 'moderation-words.txt']), {})
    upstream.requests.length = 0
    const refused = [
      'a forbidden phrase',
      'A FORBIDDEN\n  Phrase!',
      'for\u00adbidden phrase',
      'ｆｏｒｂｉｄｄｅｎ phrase',
      'contrabands',
    ]
    for (const text of refused) {
      const response = await say(run, text)
      expect({ text, status: response.status }).toEqual({ text, status: 403 })
      expect(await response.json()).toMatchObject({
        error: { status: 'PERMISSION_DENIED', message: expect.stringContaining('not allowed here') },
      })
    }
    expect(upstream.requests).toHaveLength(0)
    for (const text of ['a phrase', 'forbidden', 'unforbidden phrase', 'a forbidden phrases'])
      expect({ text, status: (await say(run, text)).status }).toEqual({ text, status: 200 })
    expect(upstream.requests).toHaveLength(4)
  })

  test('the webhook reports each call once, signed, and tries again while that can help', async () => {
    await using receiver = startReceiver()
    const { statuses, deliveries } = receiver
    await using run = await start(filesOf(['signed-webhook.ts']), {
      TOLLGATE_WEBHOOK_URL: receiver.url,
      TOLLGATE_WEBHOOK_SECRET: SECRET,
      TOLLGATE_WEBHOOK_FIRST_DELAY_MS: '5',
    })
    const response = await say(run, 'Hello.')
    await eventually('the call was reported', () => deliveries.length === 1)
    expect(deliveries[0]).toMatchObject({
      is_signed: true,
      record: {
        request_id: response.headers.get('x-request-id') ?? '',
        model: MODEL,
        outcome: 'completed',
        cost_nanos: ANSWER_NANOS,
      },
    })
    expect(Math.abs((deliveries[0]?.at_s ?? 0) - Date.now() / 1_000)).toBeLessThan(60)

    // [the answers of the receiver, the number of tries]
    for (const [answered, tries] of [
      [[500, 503, 429], 4],
      [[400], 1],
      [[500, 500, 500, 500, 500, 204], 5],
    ] as const) {
      deliveries.length = 0
      statuses.splice(0, statuses.length, ...answered)
      const { headers } = await say(run, 'Hello.')
      await eventually(`there were ${tries} tries`, () => deliveries.length >= tries)
      // Nothing reports that no further try will come: the next call is reported after it would have come.
      statuses.length = 0
      const next = await say(run, 'Next.')
      const next_id = next.headers.get('x-request-id')
      await eventually('the next call was reported', () =>
        deliveries.some(({ record }) => record.request_id === next_id),
      )
      const own = deliveries.filter(({ record }) => record.request_id === headers.get('x-request-id'))
      expect({ answered, tries: own.length }).toEqual({ answered, tries })
      expect(own.every(({ is_signed }) => is_signed)).toBe(true)
    }
  })

  test('the counts are of each key, and sent to its holder alone', async () => {
    await using run = await start(filesOf(['call-counts.ts']), {})
    const countsFor = async (headers: Record<string, string>): Promise<[number, { calls?: number }]> => {
      const response = await fetch(new URL('/call-counts', run.url), { headers })
      return [response.status, (await response.json()) as { calls?: number }]
    }
    const mine = { authorization: `Bearer ${run.key}` }
    expect(await countsFor(mine)).toMatchObject([200, { calls: 0, cost_nanos: 0 }])
    for (const text of ['One.', 'Two.']) expect((await say(run, text)).status).toBe(200)
    await eventually('both were counted', async () => (await countsFor(mine))[1].calls === 2)
    expect(await countsFor(mine)).toMatchObject([200, { calls: 2, cost_nanos: 2 * ANSWER_NANOS }])
    expect(await countsFor({})).toMatchObject([401, { error: { message: expect.any(String) } }])
  })

  test('packages come from the node_modules beside the plugins', async () => {
    await using run = await start(
      {
        'tide.ts':
          'import { high } from "tide-words"\nexport default ({ app }) => app.get("/tide", () => high())',
        'node_modules/tide-words/package.json':
          '{"name":"tide-words","type":"module","exports":"./index.js"}',
        'node_modules/tide-words/index.js': 'export const high = () => "high water"',
      },
      {},
    )
    expect(await (await fetch(new URL('/tide', run.url))).text()).toBe('high water')
  })
})
