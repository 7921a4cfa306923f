// Charges at imported prices: a list of hundreds with a markup, and each kind of price once, to the nano-dollar.

import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plugins } from '../../plugins/index.ts'
import { run } from '../../src/app/commands/program.ts'
import { checksOf, commandsOf, tablesOf } from '../../src/app/plugins.ts'
import { simulatorOf } from '../../src/app/process/simulator.ts'
import { priceListOf } from '../fixtures/price-list.ts'
import { draws, GENERATIONS, PNG } from '../images/support.ts'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import { answer, ask, usage, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { type Answer, whole } from '../support/upstream.ts'

const provider = (name: string, base_url: string) => `
[[providers]]
name = "${name}"
protocol = "${name}"
base_url = "${base_url}"
api_keys = ["${PROVIDER_KEYS[0]}"]
`
/** A model as an operator writes it before the prices are known. */
const model = (id: string, kind: string, to: string, price: string) => `
[[models]]
id = "${id}"
kind = "${kind}"
routes = [{ provider = "${to}", model = "${id}-upstream" }]
price = ${price}
`
const catalogue = (url: string) =>
  [
    '[server]',
    provider('gemini', url),
    provider('anthropic', url),
    provider('openai', `${url}/v1`),
    model('text', 'text', 'gemini', '{ input = 99, output = 99 }'),
    model('claude', 'text', 'anthropic', '{ input = 99, output = 99 }'),
    model('vectors', 'embedding', 'openai', '{ input = 99 }'),
    model('painter', 'image', 'gemini', '{ per_image = 99 }'),
    model('voice', 'speech', 'openai', '{ per_million_characters = 99 }'),
    model('ear', 'transcription', 'openai', '{ per_minute = 99 }'),
    model('ear-by-token', 'transcription', 'openai', '{ input = 99, output = 99 }'),
    model('judge', 'moderation', 'openai', '{ input = 99 }'),
    model('sorter', 'rerank', 'openai', '{ per_thousand_searches = 99 }'),
  ].join('\n')

/** USD that providers charge for one token, second, character, image or query. */
const LIST = priceListOf(400, 11, {
  'gemini/text-upstream': {
    litellm_provider: 'gemini',
    mode: 'chat',
    input_cost_per_token: 1e-6,
    output_cost_per_token: '4e-06',
    cache_read_input_token_cost: 1e-7,
    input_cost_per_audio_token: 3e-6,
    output_cost_per_reasoning_token: 6e-6,
    output_cost_per_image_token: 3e-5,
    input_cost_per_token_above_200k_tokens: 2e-6,
    output_cost_per_token_above_200k_tokens: 8e-6,
    cache_read_input_token_cost_above_200k_tokens: 3e-7,
  },
  'claude-upstream': {
    litellm_provider: 'anthropic',
    mode: 'chat',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 4e-6,
    cache_read_input_token_cost: 2e-7,
    cache_creation_input_token_cost: 1.5e-6,
    cache_creation_input_token_cost_above_1hr: 2.5e-6,
  },
  'vectors-upstream': {
    litellm_provider: 'openai',
    mode: 'embedding',
    input_cost_per_token: 2e-8,
    output_cost_per_token: 0,
  },
  'gemini/painter-upstream': {
    litellm_provider: 'gemini',
    mode: 'image_generation',
    output_cost_per_image: 0.04,
  },
  '1024-x-1024/painter-upstream': {
    litellm_provider: 'gemini',
    mode: 'image_generation',
    input_cost_per_pixel: 1e-7,
    output_cost_per_pixel: 0,
  },
  'voice-upstream': { litellm_provider: 'openai', mode: 'audio_speech', input_cost_per_character: 1.2e-5 },
  'ear-upstream': {
    litellm_provider: 'openai',
    mode: 'audio_transcription',
    input_cost_per_second: 8e-5,
    output_cost_per_second: 0,
  },
  'ear-by-token-upstream': {
    litellm_provider: 'openai',
    mode: 'audio_transcription',
    input_cost_per_token: 2e-6,
    input_cost_per_audio_token: 4.8e-6,
    output_cost_per_token: 8e-6,
    output_cost_per_second: 8e-5,
  },
  'judge-upstream': { litellm_provider: 'openai', mode: 'moderation', input_cost_per_token: 8e-8 },
  'sorter-upstream': {
    litellm_provider: 'openai',
    mode: 'rerank',
    input_cost_per_query: 0.0016,
    input_cost_per_token: 0,
    output_cost_per_token: 0,
  },
})

const { gateway, upstream, call, lastCall } = await fileScene({ catalogue })

beforeAll(async () => {
  const list = join(gateway.data_folder, 'list.json')
  writeFileSync(list, LIST)
  const output: string[] = []
  const terminal = { out: (text: string) => output.push(text), err: (text: string) => output.push(text) }
  const status = await run(
    ['prices', 'import', list, '--markup', '25%', '--yes', '--accept-jumps', '--data', gateway.data_folder],
    {
      terminal,
      env: {},
      now: Date.now,
      randomBytes: (count) => new Uint8Array(count),
      network: fetch,
      simulator: simulatorOf(plugins),
      commands: commandsOf(plugins),
      tables: () => tablesOf(plugins),
      checks: checksOf(plugins),
      startGateway: () => Promise.reject(new Error('not in this test')),
    },
  )
  expect({ status, output: status === 0 ? [] : output }).toEqual({ status: 0, output: [] })
  await gateway.started.reload()
})

/** The cost of a call after its whole answer. */
async function costOf(
  path: string,
  body: object | Uint8Array,
  scripted: Answer,
  headers = {},
): Promise<number> {
  upstream.answer(scripted)
  const response = await call(path, body, { headers })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 300)}`)
  const { cost_nanos, estimated } = await lastCall()
  expect(estimated).toBe(0)
  return cost_nanos
}

const details = (modality: string, tokenCount: number) => [{ modality, tokenCount }]

describe('text of a Gemini provider, USD 1.25 of input and 5 of output', () => {
  test.each<[string, object, number]>([
    ['input', usage(1_000, 0), 1_000 * 1_250],
    ['output', usage(0, 100), 100 * 5_000],
    ['cache read', usage(1_000, 0, { cachedContentTokenCount: 900 }), 100 * 1_250 + 900 * 125],
    ['thinking', usage(0, 10, { thoughtsTokenCount: 300 }), 10 * 5_000 + 300 * 7_500],
    [
      'audio',
      usage(150, 0, { promptTokensDetails: [...details('TEXT', 50), ...details('AUDIO', 100)] }),
      50 * 1_250 + 100 * 3_750,
    ],
    [
      'an output image',
      usage(0, 1_290, { candidatesTokensDetails: details('IMAGE', 1_290) }),
      1_290 * 37_500,
    ],
    ['a prompt at the edge of the tier', usage(200_000, 10), 200_000 * 1_250 + 10 * 5_000],
    ['one token above it', usage(200_001, 10), 200_001 * 2_500 + 10 * 10_000],
    ['a cache above it', usage(200_001, 0, { cachedContentTokenCount: 200_000 }), 2_500 + 200_000 * 375],
    // A price that the tier lacks is that of small prompts, unless the tier's output costs more.
    ['thinking above it', usage(200_001, 0, { thoughtsTokenCount: 10 }), 200_001 * 2_500 + 10 * 10_000],
  ])('%s', async (_, reported, nanos) => {
    expect(await costOf(wholePath('text'), ask(), whole(answer('Hello.', reported)))).toBe(nanos)
  })
})

describe('text of an Anthropic provider', () => {
  const message = (reported: object) =>
    whole({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-upstream',
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        ...reported,
      },
    })
  const written = (five: number, hour: number) => ({
    cache_creation_input_tokens: five + hour,
    cache_creation: { ephemeral_5m_input_tokens: five, ephemeral_1h_input_tokens: hour },
  })
  test.each<[string, object, number]>([
    ['input and output', { input_tokens: 100, output_tokens: 10 }, 100 * 1_250 + 10 * 5_000],
    ['cache read', { cache_read_input_tokens: 1_000 }, 1_000 * 250],
    ['cache write, 5 minutes', written(1_000, 0), 1_000 * 1_875],
    ['cache write, 1 hour', written(0, 1_000), 1_000 * 3_125],
  ])('%s', async (_, reported, nanos) => {
    const body = { model: 'claude', max_tokens: 100, messages: [{ role: 'user', content: 'Hello.' }] }
    expect(await costOf('/v1/messages', body, message(reported), { 'anthropic-version': '2023-06-01' })).toBe(
      nanos,
    )
  })
})

describe('other kinds', () => {
  test('an embedding is charged by tokens', async () => {
    const body = { model: 'vectors', input: 'Tides' }
    const data = [{ object: 'embedding', index: 0, embedding: [0.5] }]
    const scripted = whole({ object: 'list', data, model: 'x', usage: { prompt_tokens: 7, total_tokens: 7 } })
    expect(await costOf('/v1/embeddings', body, scripted)).toBe(7 * 25)
  })

  test('an image is charged at its price, and one of a size with its own price by its pixels', async () => {
    const body = { model: 'painter', prompt: 'a red house' }
    expect(await costOf(GENERATIONS, body, draws(PNG))).toBe(50_000_000)
    const nanos_of_pixels = 1024 * 1024 * 100 * 1.25
    expect(await costOf(GENERATIONS, { ...body, size: '1024x1024' }, draws(PNG))).toBe(nanos_of_pixels)
  })

  test('speech is charged by characters', async () => {
    const mp3 = readFileSync(join(import.meta.dir, '../fixtures/audio/tone.mp3'))
    const spoken = { headers: { 'content-type': 'audio/mpeg' }, steps: [{ send: mp3 }] }
    const body = { model: 'voice', input: 'Tides', voice: 'alloy' }
    expect(await costOf('/v1/audio/speech', body, spoken)).toBe(5 * 15_000)
  })

  const transcribe = async (model: string, reported: object) => {
    const form = new FormData()
    form.append('model', model)
    form.append(
      'file',
      new File([readFileSync(join(import.meta.dir, '../fixtures/audio/tone.wav'))], 'tone.wav'),
    )
    const encoded = new Response(form)
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
    const scripted = whole({ text: 'A tone.', usage: reported })
    return costOf('/v1/audio/transcriptions', await encoded.bytes(), scripted, headers)
  }
  test('a transcription is charged by seconds, and the catalogue keeps its minutes', async () => {
    expect(await transcribe('ear', { type: 'duration', seconds: 3 })).toBe(3 * 100_000)
    expect(readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')).toContain(
      'price = { per_minute = 0.006 }',
    )
  })
  test('a transcription is charged by tokens, and not by its seconds, too', async () => {
    const tokens = {
      type: 'tokens',
      input_tokens: 30,
      input_token_details: { text_tokens: 10, audio_tokens: 20 },
      output_tokens: 4,
    }
    expect(await transcribe('ear-by-token', tokens)).toBe(10 * 2_500 + 20 * 6_000 + 4 * 10_000)
  })

  test('a moderation is charged by tokens', async () => {
    const judged = whole({
      id: 'modr-1',
      model: 'x',
      results: [{ flagged: false }],
      usage: { prompt_tokens: 12, total_tokens: 12 },
    })
    expect(await costOf('/v1/moderations', { model: 'judge', input: 'Tides' }, judged)).toBe(12 * 100)
  })

  test('a rerank is charged by searches, and the catalogue keeps its thousands', async () => {
    const sorted = whole({
      id: 'r-1',
      results: [{ index: 0, relevance_score: 1 }],
      meta: { billed_units: { search_units: 1 } },
    })
    expect(
      await costOf('/v1/rerank', { model: 'sorter', query: 'Why?', documents: ['The Moon.'] }, sorted),
    ).toBe(2_000_000)
  })
})
