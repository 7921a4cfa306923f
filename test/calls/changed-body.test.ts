// A body with replaced fields: every method uses them, on the event loop and on the thread alike.
import { describe, expect, test } from 'bun:test'
import { ParsedBody, type TextBody } from '../../src/calls/kinds/text/body.ts'
import { threadBody } from '../../src/calls/kinds/text/thread-body.ts'
import type { Writing } from '../../src/calls/kinds/text/writing.ts'
import { createParser } from '../../src/calls/parsing/parser.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { parseJsonBody } from '../../src/protocols/wire/json-body.ts'
import { memoryLog } from '../support/memory-log.ts'

const SENT = { model: 'm', messages: [{ role: 'user', content: 'before' }], max_tokens: 5, user: 'me' }
const CHANGES = { model: 'other', messages: [{ role: 'user', content: 'after '.repeat(99) }], max_tokens: 7 }
const CHANGED = { ...SENT, ...CHANGES }

const writing = (to: string): Writing => ({
  from: 'openai',
  to,
  streams: false,
  model: 'upstream',
  max_output_tokens: 100,
  automatic_caching: true,
  output_limit: undefined,
})

const textOf = (written: Uint8Array | string) => Buffer.from(written).toString()

/** Every method of a body whose result depends on the body's fields. */
const METHODS: readonly (readonly [name: string, call: (body: TextBody) => unknown])[] = [
  ['fields', ({ fields }) => fields.model],
  ['facts', (body) => body.facts('openai')],
  ['facts, with overrides', (body) => body.facts('openai', { max_tokens: 9 })],
  ['session', (body) => body.session()],
  ['leastTokens', (body) => body.leastTokens('openai')],
  ['conversation', (body) => body.conversation('openai', false)],
  ['conversation, streamed', (body) => body.conversation('openai', true)],
  ['write, passed through', async (body) => JSON.parse(textOf((await body.write(writing('openai'))).body))],
  ['write, translated', async (body) => JSON.parse(textOf((await body.write(writing('anthropic'))).body))],
  ['replace', async (body) => JSON.parse(textOf(await body.replace({ user: 'you' })))],
  ['read', async (body) => (await body.read(['messages'])).messages],
]

const bytesOf = (json: object) => new TextEncoder().encode(JSON.stringify(json))
const parser = createParser({ log: memoryLog().log, idle_ms: 1 })
const parsed = (json: object, release?: () => void) =>
  new ParsedBody(BUILT_IN_REGISTRY, parseJsonBody(bytesOf(json), openai.text.names), {
    ...(release ? { release } : {}),
  })
const onThread = async (json: object, release?: () => void): Promise<TextBody> => {
  const body = await threadBody(parser, bytesOf(json), 'openai')
  return release ? body.as({ release }) : body
}

const KINDS = [
  [
    'on the event loop',
    async (json: object, release?: () => void): Promise<TextBody> => parsed(json, release),
  ],
  ['on the thread', onThread],
] as const

describe.each(KINDS)('%s', (_, open) => {
  test.each(METHODS)('%s', async (_name, call) => {
    const before = await call(await open(SENT))
    const changed = await call(await (await open(SENT)).with(CHANGES))
    expect(changed).not.toEqual(before)
    expect(changed).toEqual(await call(await open(CHANGED)))
  })

  test('keeps the content that the caller sent, which identifies the request', async () => {
    const { content } = await (await open(SENT)).with(CHANGES)
    expect(content).toEqual((await open(SENT)).content)
  })

  test('can be changed twice', async () => {
    const body = await (await (await open(SENT)).with({ max_tokens: 6 })).with(CHANGES)
    expect(await body.conversation('openai', false)).toEqual(
      await (await open(CHANGED)).conversation('openai', false),
    )
  })

  test('releases the original body', async () => {
    let released = 0
    const release = () => {
      released += 1
    }
    const body = await (await open(SENT, release)).with(CHANGES)
    expect(released).toBe(0)
    body.release()
    expect(released).toBe(1)
  })
})
