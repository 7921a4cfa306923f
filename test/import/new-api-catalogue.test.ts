// Channels and ratios of one-api and new-api as a catalogue: addresses by type, prices by kind, and a shadow bill of equal amounts.
import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MoveIn, ShadowBillRow } from '../../plugins/import/move-in.ts'
import { placeOf } from '../../plugins/import/new-api/addresses.ts'
import { channelKeys } from '../../plugins/import/new-api/channel-settings.ts'
import { fraction, times, usdTextOf } from '../../plugins/import/new-api/fraction.ts'
import { openNewApi } from '../../plugins/import/new-api/open.ts'
import type { Program } from '../../plugins/import/new-api/ratios.ts'
import { rateLines } from '../../plugins/import/shadow-bill.ts'
import { openTables } from '../../plugins/import/source/open.ts'
import { withDigits, writePair } from '../../src/catalogue/toml-write.ts'
import { readGood } from '../catalogue/catalogues.ts'
import { makeSqlite } from './gateway-database.ts'
import { NOW_MS } from './gateway-moments.ts'
import { oddRows } from './gateway-rows.ts'
import type { Row, Rows } from './gateway-tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-new-api-catalogue-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0

async function openRows(rows: Rows, program: Program = 'new-api') {
  count += 1
  const path = join(folder, `${count}.db`)
  makeSqlite(path, program === 'new-api' ? 'new-api 2026' : 'one-api 0.6', rows)
  return openNewApi(await openTables(path), program, { now_ms: NOW_MS })
}

/** The catalogue file of an import, without keys. */
function tomlOf({ providers, models }: MoveIn): string {
  const block = (list: string, fields: object): string =>
    [
      `[[${list}]]`,
      ...Object.entries(fields).map(([key, value]) => writePair(key, withDigits(value, [key]), '\n')),
    ].join('\n')
  return [
    ...providers.map(({ name, fields }) => block('providers', { name, ...fields, api_keys: [] })),
    ...models.map(({ id, fields, routes, price }) => block('models', { id, ...fields, routes, price })),
  ].join('\n')
}

describe('the address of a channel by its type', () => {
  const cases: [program: Program, row: Row, fields: object][] = [
    ['new-api', { type: 1 }, { server: 'openai' }],
    ['new-api', { type: 1, base_url: 'https://api.openai.com/' }, { server: 'openai' }],
    ['new-api', { type: 1, base_url: 'https://api.openai.com/v1' }, { server: 'openai' }],
    [
      'new-api',
      { type: 1, base_url: 'http://10.0.0.1:3000' },
      { protocol: 'openai', base_url: 'http://10.0.0.1:3000/v1' },
    ],
    ['new-api', { type: 4 }, { server: 'ollama' }],
    [
      'new-api',
      { type: 4, base_url: 'http://gpu:11434' },
      { server: 'ollama', base_url: 'http://gpu:11434/v1' },
    ],
    ['new-api', { type: 14 }, { server: 'anthropic' }],
    [
      'new-api',
      { type: 14, base_url: 'https://c.example.com/v1' },
      { protocol: 'anthropic', base_url: 'https://c.example.com' },
    ],
    ['new-api', { type: 20 }, { server: 'openrouter' }],
    ['new-api', { type: 24 }, { server: 'google' }],
    ['new-api', { type: 25 }, { server: 'moonshot', base_url: 'https://api.moonshot.cn/v1' }],
    [
      'new-api',
      { type: 26, base_url: 'glm-coding-plan' },
      { protocol: 'openai', base_url: 'https://open.bigmodel.cn/api/coding/paas/v4' },
    ],
    ['new-api', { type: 27 }, { protocol: 'openai', base_url: 'https://api.perplexity.ai' }],
    ['new-api', { type: 42 }, { server: 'mistral' }],
    ['new-api', { type: 43 }, { server: 'deepseek' }],
    ['new-api', { type: 48 }, { server: 'xai' }],
    [
      'new-api',
      { type: 39, other: 'acc-1' },
      { protocol: 'openai', base_url: 'https://api.cloudflare.com/client/v4/accounts/acc-1/ai/v1' },
    ],
    [
      'new-api',
      { type: 8, base_url: 'https://x.example.com/api/chat/completions' },
      { protocol: 'openai', base_url: 'https://x.example.com/api' },
    ],
    [
      'new-api',
      { type: 3, base_url: 'https://acme.openai.azure.com', other: '' },
      { server: 'azure', resource: 'acme' },
    ],
    [
      'new-api',
      { type: 3, base_url: 'https://gw.example.com', other: '2024-10-21' },
      { server: 'azure', base_url: 'https://gw.example.com/openai', api_version: '2024-10-21' },
    ],
    [
      'one-api',
      { type: 3, base_url: 'https://acme.openai.azure.com', config: '{"api_version":"2024-03-01-preview"}' },
      { server: 'azure', resource: 'acme', api_version: '2024-03-01-preview' },
    ],
    ['one-api', { type: 2 }, { protocol: 'openai', base_url: 'https://oa.api2d.net/v1' }],
    [
      'one-api',
      { type: 8, base_url: 'https://x.example.com' },
      { protocol: 'openai', base_url: 'https://x.example.com/v1' },
    ],
    ['one-api', { type: 29 }, { server: 'groq' }],
    ['one-api', { type: 39 }, { server: 'together' }],
    [
      'one-api',
      { type: 50, base_url: 'https://x.example.com/openai/v2/' },
      { protocol: 'openai', base_url: 'https://x.example.com/openai/v2' },
    ],
  ]
  test.each(cases)('%s %j', (program, row, fields) => {
    expect(placeOf(program, row, 'some-model')).toMatchObject({ fields })
  })

  const refusals: [program: Program, row: Row, reason: string][] = [
    ['new-api', { type: 1, base_url: 'ftp://x' }, 'does not begin with http:// or https://'],
    ['new-api', { type: 1, base_url: 'https://u:p@x.example.com' }, 'a password'],
    ['new-api', { type: 3 }, 'It has no address'],
    ['new-api', { type: 8, base_url: 'https://x.example.com/{model}' }, 'does not end in /chat/completions'],
    ['new-api', { type: 33 }, 'sign requests'],
    ['new-api', { type: 36 }, 'Tollgate does not serve tasks of Suno.'],
    ['new-api', { type: 39 }, 'It has no Cloudflare account'],
    ['new-api', { type: 41, other: 'global' }, 'only Gemini and Claude'],
    ['new-api', { type: 47 }, 'It has no address'],
    ['new-api', { type: 4711 }, 'Channel type 4711 is unknown'],
    ['one-api', { type: 43 }, 'does not support the API of'],
  ]
  test.each(refusals)('%s %j is not served', (program, row, reason) => {
    expect(placeOf(program, row, 'llama-3')).toMatchObject({ reason: expect.stringContaining(reason) })
  })

  test('Azure’s deployments lose their dots in channels made before 10 May 2025', () => {
    const nameAt = (created: string) => {
      const place = placeOf(
        'new-api',
        { type: 3, base_url: 'https://a.openai.azure.com', created_time: Date.parse(created) / 1000 },
        'gpt-4.1',
      )
      return 'modelOf' in place ? place.modelOf?.('gpt-4.1') : undefined
    }
    expect(nameAt('2025-05-09T23:59:59Z')).toEqual({ model: 'gpt-41', generation: 'gpt-4.1' })
    expect(nameAt('2025-05-10T00:00:00Z')).toEqual({ model: 'gpt-4.1' })
  })
})

describe('prices', () => {
  const setting = (key: string, value: object): Row => ({ key, value: JSON.stringify(value) })
  const of = async (
    models: string,
    options: readonly Row[],
    changes: Rows = {},
    program: Program = 'new-api',
  ) => {
    const channels = [{ id: 1, type: 1, name: 'c', key: 'k', status: 1, models, group: 'default' }]
    await using source = await openRows({ channels, options, ...changes }, program)
    const read = await source.readMoveIn()
    return { read, price: read.models[0]?.price, notes: read.models[0]?.notes }
  }

  const ratio = (model: string, value = 1) => setting('ModelRatio', { [model]: value })
  const cases: [name: string, model: string, options: Row[], price: object][] = [
    [
      'text',
      'gpt-4o',
      [ratio('gpt-4o', 1.25), setting('CompletionRatio', { 'gpt-4o': 4 })],
      { input: '2.50', output: '10.00', cache_read: '1.25' },
    ],
    [
      'a cache at the price of all other input',
      'foo',
      [ratio('foo')],
      { input: '2.00', output: '2.00', cache_read: '2.00' },
    ],
    [
      'cache writes',
      'foo',
      [ratio('foo'), setting('CreateCacheRatio', { foo: 1.5 })],
      { cache_write_5m: '3.00', cache_write_1h: '4.80' },
    ],
    [
      'a fixed completion ratio',
      'claude-sonnet-4-5-20250929',
      [
        ratio('claude-sonnet-4-5-20250929', 1.5),
        setting('CompletionRatio', { 'claude-sonnet-4-5-20250929': 9 }),
      ],
      { input: '3.00', output: '15.00' },
    ],
    [
      'digits of floating-point ratios',
      'gemini-2.5-flash',
      [ratio('gemini-2.5-flash', 0.15)],
      { output: '2.50' },
    ],
    ['a third is rounded up once', 'foo', [ratio('foo', 1 / 3)], { input: '0.666666667' }],
    ['very small ratios', 'foo', [ratio('foo', 1e-7)], { input: '0.0000002' }],
    [
      'audio',
      'gpt-4o-audio-preview',
      [ratio('gpt-4o-audio-preview', 1.25), setting('AudioRatio', { 'gpt-4o-audio-preview': 16 })],
      { audio: '40.00' },
    ],
    [
      'images by tokens',
      'gpt-image-1',
      [ratio('gpt-image-1', 2.5), setting('ImageRatio', { 'gpt-image-1': 2 })],
      { input: '5.00', image_input: '10.00', image_output: '40.00' },
    ],
    ['an image', 'flux-pro', [setting('ModelPrice', { 'flux-pro': 0.05 })], { per_image: '0.05' }],
    [
      'a call',
      'foo',
      [setting('ModelPrice', { foo: 0.1 })],
      { input: '0.00', output: '0.00', extras: { request: { per_request: '0.10' } } },
    ],
    [
      'a price comes before a ratio',
      'foo',
      [setting('ModelPrice', { foo: 0.1 }), ratio('foo')],
      { extras: { request: { per_request: '0.10' } } },
    ],
    ['speech', 'tts-1-hd', [ratio('tts-1-hd', 15)], { per_million_characters: '30.00' }],
    [
      'a transcription by tokens',
      'gpt-4o-transcribe',
      [ratio('gpt-4o-transcribe', 1.25), setting('CompletionRatio', { 'gpt-4o-transcribe': 4 })],
      { input: '2.50', output: '10.00' },
    ],
    ['moderation', 'omni-moderation-latest', [ratio('omni-moderation-latest', 0)], { input: '0.00' }],
    ['rerank by tokens', 'bge-reranker', [ratio('bge-reranker', 0.01)], { input: '0.02' }],
    [
      'defaults without any setting',
      'gpt-4o-mini',
      [],
      { input: '0.15', output: '0.60', cache_read: '0.075' },
    ],
    ['gpt-3.5: the rule of all gpt-', 'gpt-3.5-turbo', [], { input: '0.50', output: '1.00' }],
    [
      'a cache ratio by default',
      'gemini-3-pro-preview',
      [ratio('gemini-3-pro-preview')],
      { input: '2.00', output: '12.00', cache_read: '0.20' },
    ],
    [
      'a preview of Gemini 2.5 Flash',
      'gemini-2.5-flash-preview-09-2025',
      [ratio('gemini-2.5-flash-preview-09-2025', 0.15)],
      { input: '0.30', output: '7.00' },
    ],
    [
      'a robot of Gemini',
      'gemini-robotics-er-1.5-preview',
      [ratio('gemini-robotics-er-1.5-preview', 0.15)],
      { output: '2.50' },
    ],
  ]
  test.each(cases)('%s', async (_, model, options, expected) => {
    const { price, read } = await of(model, options)
    expect(price).toMatchObject(expected)
    expect(readGood(tomlOf(read)).catalogue.models.has(model)).toBe(true)
  })

  const refusals: [name: string, model: string, options: Row[], reason: string][] = [
    [
      'a model that the setting lacks, which replaces the defaults',
      'gpt-4o',
      [ratio('other')],
      'It has no ratio and no price in the settings',
    ],
    ['whisper', 'whisper-1', [ratio('whisper-1', 15)], 'by the duration'],
    [
      'an embedding by the call',
      'text-embedding-3-small',
      [setting('ModelPrice', { 'text-embedding-3-small': 1 })],
      'It has a price per call',
    ],
    ['a video', 'sora-2', [ratio('sora-2')], 'does not serve video tasks'],
    [
      'an ending that is a setting',
      'claude-3-7-sonnet-20250219-thinking',
      [ratio('claude-3-7-sonnet-20250219-thinking')],
      'Its ending is a setting',
    ],
    ['a name that no catalogue allows', '模型', [ratio('模型')], 'does not allow this model name'],
    ['a price above the maximum', 'foo', [ratio('foo', 1e9)], 'above 1,000,000 USD'],
    [
      'an expression',
      'foo',
      [ratio('foo'), setting('billing_setting.billing_mode', { foo: 'tiered_expr' })],
      'Its price is an expression',
    ],
  ]
  test.each(refusals)('%s: left out of the catalogue', async (_, model, options, reason) => {
    const { read } = await of(model, options)
    expect(read.models).toEqual([])
    expect(read.left_out).toContainEqual({
      kind: 'models',
      row: `"${model}"`,
      reason: expect.stringContaining(reason),
    })
  })

  test('keys of Baidu that contain an application are reported, and not imported', async () => {
    const channel = { id: 1, type: 46, name: 'b', status: 1, models: 'ernie-4.5', group: 'default' }
    const options = [ratio('ernie-4.5')]
    const { read } = await of('', options, { channels: [{ ...channel, key: 'secret|app-1' }] })
    expect(read.models).toEqual([])
    expect(read.left_out).toContainEqual({
      kind: 'channels',
      row: 'channel 1 "b"',
      reason: expect.stringContaining('header appid'),
    })
    expect((await of('', options, { channels: [{ ...channel, key: 'secret' }] })).read.models).toHaveLength(1)
  })

  test('a price without a setting is taken from the newest charged line', async () => {
    const line = (id: number, model_ratio: number): Row => ({
      id,
      type: 2,
      user_id: 1,
      created_at: id,
      model_name: 'mystery',
      quota: 1,
      other: JSON.stringify({
        model_ratio,
        completion_ratio: 3,
        cache_ratio: 0.2,
        cache_tokens: 5,
        group_ratio: 1,
        model_price: -1,
      }),
    })
    const { price, notes } = await of('mystery', [ratio('other')], { logs: [line(1, 9), line(2, 2)] })
    expect(price).toMatchObject({ input: '4.00', output: '12.00', cache_read: '0.80' })
    expect(notes?.[0]).toContain('from its newest charged call, since no setting has it')
  })

  test('one-api adds its defaults to a setting, and charges a cache like other input', async () => {
    const { price } = await of('gpt-4o', [ratio('other')], {}, 'one-api')
    expect(price).toEqual({
      input: '5.00',
      output: '20.00',
      cache_read: '5.00',
      cache_write_5m: '5.00',
      cache_write_1h: '5.00',
    })
  })

  const mapped = (model_mapping: object, more: readonly Row[] = [], options: readonly Row[] = []) =>
    of(
      '',
      options,
      {
        channels: [
          {
            id: 1,
            type: 1,
            name: 'c',
            key: 'k',
            status: 1,
            models: 'mine',
            group: 'default',
            model_mapping: JSON.stringify(model_mapping),
          },
          ...more,
        ],
      },
      'one-api',
    )

  test("one-api charges by the name that a channel maps the caller's to, in one step", async () => {
    const { read, price, notes } = await mapped({ mine: 'gpt-4o-mini', 'gpt-4o-mini': 'gpt-4' })
    expect(read.models[0]?.routes).toMatchObject([{ model: 'gpt-4o-mini' }])
    expect(price).toMatchObject({ input: '0.15', output: '0.60' })
    expect(notes?.[0]).toBe('charged as gpt-4o-mini, to which its channel maps it')
  })

  test('one-api charges the dearest of several names, and by the ratio of a type of channel', async () => {
    const other = { id: 2, type: 8, name: 'd', key: 'k', status: 1, models: 'mine', group: 'default' }
    const more = [{ ...other, base_url: 'https://x.example.com', model_mapping: '{"mine":"gpt-4"}' }]
    expect((await mapped({ mine: 'gpt-4o-mini' }, more)).price).toMatchObject({ input: '30.00' })
    const typed = [setting('ModelRatio', { 'gpt-4(8)': 2 }), setting('CompletionRatio', { 'gpt-4(8)': 1 })]
    expect((await mapped({ mine: 'gpt-4o-mini' }, more, typed)).price).toMatchObject({
      input: '4.00',
      output: '4.00',
    })
  })

  test('products of ratios are exact, and rounded up once', () => {
    expect(usdTextOf(times(fraction('0.1'), fraction('0.2')))).toBe('0.02')
    expect(usdTextOf(times(fraction('1.1'), fraction('1.1'), fraction('1.1')))).toBe('1.331')
    expect(usdTextOf({ numerator: 1n, denominator: 3n })).toBe('0.333333334')
    expect(usdTextOf({ numerator: 10n ** 30n, denominator: 1n })).toBeUndefined()
  })
})

test('keys of a channel are switched off by the number of their line, empty ones counted', () => {
  const row = { key: 'a\n\nb\nc\n', channel_info: '{"multi_key_status_list":{"2":2}}' }
  expect(channelKeys(row, 'channel 1').keys).toEqual(['a', 'c'])
  expect(channelKeys({ key: '' }, 'channel 1').keys).toEqual([])
})

test('the catalogue of all odd rows loads, with every model', async () => {
  for (const program of ['new-api', 'one-api'] as const) {
    await using source = await openRows(oddRows(program), program)
    const read = await source.readMoveIn()
    const { catalogue } = readGood(tomlOf(read))
    expect([...catalogue.models.keys()].sort()).toEqual(read.models.map(({ id }) => id).sort())
    expect(read.models.length).toBeGreaterThan(8)
  }
})

describe('the shadow bill', () => {
  const billOf = async (logs: readonly Row[], changes: Rows = {}): Promise<Record<string, ShadowBillRow>> => {
    await using source = await openRows({ ...oddRows('new-api'), logs, ...changes })
    const { catalogue } = readGood(tomlOf(await source.readMoveIn()))
    const rows = await rateLines(source.readChargedLines(10_000), catalogue)
    return Object.fromEntries(rows.map((row) => [row.model, row]))
  }

  const lineOf = (id: number, model_name: string, line: Row, other: object = {}): Row => ({
    id,
    type: 2,
    user_id: 2,
    created_at: id,
    model_name,
    prompt_tokens: 0,
    completion_tokens: 0,
    ...line,
    other: JSON.stringify({ group_ratio: 1, ...other }),
  })

  test('has equal amounts for text, caches, calls and images, and a rounded quota differs by at most one', async () => {
    const bill = await billOf([
      lineOf(1, 'gpt-4o', { quota: 1_750, prompt_tokens: 1_000, completion_tokens: 100 }),
      // (200 + 800 x 0.5 + 100 x 4) x 1.25
      lineOf(
        2,
        'gpt-4o',
        { quota: 1_250, prompt_tokens: 1_000, completion_tokens: 100 },
        { cache_tokens: 800 },
      ),
      lineOf(3, 'gpt-4o', { quota: 4, prompt_tokens: 3 }),
      // Claude: tokens of a cache are beside the prompt. (100 + 900 x 0.1 + 200 x 1.25 + 50 x 2) x 1.5
      lineOf(
        4,
        'claude-sonnet-4-5-20250929',
        { quota: 810, prompt_tokens: 100 },
        {
          claude: true,
          cache_tokens: 900,
          cache_creation_tokens: 250,
          cache_creation_tokens_5m: 200,
          cache_creation_tokens_1h: 50,
        },
      ),
      lineOf(
        5,
        'gpt-4o-mini',
        { quota: 5_000, prompt_tokens: 7, completion_tokens: 9 },
        { model_price: 0.01 },
      ),
      lineOf(6, 'dall-e-3', { quota: 40_000, prompt_tokens: 2 }, { model_price: 0.04 }),
      lineOf(7, 'text-embedding-3-small', { quota: 10, prompt_tokens: 1_000 }),
      lineOf(8, 'tts-1', { quota: 7_500, prompt_tokens: 1_000 }),
    ])
    for (const model of [
      'claude-sonnet-4-5-20250929',
      'gpt-4o-mini',
      'dall-e-3',
      'text-embedding-3-small',
      'tts-1',
    ])
      expect(bill[model]).toMatchObject({ difference_nanos: 0, reasons: [] })
    // 3 x 1.25 is 3.75, charged as 4.
    expect(bill['gpt-4o']).toMatchObject({
      count: 3,
      charged_nanos: 6_008_000,
      difference_nanos: -500,
      reasons: [],
    })
  })

  test('names the models that differ by more than 1 %, with the reasons', async () => {
    const bill = await billOf([
      lineOf(1, 'gpt-4o', { quota: 1_000, prompt_tokens: 1_000 }, { group_ratio: 0.8 }),
      lineOf(2, 'gpt-4o', { quota: 1_000, prompt_tokens: 1_000 }, { group_ratio: 0.8 }),
      lineOf(3, 'gpt-4o', { quota: 99, prompt_tokens: 1_000 }),
      lineOf(4, 'gpt-4.1', { quota: 1, prompt_tokens: 0, completion_tokens: 0 }),
      lineOf(5, 'unknown', { quota: 5, prompt_tokens: 5 }),
      lineOf(
        6,
        'gpt-4o-mini',
        { quota: 9_000, prompt_tokens: 7 },
        { model_price: 0.01, tool_surcharges: [{ name: 'x' }] },
      ),
    ])
    expect(bill['gpt-4o']).toMatchObject({
      count: 3,
      charged_nanos: 4_198_000,
      rated_nanos: 7_500_000,
      largest_difference_nanos: 2_302_000,
      reasons: [
        'group ratio 0.8 in 2 lines',
        'another price than now, or a unit that the log does not name in 1 line',
      ],
    })
    expect(bill['gpt-4.1']?.reasons).toEqual(['each charge is rounded in the source in 1 line'])
    expect(bill.unknown).toMatchObject({
      rated_nanos: 0,
      reasons: ['no imported model has this name in 1 line'],
    })
    expect(bill['gpt-4o-mini']?.reasons).toEqual(['searches and tools in 1 line'])
  })

  test('has only the newest lines, without lines that charged nothing', async () => {
    await using source = await openRows({
      ...oddRows('new-api'),
      logs: [1, 2, 3, 4].map((id) => lineOf(id, `m${id}`, { quota: id === 4 ? 0 : id })),
    })
    const lines = await Array.fromAsync(source.readChargedLines(2))
    expect(lines.map(({ model }) => model)).toEqual(['m3'])
  })
})

test('a database without its log is reported', async () => {
  count += 1
  const path = join(folder, `${count}.db`)
  makeSqlite(path, 'new-api 2026', oddRows('new-api'))
  {
    using db = new Database(path)
    db.run('DROP TABLE logs')
  }
  await using source = await openNewApi(await openTables(path), 'new-api', { now_ms: NOW_MS })
  expect((await source.readMoveIn()).left_out.find(({ kind }) => kind === 'history')?.reason).toContain(
    'LOG_SQL_DSN',
  )
  expect(await Array.fromAsync(source.readHistory())).toEqual([])
  expect(await Array.fromAsync(source.readChargedLines(5))).toEqual([])
})
