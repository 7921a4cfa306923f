// [[plans.offered]]: values with their defaults, and refusals.
import { expect, test } from 'bun:test'
import { planSettings } from '../../plugins/plans/settings.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { readCatalogue } from '../../src/catalogue/load.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import '../support/plugin-sections.ts'

const read = (lines: string) =>
  readCatalogue(`${FIRST_CATALOGUE}\n[[plans.offered]]\n${lines}`, { env: {}, protocols: BUILT_IN_REGISTRY })
const GOOD = 'name = "pro"\nprice_usd = "19.90"\nmodels = ["sim-*"]\nusd_per_day = 5'

test('a plan is read with its defaults', () => {
  const reading = read(GOOD)
  expect(reading.ok && planSettings.of(reading.catalogue)).toEqual([
    {
      name: 'pro',
      title: 'pro',
      description: '',
      price_nanos: 19_900_000_000,
      models: ['sim-*'],
      limits: { day: 5_000_000_000 },
      concurrent_calls: null,
      overflow: true,
    },
  ])
})

test.each([
  ['no limit', GOOD.replace('usd_per_day = 5', ''), 'limits nothing'],
  ['a name twice', `${GOOD}\n[[plans.offered]]\n${GOOD}`, 'is the name of another plan, too'],
  ['an invalid price', GOOD.replace('"19.90"', '"a lot"'), 'must be an amount in USD'],
  ['a negative price', GOOD.replace('"19.90"', '-1'), 'must be'],
  ['a negative price as text', GOOD.replace('19.90', '-1'), 'must be between 0 and'],
  ['a negative limit as text', GOOD.replace('= 5', '= "-5"'), 'must be between 0 and'],
  ['an invalid limit', GOOD.replace('= 5', '= "x"'), 'must be an amount in USD'],
  ['no models', GOOD.replace('["sim-*"]', '[]'), 'models'],
  ['a name with spaces', GOOD.replace('"pro"', '"my plan"'), 'must be a name'],
  ['an unknown field', `${GOOD}\nusd_per_year = 5`, 'usd_per_year'],
  ['no call at once', `${GOOD}\nconcurrent_calls = 0`, 'concurrent_calls'],
])('%s is refused', (_, lines, sentence) => {
  const reading = read(lines)
  expect(
    reading.ok ? '' : reading.mistakes.map(({ path, message }) => `${path} ${message}`).join('\n'),
  ).toContain(sentence)
})

test('a pattern that matches no model is a warning', () => {
  const reading = read(GOOD.replace('sim-*', 'gone-*'))
  expect(reading.ok && reading.warnings.map(({ message }) => message)).toContain(
    'no model is called, or matches, "gone-*"',
  )
})
