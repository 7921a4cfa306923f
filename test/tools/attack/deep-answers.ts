// Providers with endlessly nested answers: whole, in an event, in an error, and as the arguments of a tool.
import {
  OVER_CHAT,
  OVER_MESSAGES,
  OVER_RESPONSES,
  REQUESTS,
  surfaceModels,
} from '../../disconnect/surfaces.ts'
import { catalogueOf, MODEL } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { type Answer, refusal, startUpstream, stream, whole } from '../../support/upstream.ts'
import type { Attack, Result } from './attack.ts'
import { watchHealth } from './health.ts'

const LEVELS = 150_000
const MAX_HEALTH_MS = 100
const ROUNDS = 3
/** Deeper than any honest answer; brackets within a string do not count. */
const MAX_DEPTH = 128

const DEEP = ['['.repeat(LEVELS) + ']'.repeat(LEVELS), `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`]

const CALLS = [false, true].flatMap((streams) => [
  REQUESTS.native(MODEL, streams),
  REQUESTS.chat(OVER_CHAT, streams),
  REQUESTS.messages(OVER_MESSAGES, streams),
  REQUESTS.responses(OVER_RESPONSES, streams),
  REQUESTS.responses(OVER_CHAT, streams),
  REQUESTS.messages(OVER_CHAT, streams),
])

/** A body that is deep where it hurts most: in fields that some protocol reads. */
const bodyOf = (deep: string): string =>
  `{"type":"response.completed","candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${deep}}}]}}],"choices":[{"index":0,"message":{"tool_calls":[{"function":{"name":"f","arguments":${JSON.stringify(deep)}}}]},"delta":{"content":${deep}}}],"content":[{"type":"tool_use","input":${deep}}],"output":[{"type":"message","content":${deep}}],"response":{"output":${deep}}}`

function answersOf(deep: string): Answer[] {
  const body = bodyOf(deep)
  return [
    whole(body),
    stream({ send: `data: ${body}\n\n` }),
    refusal(400, `{"error":${deep}}`),
    whole({
      choices: [{ message: { tool_calls: [{ id: 'c', function: { name: 'f', arguments: deep } }] } }],
    }),
  ]
}

/** The deepest nesting in a text of JSON, or of events, outside of its strings. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let is_string = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (is_string && character === '\\') at++
    else if (character === '"') is_string = !is_string
    else if (is_string) continue
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth)
    else if (character === ']' || character === '}') depth--
  }
  return deepest
}

export const deepAnswers: Attack = {
  name: 'deep-answers',
  description: 'a provider answers JSON that is nested 150,000 levels deep',
  async run({ rounds }): Promise<Result> {
    await using upstream = await startUpstream()
    await using gateway = await startGatewayProcess(
      catalogueOf({
        upstream_url: upstream.url,
        provider: 'cooldown_ms = 0',
        more: surfaceModels(upstream.url),
      }),
      { accounts: 1, balance_usd: '10000' },
    )
    const headers = {
      authorization: `Bearer ${gateway.key}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    }
    const health = watchHealth(gateway.url)
    let tried = 0
    let passed = 0
    for (const answer of Array(ROUNDS * rounds)
      .fill(DEEP.flatMap(answersOf))
      .flat() as Answer[])
      for (const { path, body } of CALLS) {
        upstream.answer(answer)
        const url = new URL(path, gateway.url)
        const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
        const text = await response.text()
        tried++
        if (depthOf(text) > MAX_DEPTH) passed++
      }
    const health_ms = Math.round(await health.stop())
    return {
      tried: `${tried} answers`,
      held: passed === 0 && health_ms <= MAX_HEALTH_MS,
      figures: `${passed} passed on; healthz at most ${health_ms} ms`,
    }
  },
}
