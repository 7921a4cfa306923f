// The known servers of OpenAI's protocol, recognized by their URLs.
import { expect, test } from 'bun:test'
import { serverOf } from '../../../src/protocols/openai/servers/servers.ts'

test.each([
  ['https://api.openai.com/v1', 'openai'],
  ['https://eu.api.openai.com/v1', 'openai'],
  ['https://acme.openai.azure.com/openai/v1', 'azure'],
  ['https://acme.services.ai.azure.com/openai/v1', 'azure'],
  ['https://openrouter.ai/api/v1', 'openrouter'],
  ['https://api.groq.com/openai/v1', 'groq'],
  ['https://api.deepseek.com', 'deepseek'],
  ['https://api.mistral.ai/v1', 'mistral'],
  ['https://us-east-1.api.x.ai/v1', 'xai'],
  ['https://api.moonshot.ai/v1', 'moonshot'],
  ['https://api.moonshot.cn/v1', 'moonshot'],
  ['https://api.together.xyz/v1', 'together'],
  ['http://127.0.0.1:11434/v1', 'ollama'],
  ['https://ollama.com/v1', 'ollama'],
  ['http://127.0.0.1:8000/v1', undefined],
  ['https://api.openai.com.example/v1', undefined],
  ['https://myapi.openai.com.example/v1', undefined],
  ['https://proxy.example/api.groq.com/v1', undefined],
  ['https://azure.com/v1', undefined],
  ['simulator', undefined],
])('%s is %s', (base_url, server) => {
  expect(serverOf({ protocol: 'openai', base_url })).toBe(server)
})

test('the catalogue overrules the host', () => {
  const OPENAI = { protocol: 'openai', base_url: 'https://api.openai.com/v1' }
  expect(serverOf({ ...OPENAI, server: 'vllm' })).toBe('vllm')
  expect(serverOf({ ...OPENAI, server: 'unknown' })).toBe('openai')
})
