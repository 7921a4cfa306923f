// Requests answered with an error: metrics count each once, by its surface and class, whether or not money was held for it.
import { describe, expect, test } from 'bun:test'
import { readExposition, totalOf } from '../support/exposition.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { type Scene, scene } from '../support/scene.ts'
import { refusal } from '../support/upstream.ts'

const TOKEN = 'the-token-of-the-metrics'
const more = `[metrics]\ntoken = "${TOKEN}"\n`
const CHAT = { model: 'test-model', messages: [{ role: 'user', content: 'Hello' }] }

const metricsOf = async ({ gateway }: Scene) =>
  readExposition(await (await gateway.call('/metrics', undefined, { key: TOKEN })).text())
const NAME = 'tollgate_error_answers_total'

interface Case {
  what: string
  surface: string
  class: string
  status: number
  make: (scene: Scene) => Promise<Response>
}

const CASES: readonly Case[] = [
  {
    what: 'no key',
    surface: 'native',
    class: 'unauthenticated',
    status: 401,
    make: ({ gateway }) => gateway.call(wholePath(), ask()),
  },
  {
    what: 'an unknown model',
    surface: 'chat',
    class: 'not_found',
    status: 404,
    make: ({ call }) => call('/v1/chat/completions', { ...CHAT, model: 'of-nobody' }),
  },
  {
    what: 'an invalid field',
    surface: 'chat',
    class: 'invalid_request',
    status: 400,
    make: ({ call }) => call('/v1/chat/completions', { ...CHAT, messages: 'Hello' }),
  },
  {
    what: 'no money',
    surface: 'chat',
    class: 'insufficient_balance',
    status: 402,
    make: async ({ gateway }) =>
      gateway.call('/v1/chat/completions', CHAT, { key: await gateway.caller('0') }),
  },
  {
    what: 'an unknown path',
    surface: 'none',
    class: 'not_found',
    status: 404,
    make: ({ gateway }) => gateway.call('/nowhere'),
  },
  {
    what: 'a call whose provider fails',
    surface: 'native',
    class: 'upstream_failed',
    status: 502,
    make: ({ upstream, call }) => {
      upstream.answer(refusal(500))
      return call(wholePath(), ask())
    },
  },
]

describe('an error answer is counted once', () => {
  test.each(CASES)('$what', async ({ surface, class: kind, status, make }) => {
    await using watched = await scene({ more })
    const answer = await make(watched)
    await answer.text()
    expect(answer.status).toBe(status)
    const families = await metricsOf(watched)
    expect([totalOf(families, NAME), totalOf(families, NAME, { surface, class: kind })]).toEqual([1, 1])
  })
})

test('an answered call counts as no error', async () => {
  await using watched = await scene({ more, script: answering })
  expect((await watched.call(wholePath(), ask())).status).toBe(200)
  expect(totalOf(await metricsOf(watched), NAME)).toBe(0)
})

test('texts of callers become no label', async () => {
  await using watched = await scene({ more })
  const chosen = 'of-the-caller'
  await watched.gateway.call(`/${chosen}`)
  await watched.call('/v1/chat/completions', { ...CHAT, model: chosen })
  await watched.call(`/v1beta/models/${chosen}:generateContent`, ask())
  const text = await (await watched.gateway.call('/metrics', undefined, { key: TOKEN })).text()
  expect(totalOf(readExposition(text), NAME)).toBe(3)
  expect(text).not.toContain(chosen)
})
