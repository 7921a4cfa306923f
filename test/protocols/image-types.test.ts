// The image types that a provider accepts: by its server, which the catalogue or the address names, else by its protocol.
import { expect, test } from 'bun:test'
import { imageTypesOf } from '../../src/protocols/image-types.ts'

const FOUR = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
const GEMINIS = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif']
const XAIS = ['image/jpeg', 'image/png']

const STILL = { is_documented: true, takes_animations: false }
const ANIMATED = { is_documented: true, takes_animations: true }
const UNKNOWN = { is_documented: false, takes_animations: true }

test.each([
  ['Claude', 'anthropic', 'https://api.anthropic.com', undefined, FOUR, ANIMATED],
  ['Claude, simulated', 'anthropic', 'simulator', undefined, FOUR, ANIMATED],
  ['Claude on Vertex', 'anthropic', 'https://aiplatform.googleapis.com', 'vertex', FOUR, ANIMATED],
  ['DeepSeek as Claude', 'anthropic', 'https://api.deepseek.com/anthropic', 'deepseek', FOUR, UNKNOWN],
  ["Claude's protocol on an unknown server", 'anthropic', 'http://127.0.0.1:4000', undefined, FOUR, UNKNOWN],
  ['OpenAI', 'openai', 'https://api.openai.com/v1', 'openai', FOUR, STILL],
  ['OpenAI by its address', 'openai', 'https://eu.api.openai.com/v1', undefined, FOUR, STILL],
  ['OpenAI, simulated', 'openai', 'simulator', 'openai', FOUR, STILL],
  ['OpenAI, simulated without a server', 'openai', 'simulator', undefined, FOUR, STILL],
  ['Azure', 'openai', 'https://acme.openai.azure.com/openai/v1', undefined, FOUR, ANIMATED],
  ['OpenRouter', 'openai', 'https://openrouter.ai/api/v1', undefined, FOUR, STILL],
  ['Mistral', 'openai', 'https://api.mistral.ai/v1', undefined, FOUR, STILL],
  ['Groq', 'openai', 'https://api.groq.com/openai/v1', undefined, FOUR, UNKNOWN],
  ['Ollama', 'openai', 'http://127.0.0.1:11434/v1', undefined, FOUR, UNKNOWN],
  ['vLLM', 'openai', 'http://127.0.0.1:8000/v1', 'vllm', FOUR, UNKNOWN],
  ['vLLM, simulated', 'openai', 'simulator/vllm', 'vllm', FOUR, UNKNOWN],
  ['an unknown server', 'openai', 'http://127.0.0.1:8000/v1', undefined, FOUR, UNKNOWN],
  ['Gemini', 'gemini', 'https://generativelanguage.googleapis.com', undefined, GEMINIS, STILL],
  ['xAI by its name', 'openai', 'https://api.x.ai/v1', 'xai', XAIS, STILL],
  ['xAI by its address', 'openai', 'https://api.x.ai/v1', undefined, XAIS, STILL],
  ['xAI, simulated', 'openai', 'simulator/xai', 'xai', XAIS, STILL],
  [
    "Google's chat completions",
    'openai',
    'https://generativelanguage.googleapis.com/v1beta/openai',
    undefined,
    GEMINIS,
    STILL,
  ],
  [
    "a host that only looks like Google's",
    'openai',
    'https://googleapis.com.example/v1',
    undefined,
    FOUR,
    UNKNOWN,
  ],
] as const)('%s', (_, protocol, base_url, server, types, more) => {
  expect(imageTypesOf({ protocol, base_url, server })).toEqual({ types, ...more })
})

test('the protocol of a plugin has no list', () => {
  expect(
    imageTypesOf({ protocol: 'other', base_url: 'https://example.com', server: undefined }),
  ).toBeUndefined()
})
