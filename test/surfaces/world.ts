// Owns the scene of the text surfaces: one gateway, and three vendors on real sockets who replay recordings in their own protocols.

import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Call } from '../../src/db/schema.ts'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import {
  type Answer,
  type Seen,
  type Step,
  startUpstream,
  type Upstream,
  whole,
} from '../support/upstream.ts'

export const PROTOCOLS: readonly BuiltInProtocol[] = ['gemini', 'anthropic', 'openai']

/** A model of each vendor; callers and vendors name it alike. */
export const MODELS: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-haiku-4-5',
  openai: 'gpt-5',
}
/** The same models under names of the gateway's own. */
export const ALIASES: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'our-gemini',
  anthropic: 'our-claude',
  openai: 'our-gpt',
}
/** Routes to two vendors, the first to a Claude model. */
export const TWO_VENDORS = 'two-vendors'

/** USD per million tokens; nano-dollars per token are a thousand times that. */
const PRICE = 'price = { input = 1, output = 4, cache_read = 0.1, cache_write_5m = 1.25, cache_write_1h = 2 }'

export const INPUT_NANOS = 1_000
export const OUTPUT_NANOS = 4_000
export const CACHE_READ_NANOS = 100
export const CACHE_WRITE_5M_NANOS = 1_250
export const CACHE_WRITE_1H_NANOS = 2_000

const providerOf = (protocol: BuiltInProtocol, url: string): string => `
[[providers]]
name = "${protocol}"
protocol = "${protocol}"
base_url = "${url}/${protocol}${protocol === 'openai' ? '/v1' : ''}"
api_keys = ["${PROVIDER_KEYS[0]}"]
cooldown_ms = 0
`

const modelOf = (id: string, ...routes: readonly BuiltInProtocol[]): string => `
[[models]]
id = "${id}"
kind = "text"
max_output_tokens = 16384
routes = [${routes.map((to, order) => `{ provider = "${to}", model = "${MODELS[to]}", order = ${order} }`)}]
${PRICE}
`

const catalogueOf = (url: string, more: string, server: string): string =>
  [
    `[server]\nlog_level = "debug"\nledger_writer = "inline"\n${server}`,
    ...PROTOCOLS.map((protocol) => providerOf(protocol, url)),
    ...PROTOCOLS.flatMap((to) => [modelOf(MODELS[to], to), modelOf(ALIASES[to], to)]),
    modelOf(TWO_VENDORS, 'anthropic', 'openai'),
    '[[models]]\nid = "retired"\nkind = "text"\nretired = true',
    `routes = [{ provider = "gemini", model = "x" }]\n${PRICE}`,
    more,
  ].join('\n')

export interface World extends AsyncDisposable {
  upstream: Upstream
  gateway: TestGateway
  /** The body of the vendor's last request. */
  asked(): JsonObject
  /** Waits until the last call is settled, and gives its record. */
  lastCall(): Promise<Call>
}

/**
 * @param more further sections of the catalogue, for the vendors' address
 * @param server further lines of its section `[server]`
 */
export async function openWorld(more: (url: string) => string = () => '', server = ''): Promise<World> {
  const upstream = await startUpstream()
  const gateway = await startTestGateway({ catalogue: catalogueOf(upstream.url, more(upstream.url), server) })
  return {
    upstream,
    gateway,
    asked: () => JSON.parse(upstream.last().body.toString()),
    async lastCall() {
      const call = (await gateway.atRest()).calls.at(-1)
      if (!call) throw new Error('no call is recorded')
      return call
    },
    async [Symbol.asyncDispose]() {
      await gateway.stop()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

/** Which vendor a request came to. */
export function vendorOf({ path }: Seen): BuiltInProtocol {
  const found = PROTOCOLS.find((protocol) => path.startsWith(`/${protocol}/`))
  if (!found) throw new Error(`no vendor has ${path}`)
  return found
}

/** Whether a request of a vendor's asks for a stream. */
export const streamed = (seen: Seen): boolean =>
  seen.path.includes(':stream') || seen.body.includes('"stream":true')

const FIXTURES = join(import.meta.dir, '../fixtures')

const placeOf = (protocol: BuiltInProtocol, name: string): string =>
  protocol === 'gemini' ? `translation/answers/gemini-${name}` : `${protocol}/${name}`

/** The payloads of a recording. */
export const recorded = (protocol: BuiltInProtocol, name: string): string[] =>
  readFileSync(join(FIXTURES, `${placeOf(protocol, name)}.jsonl`), 'utf8')
    .trim()
    .split('\n')

/** One payload as its vendor frames it: Anthropic names the event, too. */
export const framed = (protocol: BuiltInProtocol, payload: string): string =>
  protocol === 'anthropic'
    ? `event: ${JSON.parse(payload).type}\ndata: ${payload}\n\n`
    : `data: ${payload}\n\n`

/** A vendor's stream of these payloads. */
export const streamOf = (protocol: BuiltInProtocol, payloads: readonly string[]): Answer => ({
  headers: { 'content-type': 'text/event-stream' },
  steps: payloads.map((payload): Step => ({ send: framed(protocol, payload) })),
})

/** A recording, as whichever vendor is asked answers it: whole, or as a stream. */
export const replay =
  (name: string) =>
  (seen: Seen): Answer => {
    const vendor = vendorOf(seen)
    return streamed(seen)
      ? streamOf(vendor, recorded(vendor, `stream-${name}`))
      : whole(recorded(vendor, `whole-${name}`)[0])
  }

/** What the recordings named `text` say. */
export const TIDES = 'Tides rise because the Moon pulls the near sea harder, a "bulge" on each side. 🌊\n'

/** The refusal of each vendor, in its own shape. */
export const REFUSAL: Readonly<Record<BuiltInProtocol, (status: number, message: string) => JsonObject>> = {
  gemini: (code, message) => ({ error: { code, message, status: 'INVALID_ARGUMENT' } }),
  anthropic: (_, message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  openai: (_, message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: null },
  }),
}

/** Nothing of a call was held, charged or asked of a vendor. */
export async function expectUntouched(
  { gateway, upstream }: World,
  before: { calls: number; seen: number; holds: number },
): Promise<void> {
  const { calls, holds } = await gateway.atRest()
  expect({ calls: calls.length, seen: upstream.seen.length, holds: holds.length }).toEqual(before)
}

/** What `expectUntouched` compares with. */
export function countsOf({ gateway, upstream }: World) {
  const { calls, holds } = gateway.rows()
  return { calls: calls.length, seen: upstream.seen.length, holds: holds.length }
}
