// The rules of the simulated providers: each has a source, a request that it refuses with the provider's text, and a neighbour that passes.
import { describe, expect, test } from 'bun:test'
import { createProvider } from './provider.ts'
import { RULES } from './rules.ts'
import { ANTHROPIC_EXAMPLES } from './strict/anthropic.ts'
import { CHAT_EXAMPLES } from './strict/chat.ts'
import type { Call } from './strict/example.ts'
import { GEMINI_EXAMPLES } from './strict/gemini.ts'
import { RESPONSES_EXAMPLES } from './strict/responses.ts'

const EXAMPLES = [...CHAT_EXAMPLES, ...RESPONSES_EXAMPLES, ...ANTHROPIC_EXAMPLES, ...GEMINI_EXAMPLES]

/** An answer's status, and its JSON without spaces between values, as text. */
async function answerTo({ path, body, headers = {} }: Call): Promise<[status: number, text: string]> {
  const request = new Request(`http://provider${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const response = await createProvider().fetch(request)
  const text = await response.text()
  return [response.status, text.startsWith('{') ? JSON.stringify(JSON.parse(text)) : text]
}

describe.each(RULES.map((rule) => [rule.name, rule] as const))('%s', (name, { source }) => {
  test('has a source', () => {
    expect(source).toMatch(/https:\/\/\S+\.\S+|^[@\w/-]+ \d+\.\d+/)
  })

  const examples = EXAMPLES.filter(({ rule }) => rule === name)
  test('has an example', () => expect(examples.length).toBeGreaterThan(0))

  test.each(examples)('is refused: $words', async ({ refused, status = 400, words }) => {
    const [response_status, text] = await answerTo(refused)
    expect(text).toContain(words)
    expect(response_status).toBe(status)
  })

  test.each(examples)('its neighbour passes: $words', async ({ passes }) => {
    const [status, text] = await answerTo(passes)
    expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  })
})

test('every example names a rule', () => {
  const names = new Set(RULES.map(({ name }) => name))
  expect(EXAMPLES.filter(({ rule }) => !names.has(rule))).toEqual([])
  expect(names.size).toBe(RULES.length)
})
