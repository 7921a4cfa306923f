// Providers whose JSON is nested without end: every surface answers with a failure of the provider, before anything recurses into it.
import { afterAll, describe, expect, test } from 'bun:test'
import { isTooDeep, MAX_DEPTH } from '../../src/protocols/wire/json-text.ts'
import {
  OVER_CHAT,
  OVER_IMAGES,
  OVER_MESSAGES,
  OVER_RESPONSES,
  REQUESTS,
  surfaceModels,
} from '../disconnect/surfaces.ts'
import { MODEL } from '../support/catalogue.ts'
import { scene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { events, refusal, type Script, whole } from '../support/upstream.ts'

const s = await scene({ provider: 'cooldown_ms = 0', more: surfaceModels })
afterAll(() => s[Symbol.asyncDispose]())

const LEVELS = 100_000
const arrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe('the depth of a text', () => {
  test.each<[string, string, boolean]>([
    ['the greatest depth', arrays(MAX_DEPTH), false],
    ['one deeper', arrays(MAX_DEPTH + 1), true],
    ['objects', objects(MAX_DEPTH + 1), true],
    ['many beside one another', `[${'[],'.repeat(MAX_DEPTH * 3)}[]]`, false],
    ['brackets in a string', JSON.stringify(arrays(LEVELS)), false],
    ['brackets after an escaped quote', JSON.stringify(`"${arrays(LEVELS)}`), false],
    ['brackets after an escaped backslash', `["\\\\",${arrays(LEVELS)}]`, true],
    ['a string that does not end', `"${arrays(LEVELS)}`, false],
    ['deep, and cut off', '['.repeat(LEVELS), true],
  ])('%s', (_what, text, expected) => expect(isTooDeep(text)).toBe(expected))
})

const NATIVE = (inner: string) => `{"candidates":[{"content":{"parts":[{"text":"Hi","deep":${inner}}]}}]}`
const CHAT = (inner: string) =>
  `{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi","deep":${inner}},"finish_reason":"stop"}]}`
const CHUNK = (inner: string) => `{"choices":[{"index":0,"delta":{"content":"Hi","deep":${inner}}}]}`
const MESSAGE = (inner: string) =>
  `{"type":"message","content":[{"type":"text","text":"Hi","deep":${inner}}]}`
const BLOCK = (inner: string) =>
  `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi","deep":${inner}}}`
const RESPONSE = (inner: string) =>
  `{"id":"r","object":"response","status":"completed","output":[{"id":"m","type":"message","content":[{"type":"output_text","text":"Hi","deep":${inner}}]}]}`
const ITEM = (inner: string) =>
  `{"type":"response.output_item.done","output_index":0,"item":{"id":"m","type":"message","content":[],"deep":${inner}}}`
const CREATED = (inner: string) =>
  `{"type":"response.created","response":{"id":"r","output":[],"deep":${inner}}}`

type Wire = (inner: string) => string
/** The surface, its model, and the body that the model's provider sends: a whole answer, an event. */
const SURFACES: readonly [name: keyof typeof REQUESTS, model: string, answer: Wire, event: Wire][] = [
  ['native', MODEL, NATIVE, NATIVE],
  ['native', OVER_CHAT, CHAT, CHUNK],
  ['chat', OVER_CHAT, CHAT, CHUNK],
  ['chat', OVER_MESSAGES, MESSAGE, BLOCK],
  ['completions', OVER_CHAT, CHAT, CHUNK],
  ['messages', OVER_MESSAGES, MESSAGE, BLOCK],
  ['messages', MODEL, NATIVE, NATIVE],
  ['responses', OVER_RESPONSES, RESPONSE, ITEM],
  ['responses', OVER_RESPONSES, RESPONSE, CREATED],
  ['responses', OVER_CHAT, CHAT, CHUNK],
]
const DEEP: readonly [string, string][] = [
  ['arrays', arrays(LEVELS)],
  ['objects', objects(LEVELS)],
]

async function ask(name: keyof typeof REQUESTS, model: string, stream: boolean, script: Script) {
  s.upstream.answer(script)
  const {
    path,
    body,
    headers = {},
  } = (
    REQUESTS[name] as (model: string, stream: boolean) => { path: string; body: object; headers?: object }
  )(model, stream)
  const response = await s.call(path, body, { headers: { ...headers } })
  const text = await response.text()
  return { status: response.status, text, call: await s.lastCall() }
}

for (const [kind, deep] of DEEP) {
  describe.each(SURFACES)(`${kind}: %s of %s`, (name, model, answer, event) => {
    test('a whole answer', async () => {
      const { status, call } = await ask(name, model, false, whole(answer(deep)))
      expect([status, call.outcome, call.cost_nanos]).toEqual([502, 'failed', 0])
    })

    test('the first event of a stream', async () => {
      // The gateway passes on a longer one as it begins, before it is whole.
      const inner = kind === 'arrays' ? arrays(5_000) : objects(5_000)
      const { status, call } = await ask(name, model, true, events([event(inner)]))
      expect([status, call.outcome, call.cost_nanos]).toEqual([502, 'failed', 0])
    })

    test('a later event: the events before it are passed on and charged, and the stream ends with an error', async () => {
      const before = event('1')
      const { status, text, call } = await ask(name, model, true, events([before, event(deep)]))
      expect([status, call.outcome]).toEqual([200, 'broken'])
      expect(text).toContain('error')
      expect(text).not.toContain('[[[[')
      expect(text).not.toContain('{"a":{"a":')
    })

    test.each([400, 429, 500])('the body of an error with status %i', async (status_code) => {
      const { status, text } = await ask(name, model, false, refusal(status_code, `{"error":${deep}}`))
      expect(status).toBeGreaterThanOrEqual(400)
      expect(text.length).toBeLessThan(10_000)
    })
  })
}

describe.each(DEEP)('%s: surfaces that only answer whole', (_kind, deep) => {
  test.each<[keyof typeof REQUESTS, string, Wire]>([
    ['moderation', 'judge', (inner) => `{"id":"m","results":[{"flagged":false,"deep":${inner}}]}`],
    ['rerank', 'sorter', (inner) => `{"results":[{"index":0,"relevance_score":1,"deep":${inner}}]}`],
    ['generations', OVER_IMAGES, (inner) => `{"created":1,"data":[{"b64_json":"AAAA","deep":${inner}}]}`],
  ])('%s', async (name, model, answer) => {
    const { status, call } = await ask(name, model, false, whole(answer(deep)))
    expect([status, call.outcome, call.cost_nanos]).toEqual([502, 'failed', 0])
  })
})

test('the next route answers in place of one whose answer is nested too deep', async () => {
  await using two = await scene({
    provider: 'cooldown_ms = 0',
    more: (url) => `
${providerSection('second', 'openai', `${url}/second/v1`)}
${providerSection('first', 'openai', `${url}/first/v1`)}
${modelSection('two-routes', { first: 'm', second: 'm' })}
`,
    script: ({ path }) => whole(CHAT(path.startsWith('/first') ? arrays(LEVELS) : '1')),
  })
  const { path, body } = REQUESTS.chat('two-routes', false)
  const response = await two.call(path, body)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('"Hi"')
  expect(two.upstream.requests.map((seen) => seen.path.split('/')[1])).toEqual(['first', 'second'])
})

describe('arguments of a tool that are nested too deep, as text: the call is left out, and its tokens are charged', () => {
  test.each<[keyof typeof REQUESTS, object, output_tokens: number]>([
    ['messages', { content: [], stop_reason: 'end_turn' }, 1_000],
    [
      'native',
      { candidates: [{ content: { parts: [] }, finishReason: 'MALFORMED_FUNCTION_CALL' }] },
      150_001,
    ],
  ])('%s over chat', async (name, expected, output_tokens) => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: objects(LEVELS) } }
    const answer = { choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] }
    const sent = await ask(name, OVER_CHAT, false, whole(answer))
    expect(sent.status).toBe(200)
    expect(JSON.parse(sent.text)).toMatchObject(expected)
    expect(sent.call).toMatchObject({ outcome: 'completed', estimated: 1, output_tokens })
  })
})
