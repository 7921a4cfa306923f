// Known servers by their name and key alone, from the start of the gateway's process: where requests go, how the key is sent, the form
// of tools and of a picture, and the charge.
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { accountFile, assertionIn, PRIVATE_KEY, tokenAnswer, tokenNumber } from '../support/google.ts'
import { faultIn, knownRows, PICTURE, refused, TOOL, toolCall } from '../support/known-fakes.ts'
import { addressOf, startKnownNetwork } from '../support/known-network.ts'
import type { Script } from '../support/upstream.ts'

setDefaultTimeout(30_000)

const TOKEN_SERVER = 'https://oauth2.googleapis.com'
let tokens = 0
const ROWS = knownRows(() => tokenNumber(tokens))
const keyOf = (row: number) => `key-of-row-${row}`

const catalogue = ROWS.map(
  ({ entry, keys, model = 'm', generation = 'gpt-4o' }, row) => `
[[providers]]
name = "p${row}"
${entry}
api_keys = ["${keys ?? `env:KEY_${row}`}"]

[[models]]
id = "m${row}"
kind = "text"
max_output_tokens = 1000
routes = [{ provider = "p${row}", model = "${model}", generation = "${generation}" }]
price = { input = 1, output = 4 }
`,
).join('')

/** Faults that the fakes found in requests. */
const faults: string[] = []
/** All servers of the network: each accepts the request of its row, the token server an assertion that the account signed. */
const network: Script = (seen) => {
  const address = addressOf(seen)
  if (address === `${TOKEN_SERVER}/token`) return tokenAnswer(seen, Date.now(), ++tokens)
  const at = ROWS.flatMap((row, index) =>
    [row.url, row.stream_url].includes(address) ? (faultIn(seen, row, keyOf(index)) ?? '') : [],
  )
  if (at.includes('')) return toolCall(seen)
  faults.push(at[0] ?? `unknown address: ${address}`)
  return refused(404, 'This server takes no such request.')
}

const servers = await startKnownNetwork(network)
const folder = await prepareDataFolder(catalogue)
writeFileSync(join(folder.path, 'vertex.json'), accountFile(TOKEN_SERVER))
const log_path = join(folder.path, 'log')
const gateway = await startGatewayProcess(catalogue, folder, {
  environment: {
    ...servers.environment,
    ...Object.fromEntries(ROWS.map((_, row) => [`KEY_${row}`, keyOf(row)])),
  },
  log_path,
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await servers[Symbol.asyncDispose]()
})
beforeEach(() => {
  servers.answer(network)
  faults.length = 0
})

const call = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(new URL(path, gateway.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateway.key, ...headers },
    body: JSON.stringify(body),
  })

const ask = (row: number, more: object = {}) =>
  call('/v1/chat/completions', {
    model: `m${row}`,
    max_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is the weather here?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
        ],
      },
    ],
    tools: [
      { type: 'function', function: { name: TOOL.name, parameters: { type: 'object', properties: {} } } },
    ],
    ...more,
  })

/** The call that was recorded last; an answer ends after its record. */
const lastCall = () => gateway.books().calls.at(-1)
const sentTo = () => servers.seen.map(addressOf).at(-1)

const CASES = ROWS.map((row, index) => [row.entry.replaceAll('\n', ', '), index, row] as const)

describe('an entry of a name, a server and a key', () => {
  test.each(CASES)('%s: a whole call', async (_, index, { url }) => {
    const response = await ask(index)
    expect([faults, response.status, await response.json()]).toMatchObject([
      [],
      200,
      { choices: [{ message: { tool_calls: [{ function: TOOL }] } }] },
    ])
    expect(sentTo()).toBe(url)
    expect(lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: 30_000, estimated: 0 })
  })

  test.each(CASES)('%s: a stream', async (_, index, { url, stream_url = url }) => {
    const text = await (await ask(index, { stream: true })).text()
    expect(faults).toEqual([])
    expect(text).toContain(TOOL.name)
    expect(text).toEndWith('data: [DONE]\n\n')
    expect(sentTo()).toBe(stream_url)
    expect(lastCall()).toMatchObject({ outcome: 'completed', streamed: 1, cost_nanos: 30_000 })
  })

  test.each(CASES)('%s: a refused key is no fault of the caller, and free', async (_, index) => {
    servers.answer((seen, at) =>
      addressOf(seen).startsWith(TOKEN_SERVER) && typeof network === 'function'
        ? network(seen, at)
        : refused(401, 'Access denied.'),
    )
    expect((await ask(index)).status).toBe(502)
    expect(lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })
})

test('one token stands for the service account, until Vertex AI refuses it', () => {
  const exchanges = servers.seen.filter((seen) => addressOf(seen).startsWith(TOKEN_SERVER))
  // One at the first call, one more for each of the three providers whose token was refused.
  expect(exchanges).toHaveLength(1 + 3)
  for (const seen of exchanges)
    expect(assertionIn(seen)).toMatchObject({ is_signed: true, claims: { aud: `${TOKEN_SERVER}/token` } })
})

test('an entry that is added to a running gateway serves at once, from the Messages API too', async () => {
  const row = ROWS.findIndex(({ entry }) => entry.includes('cerebras'))
  const added = `
[[providers]]
name = "new"
server = "cerebras"
api_keys = ["env:KEY_${row}"]

[[models]]
id = "new"
kind = "text"
max_output_tokens = 1000
routes = [{ provider = "new", model = "m" }]
price = { input = 1, output = 4 }
`
  writeFileSync(join(folder.path, 'tollgate.toml'), catalogue + added)
  gateway.signal('SIGHUP')
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } }
  const body = {
    model: 'new',
    max_tokens: 100,
    stream: true,
    messages: [{ role: 'user', content: [image, { type: 'text', text: 'What is the weather?' }] }],
    tools: [{ name: TOOL.name, input_schema: { type: 'object' } }],
  }
  let text = ''
  await eventually('the entry is taken up', async () => {
    const response = await call('/v1/messages', body, { 'anthropic-version': '2023-06-01' })
    text = await response.text()
    return response.status !== 404
  })
  expect([faults, text]).toEqual([[], expect.stringContaining(`"name":"${TOOL.name}"`)])
  expect(sentTo()).toBe('https://api.cerebras.ai/v1/chat/completions')
  expect(lastCall()).toMatchObject({ surface: 'messages', streamed: 1, cost_nanos: 30_000 })
})

test('nothing stays held, the audit is clean, and no key or token is in the log', async () => {
  gateway.signal('SIGTERM')
  expect(await gateway.ended).toBe(0)
  const { holds } = gateway.books()
  const findings = await gateway.findings()
  expect([findings, holds.filter(({ state }) => state === 'pending')]).toEqual([[], []])
  const log = readFileSync(log_path, 'utf8')
  expect(log).toContain('Access denied.')
  for (const secret of ['key-of-row-', 'ya29.', PRIVATE_KEY.split('\n')[1] ?? 'none'])
    expect(log).not.toContain(secret)
})
