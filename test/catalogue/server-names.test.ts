// Other names of known servers: the mistake proposes the right one.
import { describe, expect, test } from 'bun:test'
import { serverCalled } from '../../src/domain/servers/lookup.ts'
import { KNOWN_SERVERS } from '../../src/domain/servers/table.ts'
import { mistakesOf } from './catalogues.ts'

const mistakeOf = (server: string) =>
  mistakesOf(`[[providers]]
name = "p"
server = "${server}"
api_keys = ["k"]
[[models]]
id = "m"
kind = "text"
routes = [{ provider = "p", model = "x" }]
price = { input = 1, output = 1 }
`).find((mistake) => mistake.includes('providers[0].server'))

describe('server = "…" is corrected', () => {
  test.each([
    ['aws', 'bedrock'],
    ['amazon', 'bedrock'],
    ['Amazon Bedrock', 'bedrock'],
    ['gemini', 'google'],
    ['Google Gemini', 'google'],
    ['google-ai-studio', 'google'],
    ['claude', 'anthropic'],
    ['Anthropic', 'anthropic'],
    ['gpt', 'openai'],
    ['ChatGPT', 'openai'],
    ['OpenAI', 'openai'],
    ['azure_openai', 'azure'],
    ['azure_ai', 'foundry'],
    ['Microsoft Foundry', 'foundry'],
    ['grok', 'xai'],
    ['x.ai', 'xai'],
    ['kimi', 'moonshot'],
    ['mistralai', 'mistral'],
    ['together_ai', 'together'],
    ['fireworks_ai', 'fireworks'],
    ['vertex_ai', 'vertex'],
    ['gcp', 'vertex'],
    ['openruter', 'openrouter'],
    ['gorq', 'groq'],
  ])('%s: %s', (written, name) => {
    expect(mistakeOf(written)).toEndWith(`unknown server; did you mean "${name}"?`)
  })

  test.each(['nobody', 'watsonx', 'constructor', '...'])('%s: the mistake lists all servers', (written) => {
    expect(mistakeOf(written)).toContain('unknown server; allowed: openai, anthropic, google, ')
  })
})

test.each([...KNOWN_SERVERS.keys()])('%s has each of its names alone', (name) => {
  expect(serverCalled(name)).toBe(name)
  const row = KNOWN_SERVERS.get(name)
  for (const other of [row?.title ?? '', ...(row?.price_names ?? []), ...(row?.also_called ?? [])])
    expect(serverCalled(other)).toBe(name)
})
