// Session affinity, through the surfaces: all turns of a conversation go to one key of its provider, and sessions to all keys.
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { MODEL, PROVIDER, PROVIDER_KEYS } from '../support/catalogue.ts'
import { answer, answering, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { refusal, whole } from '../support/upstream.ts'

let clock_ms = Date.now()
const { gateway, upstream, call } = await fileScene({ now: () => clock_ms })

beforeAll(async () => {
  await gateway.recatalogue(`
[server]
log_level = "debug"
${providerSection(PROVIDER, 'gemini', upstream.url, 'cooldown_ms = 60000', PROVIDER_KEYS)}
${modelSection(MODEL, { [PROVIDER]: 'one' })}
`)
})
beforeEach(() => {
  upstream.answer(answering)
  upstream.requests.length = 0
  clock_ms += 3_600_000
})

const TURNS = 4
const SESSIONS = Array.from({ length: 12 }, (_, n) => `session-${n}`)

/** The messages of a turn: everything before it, and one new message. */
const conversation = (first: string, turn: number, roles: readonly string[]) =>
  Array.from({ length: 2 * turn + 1 }, (_, n) => ({
    role: roles[n % 2],
    content: n === 0 ? first : `Words of turn ${n}.`,
  }))

type Turn = (session: string, turn: number) => [path: string, body: object, headers?: Record<string, string>]

/** The key of each turn of a session. */
async function keysOf(turnOf: Turn, session: string): Promise<unknown[]> {
  const keys: unknown[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    const [path, body, headers = {}] = turnOf(session, turn)
    expect((await call(path, body, { headers })).status).toBe(200)
    keys.push(upstream.last().headers['x-goog-api-key'])
  }
  return keys
}

const chat = (session: string, turn: number) => ({
  model: MODEL,
  messages: conversation(session, turn, ['user', 'assistant']),
})
const TURNS_OF: [string, Turn][] = [
  [
    'a native conversation, by its beginning',
    (session, turn) => {
      const contents = conversation(session, turn, ['user', 'model']).map(({ role, content }) => ({
        role,
        parts: [{ text: content }],
      }))
      return [wholePath(), { contents }]
    },
  ],
  ['a chat, by its beginning', (session, turn) => ['/v1/chat/completions', chat(session, turn)]],
  [
    'messages, by their beginning, behind a billing line that changes',
    (session, turn) => {
      const line = { type: 'text', text: `x-anthropic-billing-header: cc_version=2; cch=${turn}${session};` }
      const body = { ...chat(session, turn), max_tokens: 64, system: [line] }
      return ['/v1/messages', body, { 'anthropic-version': '2023-06-01' }]
    },
  ],
  [
    'responses, by their beginning',
    (session, turn) => {
      const { messages, model } = chat(session, turn)
      return ['/v1/responses', { model, input: messages, store: false }]
    },
  ],
  [
    "a chat, by its client's header",
    (session, turn) => ['/v1/chat/completions', chat(`${turn}`, 0), { 'session-id': session }],
  ],
  [
    'responses, by their cache key',
    (session, turn) => [
      '/v1/responses',
      { model: MODEL, input: `Turn ${turn}.`, prompt_cache_key: session, store: false },
    ],
  ],
]

describe('all turns go to one key', () => {
  test.each(TURNS_OF)('of %s', async (_, turnOf) => {
    const used = new Set<unknown>()
    for (const session of SESSIONS) {
      const [first, ...others] = await keysOf(turnOf, session)
      expect(others).toEqual(others.map(() => first))
      used.add(first)
    }
    expect(used).toEqual(new Set(PROVIDER_KEYS))
  })
})

test('a session passes over a key in cooldown, and comes back to it afterwards', async () => {
  const turn = async () => {
    expect((await call(wholePath(), ask('Mend it.'))).status).toBe(200)
    return upstream.last().headers['x-goog-api-key']
  }
  const home = await turn()
  upstream.answer(({ headers }) => (headers['x-goog-api-key'] === home ? refusal(429) : whole(answer())))
  const other = await turn()
  expect(PROVIDER_KEYS.filter((key) => key !== home)).toEqual([other as (typeof PROVIDER_KEYS)[number]])
  upstream.answer(answering)
  expect(await turn()).toBe(other)
  clock_ms += 60_000
  expect(await turn()).toBe(home)
  await gateway.atRest()
})
