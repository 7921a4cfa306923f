// The shadow bill of LiteLLM: lines that it charged by its formula cost the same by the imported prices, and other lines have a reason.
import { expect, test } from 'bun:test'
import { openLitellm } from '../../../plugins/import/litellm/open.ts'
import { planCatalogue, withBlocks } from '../../../plugins/import/plan/catalogue.ts'
import { rateLines } from '../../../plugins/import/shadow-bill.ts'
import type { SourceRow } from '../../../plugins/import/source/rows.ts'
import { readCatalogue } from '../../../src/catalogue/load.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import { memoryTables } from './memory-tables.ts'

const CONFIG = `
model_list:
  - {model_name: gpt-4o, litellm_params: {model: openai/gpt-4o}}
  - {model_name: claude, litellm_params: {model: anthropic/claude-sonnet-4-5}}
  - {model_name: both, litellm_params: {model: openai/gpt-4o}}
  - {model_name: both, litellm_params: {model: openai/gpt-4o-mini}}
litellm_settings: {cost_margin_config: {anthropic: 0.1}}
`
const PRICES = await Bun.file(new URL('prices.json', import.meta.url)).text()
const MICRO = 1e-6

async function bill(SpendLogs: readonly SourceRow[]) {
  await using source = await openLitellm({
    config: CONFIG,
    readIncluded: () => Promise.reject(new Error('no file')),
    env: {},
    prices: PRICES,
    tables: memoryTables({ SpendLogs }),
    now_ms: 0,
  })
  const move_in = await source.readMoveIn()
  const text = withBlocks(
    '',
    planCatalogue({}, move_in, [], (variable) => variable),
    'Imported',
  )
  const env = { OPENAI_API_KEY: 'x', ANTHROPIC_API_KEY: 'x' }
  const read = readCatalogue(text, { env, protocols: BUILT_IN_REGISTRY })
  if (!read.ok) throw new Error(JSON.stringify(read.mistakes))
  return await rateLines(source.readChargedLines(10_000), read.catalogue)
}

const line = (
  model_group: string,
  prompt_tokens: number,
  completion_tokens: number,
  spend: number,
  more: SourceRow = {},
) => ({
  startTime: '2026-11-01 10:00:00',
  model_group,
  model: model_group,
  prompt_tokens,
  completion_tokens,
  spend,
  ...more,
})

test('lines with LiteLLM’s own prices, cache and margin do not differ', async () => {
  const cached = (usage: object) => ({ metadata: { usage_object: usage } })
  const rows = await bill([
    line('gpt-4o', 1_000, 500, (1_000 * 2.5 + 500 * 10) * MICRO),
    line(
      'gpt-4o',
      1_000,
      500,
      (400 * 2.5 + 600 * 1.25 + 500 * 10) * MICRO,
      cached({ prompt_tokens_details: { cached_tokens: 600 } }),
    ),
    // 1.72.6 counts cache writes beside the prompt, 1.110.2 within it.
    line(
      'claude',
      1_000,
      100,
      (400 * 3 + 600 * 0.3 + 300 * 3.75 + 100 * 15) * 1.1 * MICRO,
      cached({ cache_read_input_tokens: 600, cache_creation_input_tokens: 300 }),
    ),
    line(
      'claude',
      1_300,
      100,
      (400 * 3 + 600 * 0.3 + 300 * 3.75 + 100 * 15) * 1.1 * MICRO,
      cached({ cache_read_input_tokens: 600, prompt_tokens_details: { cache_creation_tokens: 300 } }),
    ),
  ])
  expect(
    rows.map(({ model, count, difference_nanos, reasons }) => [model, count, difference_nanos, reasons]),
  ).toEqual([
    ['gpt-4o', 2, 0, []],
    ['claude', 2, 0, []],
  ])
})

test('lines of a cheaper deployment, and of a model that is not imported, have a reason', async () => {
  const rows = await bill([
    line('both', 1_000, 0, 1_000 * 0.15 * MICRO, { model: 'gpt-4o-mini' }),
    line('both', 1_000, 0, 1_000 * 2.5 * MICRO, { model: 'gpt-4o' }),
    line('gone', 1_000, 0, 0.5),
  ])
  expect(rows.map(({ model, difference_nanos, reasons }) => [model, difference_nanos, reasons])).toEqual([
    ['gone', -500_000_000, [expect.stringMatching(/no imported model/)]],
    ['both', 2_350_000, [expect.stringMatching(/served by gpt-4o-mini/)]],
  ])
})
