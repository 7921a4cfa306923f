// Warnings of addresses without the version that the protocol's servers want, or with a part that the gateway adds itself.
import { expect, test } from 'bun:test'
import { MODEL, readGood } from './catalogues.ts'

function warningOf(protocol: string, base_url: string): string | undefined {
  const { warnings } = readGood(
    `[[providers]]\nname = "acme"\nprotocol = "${protocol}"\nbase_url = "${base_url}"\napi_keys = ["k"]\n${MODEL}`,
  )
  const [warning, ...more] = warnings
  expect(more).toEqual([])
  if (warning) expect([warning.line, warning.path]).toEqual([4, 'providers[0].base_url'])
  return warning?.message
}

const GOOGLE = 'https://generativelanguage.googleapis.com'
const added = (ending: string, shorter: string) =>
  `ends in "${ending}", which the gateway adds by itself: write "${shorter}"`

test.each([
  ['gemini', `${GOOGLE}/v1beta`, added('/v1beta', GOOGLE)],
  ['gemini', `${GOOGLE}/v1beta/`, added('/v1beta', GOOGLE)],
  ['gemini', `${GOOGLE}/v1`, added('/v1', GOOGLE)],
  ['gemini', `${GOOGLE}/v1alpha`, added('/v1alpha', GOOGLE)],
  ['gemini', `${GOOGLE}/v1beta/models`, added('/v1beta/models', GOOGLE)],
  ['gemini', 'https://proxy.example/google/v1beta', added('/v1beta', 'https://proxy.example/google')],
  [
    'gemini',
    `${GOOGLE}/v1beta/openai`,
    `is an address for protocol = "openai"; for "gemini" write "${GOOGLE}"`,
  ],
  ['anthropic', 'https://api.anthropic.com/v1', added('/v1', 'https://api.anthropic.com')],
  ['anthropic', 'https://api.anthropic.com/v1/messages', added('/v1/messages', 'https://api.anthropic.com')],
  [
    'openai',
    'https://api.openai.com',
    'has no version, which most servers of this protocol want: write "https://api.openai.com/v1"',
  ],
  [
    'openai',
    'https://openrouter.ai/api/',
    'has no version, which most servers of this protocol want: write "https://openrouter.ai/api/v1"',
  ],
  [
    'openai',
    'http://127.0.0.1:11434',
    'has no version, which most servers of this protocol want: write "http://127.0.0.1:11434/v1"',
  ],
  ['openai', 'https://api.openai.com/v1/v1', 'has its version twice: write "https://api.openai.com/v1"'],
  [
    'openai',
    'https://api.openai.com/v1/chat/completions',
    added('/chat/completions', 'https://api.openai.com/v1'),
  ],
  ['openai', 'https://api.openai.com/v1/models', added('/models', 'https://api.openai.com/v1')],
  ['openai', GOOGLE, `is an address for protocol = "gemini"; for "openai" write "${GOOGLE}/v1beta/openai"`],
  [
    'openai',
    `${GOOGLE}/v1beta`,
    `is an address for protocol = "gemini"; for "openai" write "${GOOGLE}/v1beta/openai"`,
  ],
])('%s at %s', (protocol, base_url, warning) => {
  expect(warningOf(protocol, base_url)).toBe(warning)
})

test.each([
  ['gemini', GOOGLE],
  ['gemini', 'https://proxy.example/v1beta/google'],
  ['anthropic', 'https://api.anthropic.com'],
  ['anthropic', 'https://api.deepseek.com/anthropic'],
  ['openai', 'https://api.openai.com/v1'],
  ['openai', 'https://openrouter.ai/api/v1'],
  ['openai', `${GOOGLE}/v1beta/openai`],
  ['openai', 'https://api.z.ai/api/paas/v4'],
  ['openai', 'https://api.deepseek.com'],
  ['openai', 'https://api.perplexity.ai'],
  ['openai', 'https://models.github.ai/inference'],
  ['openai', 'https://team.openai.azure.com/openai/deployments/gpt'],
  ['gemini', 'simulator'],
  ['anthropic', 'simulator'],
  ['openai', 'simulator'],
])('%s at %s brings no warning', (protocol, base_url) => {
  expect(warningOf(protocol, base_url)).toBeUndefined()
})
