// Calls after an import from LiteLLM: its keys are served and charged through an official SDK, within the limits that they had there.
import { afterAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { openLitellm } from '../../../plugins/import/litellm/open.ts'
import { createSimulator } from '../../providers/index.ts'
import { retryUntilDone } from '../../support/eventually.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { importFolder } from '../folder.ts'
import { importFrom } from '../scene.ts'
import { hashOf, keyRow, type MemoryRows, memoryTables } from './memory-tables.ts'

/** The machine's time, by which the gateway process serves: both have the same day for daily limits. */
const NOW = Date.now()

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: createSimulator().fetch })
afterAll(() => server.stop(true))

const CONFIG = `
model_list:
  - model_name: gpt-4o
    litellm_params: {model: openai/gpt, api_base: "${server.url.origin}/openai/v1", api_key: "sk-of the provider$"}
    model_info: {input_cost_per_token: 5e-07, output_cost_per_token: 1.5e-06}
litellm_settings: {cost_margin_config: {global: 0.1}}
`
const text = (name: string) => `sk-${name}-0123456789abcdef`
const key = (name: string, row: object) => keyRow(text(name), { key_alias: name, ...row })

const ROWS: MemoryRows = {
  TeamTable: [
    { team_id: 'red', team_alias: 'red', models: [], max_budget: 20, spend: 7.5 },
    { team_id: 'over', team_alias: 'over', models: [], max_budget: 5, spend: 6 },
    { team_id: 'closed', team_alias: 'closed', models: [], max_budget: 5, spend: 0, blocked: true },
  ],
  VerificationToken: [
    key('laptop', { team_id: 'red' }),
    key('empty', { team_id: 'red', max_budget: 1, spend: 1 }),
    key('daily', { team_id: 'red', max_budget: 1, spend: 1, budget_duration: '24h' }),
    key('renewed', {
      team_id: 'red',
      max_budget: 1,
      spend: 1,
      budget_duration: '24h',
      budget_reset_at: new Date(NOW - 1),
    }),
    key('narrow', { team_id: 'red', models: ['other/*'] }),
    key('owing', { team_id: 'over' }),
    key('closed', { team_id: 'closed' }),
    key('blocked', { team_id: 'red', blocked: true }),
    key('expired', { team_id: 'red', expires: new Date(NOW - 1) }),
  ],
  SpendLogs: [
    {
      api_key: hashOf(text('laptop')),
      startTime: '2026-11-01 10:00:00',
      model_group: 'gpt-4o',
      prompt_tokens: 10,
      completion_tokens: 5,
      spend: 7.5,
    },
  ],
}

const openSource = () =>
  openLitellm({
    config: CONFIG,
    readIncluded: () => Promise.reject(new Error('no file')),
    env: {},
    prices: undefined,
    tables: memoryTables(ROWS),
    now_ms: NOW,
  })

// `../served.test.ts` has the keys of a gateway over PostgreSQL.
test('keys of LiteLLM work unchanged, within their limits', async () => {
  await using folder = await importFolder('SQLite')
  for (let runs = 0; runs < 2; runs++) {
    const ran = await importFrom({
      dir: folder.dir,
      source: await openSource(),
      name: 'litellm',
      now_ms: NOW,
    })
    expect(ran).toMatchObject({ status: 0 })
    expect(ran.out + ran.err).not.toContain('sk-of the provider')
    expect(await folder.rows('SELECT name, balance_nanos, debt_nanos FROM accounts ORDER BY name')).toEqual([
      { name: 'closed', balance_nanos: 5_000_000_000, debt_nanos: 0 },
      { name: 'over', balance_nanos: 0, debt_nanos: 1_000_000_000 },
      { name: 'red', balance_nanos: 12_500_000_000, debt_nanos: 0 },
    ])
  }
  const place = {
    path: folder.dir,
    database_path: folder.at('tollgate.db'),
    keys: [],
    [Symbol.dispose]: () => {},
  }
  await using gateway = await startGatewayProcess('', place, { env_file: folder.at('imported.env') })
  const ask = (name: string) =>
    new OpenAI({
      apiKey: text(name),
      baseURL: `${gateway.url.origin}/v1`,
      maxRetries: 0,
    }).chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'hello' }],
    })
  const { usage } = await ask('laptop')
  // 0.55 and 1.65 USD a million tokens: the cost and 10 %.
  const cost_nanos = (usage?.prompt_tokens ?? 0) * 550 + (usage?.completion_tokens ?? 0) * 1_650
  expect(cost_nanos).toBeGreaterThan(0)
  await retryUntilDone('the call is charged', async () =>
    expect(await folder.rows("SELECT amount_nanos FROM entries WHERE kind = 'charge'")).toEqual([
      { amount_nanos: -cost_nanos },
    ]),
  )
  for (const [name, status] of [
    ['empty', 402],
    ['daily', 402],
    ['narrow', 403],
    ['owing', 402],
    ['closed', 403],
    ['blocked', 401],
    ['expired', 401],
  ] as const)
    expect([name, await ask(name).catch(({ status }: { status: number }) => status)]).toEqual([name, status])
  expect((await ask('renewed')).choices).toHaveLength(1)
  gateway.signal('SIGTERM')
  await gateway.ended
  expect(await folder.findings()).toEqual([])
})
