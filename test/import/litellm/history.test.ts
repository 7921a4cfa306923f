// The log of LiteLLM: sums by day, account and model, and its charged lines with their usage.
import { describe, expect, test } from 'bun:test'
import { openLitellm } from '../../../plugins/import/litellm/open.ts'
import type { OpenSource } from '../../../plugins/import/move-in.ts'
import type { SourceRow } from '../../../plugins/import/source/rows.ts'
import { NO_USAGE } from '../../../src/domain/usage.ts'
import { hashOf, keyRow, type MemoryRows, memoryTables } from './memory-tables.ts'

const open = (rows: MemoryRows): Promise<OpenSource> =>
  openLitellm({
    config: '',
    readIncluded: () => Promise.reject(new Error('no file')),
    env: {},
    prices: undefined,
    tables: memoryTables(rows),
    now_ms: Date.UTC(2026, 10, 29),
  })

const history = async (rows: MemoryRows) => {
  await using source = await open(rows)
  return await Array.fromAsync(source.readHistory())
}

const OWNERS: MemoryRows = {
  VerificationToken: [
    keyRow('sk-team-key', { team_id: 't' }),
    keyRow('sk-user-key', { user_id: 'u' }),
    keyRow('sk-blocked', { user_id: 'u', blocked: true }),
  ],
  TeamTable: [{ team_id: 't', team_alias: 'red' }],
  UserTable: [{ user_id: 'u' }],
}

const line = (text: string, row: SourceRow = {}): SourceRow => ({
  api_key: hashOf(text),
  startTime: '2026-11-02 10:00:00',
  model_group: 'gpt-4o',
  model: 'azure/ours',
  prompt_tokens: 10,
  completion_tokens: 5,
  spend: 0.25,
  ...row,
})

const day = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1_000

test('lines of a day, an account and a model are one row, the newest day first', async () => {
  const rows = await history({
    ...OWNERS,
    SpendLogs: [
      line('sk-team-key', { spend: 0.1 }),
      line('sk-team-key', { spend: 0.2, startTime: '2026-11-02 23:59:59.999' }),
      line('sk-team-key', { model_group: null, spend: 1.5e-7 }),
      line('sk-user-key', { startTime: '2026-11-03 00:00:00', spend: 7.5e-8 }),
      line('sk-blocked', { startTime: '2026-11-03 00:00:00', spend: 2 }),
    ],
  })
  const sums = { input_tokens: 20, output_tokens: 10, calls: 2 }
  expect(rows).toEqual([
    { account: 'user u', model: 'gpt-4o', day_s: day('2026-11-03'), ...sums, charged_nanos: 2_000_000_075 },
    { account: 'team t', model: 'gpt-4o', day_s: day('2026-11-02'), ...sums, charged_nanos: 300_000_000 },
    {
      account: 'team t',
      model: 'azure/ours',
      day_s: day('2026-11-02'),
      calls: 1,
      input_tokens: 10,
      output_tokens: 5,
      charged_nanos: 150,
    },
  ])
})

describe('a line', () => {
  // Its account, which may be one that is not imported; none if it is not a call.
  test.each<[SourceRow, readonly string[]]>([
    [{ status: 'failure' }, []],
    [{ status: 'success' }, ['user u']],
    [{ startTime: null }, []],
    // The key is deleted: its team or user pays.
    [{ api_key: 'deleted', team_id: 't' }, ['team t']],
    [{ api_key: 'deleted', user: 'u' }, ['user u']],
    [{ api_key: 'deleted', team_id: 'deleted', user: 'gone' }, ['user gone']],
    [{ api_key: 'deleted', user: 'default_user_id' }, ['administrator']],
    [{ api_key: '', user: '', team_id: null }, ['administrator']],
  ])('%p is of %p', async (row, accounts) => {
    const rows = await history({ ...OWNERS, SpendLogs: [line('sk-user-key', row)] })
    expect(rows.map(({ account }) => account)).toEqual([...accounts])
  })

  test.each([
    [
      { prompt_tokens: null, completion_tokens: -1 },
      { input_tokens: 0, output_tokens: 0 },
    ],
    [
      { prompt_tokens: 5n, completion_tokens: '7' },
      { input_tokens: 5, output_tokens: 7 },
    ],
    [{ spend: null }, { charged_nanos: 0 }],
    [{ spend: 'NaN' }, { charged_nanos: 0 }],
    [{ spend: '1.25e-05' }, { charged_nanos: 12_500 }],
    [{ spend: 0.00000000049 }, { charged_nanos: 0 }],
  ])('with %p has its sums', async (row, expected) => {
    expect(await history({ ...OWNERS, SpendLogs: [line('sk-user-key', row)] })).toEqual([
      expect.objectContaining(expected),
    ])
  })
})

describe('daily sums', () => {
  const daily = (text: string, row: SourceRow): SourceRow => ({
    api_key: hashOf(text),
    date: '2026-10-30',
    model_group: 'gpt-4o',
    prompt_tokens: 100n,
    completion_tokens: 50n,
    spend: 1.5,
    api_requests: 4n,
    successful_requests: 3n,
    ...row,
  })
  const DAILY: MemoryRows = {
    // A key of a team has rows in both tables.
    DailyUserSpend: [daily('sk-team-key', { user_id: 'u' }), daily('sk-user-key', { user_id: 'u' })],
    DailyTeamSpend: [
      daily('sk-team-key', { team_id: 't' }),
      daily('sk-team-key', { team_id: 't', date: '2026-10-31' }),
    ],
  }
  const sums = { calls: 3, input_tokens: 100, output_tokens: 50, charged_nanos: 1_500_000_000 }

  test('count if the log is switched off, once for each payer', async () => {
    const rows = await history({ ...OWNERS, ...DAILY, SpendLogs: [] })
    expect(rows).toEqual([
      { account: 'team t', model: 'gpt-4o', day_s: day('2026-10-31'), ...sums },
      { account: 'team t', model: 'gpt-4o', day_s: day('2026-10-30'), ...sums },
      { account: 'user u', model: 'gpt-4o', day_s: day('2026-10-30'), ...sums },
    ])
  })

  test('count only before the first day of the log', async () => {
    const log = [line('sk-team-key', { startTime: '2026-10-31 08:00:00' })]
    const rows = await history({ ...OWNERS, ...DAILY, SpendLogs: log })
    expect(rows.map(({ account, day_s, calls }) => [account, day_s, calls])).toEqual([
      ['team t', day('2026-10-31'), 1],
      ['team t', day('2026-10-30'), 3],
      ['user u', day('2026-10-30'), 3],
    ])
  })
})

describe('a charged line', () => {
  const lines = async (rows: readonly SourceRow[], limit = 10) => {
    await using source = await open({ SpendLogs: rows })
    return await Array.fromAsync(source.readChargedLines(limit))
  }
  const usage = (metadata: unknown, row: SourceRow = {}) =>
    lines([line('sk-x', { prompt_tokens: 1_000, completion_tokens: 200, metadata, ...row })]).then(
      ([first]) => first?.usage,
    )

  test.each([
    [{}, { input_tokens: 1_000, output_tokens: 200 }],
    [null, { input_tokens: 1_000, output_tokens: 200 }],
    ['no json', { input_tokens: 1_000, output_tokens: 200 }],
    [
      { usage_object: { prompt_tokens_details: { cached_tokens: 600 } } },
      { input_tokens: 400, cache_read_tokens: 600, output_tokens: 200 },
    ],
    // Older versions count cache writes beside the prompt.
    [
      '{"usage_object": {"cache_read_input_tokens": 500, "cache_creation_input_tokens": 300, "prompt_tokens_details": {"cached_tokens": 500}}}',
      { input_tokens: 500, cache_read_tokens: 500, cache_write_5m_tokens: 300, output_tokens: 200 },
    ],
    [
      { additional_usage_values: { cache_read_input_tokens: 100, cache_creation_input_tokens: 50 } },
      { input_tokens: 900, cache_read_tokens: 100, cache_write_5m_tokens: 50, output_tokens: 200 },
    ],
    // Newer versions count them within it.
    [
      {
        usage_object: {
          cache_read_input_tokens: 500,
          cache_creation_input_tokens: 300,
          prompt_tokens_details: { cached_tokens: 500, cache_creation_tokens: 300, text_tokens: 200 },
        },
      },
      { input_tokens: 200, cache_read_tokens: 500, cache_write_5m_tokens: 300, output_tokens: 200 },
    ],
    [
      {
        usage_object: {
          prompt_tokens_details: {
            cache_creation_tokens: 300,
            cache_creation_token_details: { ephemeral_1h_input_tokens: 200 },
          },
        },
      },
      { input_tokens: 700, cache_write_5m_tokens: 100, cache_write_1h_tokens: 200, output_tokens: 200 },
    ],
    [
      {
        usage_object: {
          completion_tokens_details: { reasoning_tokens: 150 },
          prompt_tokens_details: { audio_tokens: 40 },
        },
      },
      { input_tokens: 960, input_audio_tokens: 40, output_tokens: 50, thinking_tokens: 150 },
    ],
    // Parts that exceed their whole are cut.
    [
      {
        usage_object: {
          cache_read_input_tokens: 900,
          prompt_tokens_details: { cache_creation_tokens: 900 },
          completion_tokens_details: { reasoning_tokens: 999 },
        },
      },
      { cache_read_tokens: 900, cache_write_5m_tokens: 100, thinking_tokens: 200 },
    ],
  ])('with %p has its usage', async (metadata, parts) => {
    expect(await usage(metadata)).toEqual({ ...NO_USAGE, ...parts })
  })

  test('has a cost, and the newest come first, up to the limit', async () => {
    const rows = [
      line('sk-x', { startTime: '2026-11-01 00:00:00', spend: 1 }),
      line('sk-x', { startTime: '2026-11-03 00:00:00', spend: 3 }),
      line('sk-x', { startTime: '2026-11-02 00:00:00', spend: 2 }),
      line('sk-x', { startTime: '2026-11-04 00:00:00', spend: 0 }),
      line('sk-x', { startTime: '2026-11-05 00:00:00', spend: null }),
    ]
    const charged = async (limit: number) =>
      (await lines(rows, limit)).map(({ charged_nanos }) => charged_nanos / 1e9)
    expect(await charged(10)).toEqual([3, 2, 1])
    expect(await charged(2)).toEqual([3, 2])
    expect(await charged(0)).toEqual([])
  })

  test('names the additions to its price', async () => {
    const metadata = {
      cost_breakdown: {
        margin_percent: 0.1,
        margin_fixed_amount: 0.001,
        discount_percent: 0,
        tool_usage_cost: 0.01,
        service_tier: 'flex',
      },
    }
    const [first] = await lines([line('sk-x', { metadata })])
    expect(first?.factors).toEqual([
      'served by azure/ours',
      'margin 0.1',
      'fixed margin 0.001 USD',
      'tools',
      'service tier flex',
    ])
  })
})

test('a database without the tables of the log has neither history nor charged lines', async () => {
  await using source = await open({})
  expect(await Array.fromAsync(source.readHistory())).toEqual([])
  expect(await Array.fromAsync(source.readChargedLines(10))).toEqual([])
})

test('a database without LiteLLM’s keys is refused', async () => {
  const tables = { ...memoryTables({}), rows: memoryTables({ VerificationToken: undefined as never }).rows }
  const source = await openLitellm({
    config: '',
    readIncluded: async () => '',
    env: {},
    prices: undefined,
    tables,
    now_ms: 0,
  })
  expect(source.readMoveIn()).rejects.toThrow(/no table LiteLLM_VerificationToken/)
})
