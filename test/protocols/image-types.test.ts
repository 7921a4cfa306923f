// The types of images that a provider takes: by its protocol, by a server that takes others, by whichever way the catalogue names it.
import { expect, test } from 'bun:test'
import { imageTypesOf } from '../../src/protocols/image-types.ts'

const FOUR = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
const GEMINIS = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif']
const XAIS = ['image/jpeg', 'image/png']

test.each([
  ['Claude', 'anthropic', 'https://api.anthropic.com', undefined, FOUR],
  ['OpenAI', 'openai', 'https://api.openai.com/v1', 'openai', FOUR],
  ['a server of its own', 'openai', 'http://127.0.0.1:8000/v1', undefined, FOUR],
  ['Gemini', 'gemini', 'https://generativelanguage.googleapis.com', undefined, GEMINIS],
  ['xAI by its name', 'openai', 'https://api.x.ai/v1', 'xai', XAIS],
  ['xAI by its address', 'openai', 'https://api.x.ai/v1', undefined, XAIS],
  ['xAI, simulated', 'openai', 'simulator/xai', 'xai', XAIS],
  [
    "Google's chat completions",
    'openai',
    'https://generativelanguage.googleapis.com/v1beta/openai',
    undefined,
    GEMINIS,
  ],
  ["a host that only looks like Google's", 'openai', 'https://googleapis.com.example/v1', undefined, FOUR],
  ['a protocol of a plugin', 'other', 'https://example.com', undefined, undefined],
] as const)('%s', (_, protocol, base_url, server, expected) => {
  expect(imageTypesOf({ protocol, base_url, server })).toEqual(expected as string[] | undefined)
})
