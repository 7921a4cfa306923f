// Code samples of the pages: each runs unchanged, and a real gateway answers it.
import { describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { curlOf } from '../../plugins/calls/web/call/curl.ts'
import { type Conversation, SDKS, type Sdk } from '../../plugins/console/web/parts/code-samples/requests.ts'
import { type SampleCall, samplesOf } from '../../plugins/console/web/parts/code-samples/samples.ts'
import { documentedCatalogue } from '../docs/catalogue.ts'
import { fileGateway } from '../support/gateway.ts'
import { folderOfFile } from '../support/test-folder.ts'

/** Interpreters and libraries start slowly on a busy machine. */
const TIMEOUT_MS = 120_000
const PIXELS =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mNwa9pCEmIY1TCqYfhqAACXG3wQdqkQfwAAAABJRU5ErkJggg=='

const has_curl = Bun.which('curl') !== null
const python = Bun.which('python3')
const has_libraries =
  python !== null && Bun.spawnSync([python, '-c', 'import openai, anthropic, google.genai']).exitCode === 0

const folder = folderOfFile()
symlinkSync(join(import.meta.dir, '../../node_modules'), folder.at('node_modules'))
const gateway = await fileGateway({ catalogue: documentedCatalogue() })
const base_url = gateway.url.origin
const key = await gateway.caller('100')

const MODELS: Record<Sdk, string> = { OpenAI: 'sim-gpt', Anthropic: 'sim-claude', Google: 'sim-flash' }

/** Everything that the playground can put into a conversation: instructions, turns, a picture, parameters, characters that end a shell's word. */
const WHOLE: Omit<Conversation, 'model'> = {
  messages: [
    { role: 'system', content: 'Don\'t say "$HOME".' },
    { role: 'user', content: 'What is `this`?', pictures: [{ label: 'blue.png' }] },
    { role: 'assistant', content: 'A blue\nsquare.' },
    { role: 'user', content: 'Is it…\n\tblue {and} ["round"]: yes, or \\no?' },
  ],
  fields: { temperature: 0.5, top_p: 0.9, max_completion_tokens: 2_000, stop: ['never said'] },
}

interface Case {
  sdk: Sdk
  title: string
  call: () => SampleCall
}

const CASES = SDKS.flatMap((sdk): Case[] => [
  { sdk, title: 'a first call', call: () => ({ base_url, key, model: MODELS[sdk] }) },
  { sdk, title: 'a whole conversation', call: () => ({ base_url, model: MODELS[sdk], ...WHOLE }) },
])

const sampleOf = ({ sdk, call }: Case, language: string): string =>
  (samplesOf(sdk, call()).find((sample) => sample.language === language)?.code ?? '').replaceAll(
    'BASE64 OF blue.png',
    PIXELS,
  )

interface Outcome {
  exit_code: number
  output: string
}

async function run(command: string[]): Promise<Outcome> {
  const env = { ...Bun.env, TOLLGATE_KEY: key }
  const child = Bun.spawn(command, { cwd: folder.path, env, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, exit_code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  return { exit_code, output: exit_code === 0 ? output : output + errors }
}

/** Runs a command, and expects a paid answer. */
async function expectAnswer(command: string[], answer: RegExp): Promise<void> {
  const before = gateway.rows().calls.length
  const { exit_code, output } = await run(command)
  expect([exit_code, output]).toEqual([0, expect.stringMatching(answer)])

  await gateway.rest()
  const calls = gateway.rows().calls.slice(before)
  expect(calls.map(({ outcome }) => outcome)).toEqual(['completed'])
}

describe.each(CASES)('$title by the API of $sdk', (one) => {
  test.skipIf(!has_curl)('with curl', () => expectAnswer(inShell(sampleOf(one, 'curl')), /^\{/), TIMEOUT_MS)

  test(
    'with its library for JavaScript',
    async () => {
      await Bun.write(folder.at('sample.mjs'), sampleOf(one, 'JavaScript'))
      await expectAnswer([process.execPath, folder.at('sample.mjs')], /\w{2}/)
    },
    TIMEOUT_MS,
  )

  test.skipIf(!has_libraries)(
    'in Python (skipped if its libraries are not installed)',
    async () => {
      await Bun.write(folder.at('sample.py'), sampleOf(one, 'Python'))
      await expectAnswer(['python3', folder.at('sample.py')], /\w{2}/)
    },
    TIMEOUT_MS,
  )
})

test.skipIf(python === null || has_libraries)(
  'every sample in Python compiles (skipped without Python, or if the samples run)',
  async () => {
    const names = CASES.map((_, at) => `sample-${at}.py`)
    for (const [at, one] of CASES.entries())
      await Bun.write(folder.at(`sample-${at}.py`), sampleOf(one, 'Python'))
    expect(await run(['python3', '-m', 'py_compile', ...names])).toEqual({ exit_code: 0, output: '' })
  },
  TIMEOUT_MS,
)

describe('a repeated call, by curl', () => {
  test.skipIf(!has_curl).each([
    ['chat', 'sim-gpt', false],
    ['chat', 'sim-gpt', true],
    ['messages', 'sim-claude', false],
    ['messages', 'sim-claude', true],
    ['native', 'sim-flash', false],
    ['native', 'sim-flash', true],
    ['completions', 'sim-gpt', false],
    ['responses', 'sim-gpt', false],
    ['responses', 'sim-gpt', true],
    ['embeddings', 'sim-embedding', false],
    ['moderations', 'sim-moderation', false],
    ['rerank', 'sim-rerank', false],
    ['images', 'sim-image', false],
  ])(
    'of %s, of %s, streamed: %p',
    async (surface, model, streamed) => {
      const command = curlOf({ surface, model, streamed }, base_url)
      expect(command).toBeDefined()
      await expectAnswer(inShell(command ?? ''), streamed ? /^(event|data):/m : /^\{/)
    },
    TIMEOUT_MS,
  )
})

const inShell = (code: string): string[] => [
  'bash',
  '-c',
  code.replace(/^curl /, 'curl --silent --show-error --fail-with-body '),
]
