// Recorded answers of the three protocols, as a scripted upstream replays them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { PROTOCOLS } from './three-providers.ts'
import { type Answer, type Step, type UpstreamRequest, whole } from './upstream.ts'

const FIXTURES = join(import.meta.dir, '../fixtures')

/** The text of the recordings named `text`. */
export const TIDES = 'Tides rise because the Moon pulls the near sea harder, a "bulge" on each side. 🌊\n'

/** Returns the provider that a request was sent to. */
export function targetProvider({ path }: UpstreamRequest): BuiltInProtocol {
  const found = PROTOCOLS.find((protocol) => path.startsWith(`/${protocol}/`))
  if (!found) throw new Error(`no provider has ${path}`)
  return found
}

/** Whether a request to a provider asks for a stream. */
export const wantsStream = ({ path, body }: UpstreamRequest): boolean =>
  path.includes(':stream') || body.includes('"stream":true')

const placeOf = (protocol: BuiltInProtocol, name: string): string =>
  protocol === 'gemini' ? `translation/answers/gemini-${name}` : `${protocol}/${name}`

/** The payloads of a recording. */
export const readRecording = (protocol: BuiltInProtocol, name: string): string[] =>
  readFileSync(join(FIXTURES, `${placeOf(protocol, name)}.jsonl`), 'utf8')
    .trim()
    .split('\n')

/** One payload in its protocol's framing: Anthropic's names the event, too. */
export const frame = (protocol: BuiltInProtocol, payload: string): string =>
  protocol === 'anthropic'
    ? `event: ${JSON.parse(payload).type}\ndata: ${payload}\n\n`
    : `data: ${payload}\n\n`

/** Steps that send these payloads, a packet each. */
export const framedSteps = (protocol: BuiltInProtocol, payloads: readonly string[]): Step[] =>
  payloads.map((payload) => ({ send: frame(protocol, payload) }))

/** A stream of these payloads. */
export const streamOf = (protocol: BuiltInProtocol, payloads: readonly string[]): Answer => ({
  headers: { 'content-type': 'text/event-stream' },
  steps: framedSteps(protocol, payloads),
})

/** The payloads of the recording `stream-text` up to its first word, "Tides". */
export function firstWord(protocol: BuiltInProtocol): string[] {
  const payloads = readRecording(protocol, 'stream-text')
  return payloads.slice(0, payloads.findIndex((payload) => payload.includes('"Tides"')) + 1)
}

/** Answers with the requested provider's recording, whole or as a stream. */
export const replay =
  (name: string) =>
  (seen: UpstreamRequest): Answer => {
    const provider = targetProvider(seen)
    return wantsStream(seen)
      ? streamOf(provider, readRecording(provider, `stream-${name}`))
      : whole(readRecording(provider, `whole-${name}`)[0])
  }

/** An error body of each protocol. */
export const ERROR_BODY: Readonly<Record<BuiltInProtocol, (status: number, message: string) => JsonObject>> =
  {
    gemini: (code, message) => ({ error: { code, message, status: 'INVALID_ARGUMENT' } }),
    anthropic: (_, message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
    openai: (_, message) => ({
      error: { message, type: 'invalid_request_error', param: null, code: null },
    }),
  }
