// `providers test` of known servers that are set up wrongly: the advice to the operator, as the screen shows it.
import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fetch } from '../../../src/upstream/transport.ts'
import { CASES, type Case } from '../../app/commands/known-mistakes.ts'
import { createScene } from '../../app/commands/scene.ts'
import { accountFile, tokenAnswer } from '../../support/google.ts'
import { startUpstream, type UpstreamRequest, whole } from '../../support/upstream.ts'

const KEY = 'key-0123456789'
const TOKEN_SERVER = 'https://oauth2.googleapis.com'

/** A failure as the runtime throws it. */
const failing = (code: string, message: string) => Object.assign(new TypeError(message), { code })
const notFound = (url: string) => {
  const { hostname } = new URL(url)
  return failing('ENOTFOUND', `getaddrinfo ENOTFOUND ${hostname}`)
}

let current: Case
const upstream = await startUpstream((seen: UpstreamRequest, index: number) => {
  const { server = whole({}), token_server } = current
  if (seen.path !== '/token') return server
  if (token_server === undefined || typeof token_server === 'string') return tokenAnswer(seen, Date.now(), 1)
  return typeof token_server === 'function' ? token_server(seen, index) : token_server
})
const scene = createScene('nothing')
afterAll(async () => {
  scene.remove()
  await upstream[Symbol.asyncDispose]()
})

/** Each server and the token server under their own names, or not found. */
const network: Fetch = async (url, init) => {
  const { pathname, search } = new URL(url)
  const { server, token_server } = current
  if (url.startsWith(TOKEN_SERVER)) {
    if (token_server === 'not found') throw notFound(url)
    if (token_server === 'refuses to connect')
      throw failing(
        'ECONNREFUSED',
        'ECONNREFUSED: Unable to connect. Is the computer able to access the url?',
      )
  } else if (!server) throw notFound(url)
  return fetch(upstream.url + pathname + search, init)
}

async function run(one: Case, ...options: string[]) {
  current = one
  writeFileSync(join(scene.dir, 'vertex.json'), accountFile(TOKEN_SERVER))
  writeFileSync(
    join(scene.dir, 'tollgate.toml'),
    `[[providers]]
name = "one"
${one.entry}
api_keys = ["${one.by_account ? 'file:vertex.json' : KEY}"]

[[models]]
id = "m"
kind = "text"
routes = [{ provider = "one", model = "m", generation = "gpt-4o" }]
price = { input = 1, output = 1 }
`,
  )
  Object.assign(scene, { network, now_ms: Date.now() + (one.ahead_ms ?? 0) })
  return await scene.run('providers', 'test', ...options)
}

describe('the advice for each known mistake', () => {
  test.each(CASES.map((one) => [one.what, one] as const))('%s', async (_, one) => {
    const { status, out, err } = await run(one, '--json')
    const { tested } = JSON.parse(out)
    expect([status, err, tested]).toMatchObject([
      1,
      '',
      [{ ok: false, result: one.result, advice: one.says }],
    ])
    expect(out).not.toContain(KEY)
  })
})

test('on the screen: the address, the words of the server, then what to do', async () => {
  const [one] = CASES.filter(({ what }) => what === 'Vertex AI: clock off')
  if (!one) throw new Error('no case')
  const { out } = await run(one)
  // Below the line with the duration.
  expect(out.split('\n').slice(3)).toEqual([
    '     https://aiplatform.googleapis.com/v1beta1/projects/fake-project-1234/locati',
    '     ons/global/publishers/google/models/m:generateContent',
    '     no access token for the service account: invalid_grant: Invalid JWT: Token',
    '     must be a short-lived token (60 minutes) and in a reasonable timeframe.',
    "     Check your iat and exp values in the JWT claim. (this machine's clock is 5",
    "     h ahead of that server's)",
    '',
    'bad key: wrong clock: Google rejects the signatures of this machine, because its',
    'clock is off. Turn on time synchronization, such as with `timedatectl set-ntp',
    'true`.',
    '',
    'Requests: 1, failed: 1.',
  ])
})
