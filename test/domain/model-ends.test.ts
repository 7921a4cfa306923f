// The ends of models: the date of a model, the warnings before it and their texts, and how often the log repeats them.
import { describe, expect, test } from 'bun:test'
import { checkModels } from '../../plugins/doctor/checks/models.ts'
import { warnOfModelEnds } from '../../src/app/process/model-ends.ts'
import type { Model } from '../../src/domain/catalogue.ts'
import { endingsOf, endingText, shutdownDateOf } from '../../src/domain/model-ends.ts'
import { catalogueOf, mistakesOf } from '../catalogue/catalogues.ts'
import { PROVIDER, catalogueOf as testCatalogue } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { startTestGateway } from '../support/gateway.ts'
import { memoryLog } from '../support/memory-log.ts'
import { modelSection } from '../support/sections.ts'

const PROVIDERS = `
[[providers]]
name = "acme"
protocol = "openai"
base_url = "https://acme.example/v1"
api_keys = ["k"]
`
/** @param routes the date of each route, in the file's syntax */
const textOf = (model: string, routes: readonly (string | undefined)[]) => `${PROVIDERS}
[[models]]
id = "m"
kind = "text"
price = { input = 1, output = 1 }
${model}
routes = [${routes.map((date, at) => `{ provider = "acme", model = "up-${at}"${date ? `, shutdown_date = ${date}` : ''} }`)}]
`
const catalogueWith = (model: string, routes: readonly (string | undefined)[]) =>
  catalogueOf(
    textOf(
      model,
      routes.map((date) => date && `"${date}"`),
    ),
  )
const only = ({ models }: { models: ReadonlyMap<string, Model> }): Model => {
  const [model] = models.values()
  if (!model) throw new Error('the catalogue has no model')
  return model
}

test.each<[model: string, routes: (string | undefined)[], date: string | undefined]>([
  ['', [undefined], undefined],
  ['shutdown_date = "2027-03-31"', [undefined], '2027-03-31'],
  ['shutdown_date = "2027-03-31"', ['2026-12-01'], '2027-03-31'],
  ['', ['2026-12-01'], '2026-12-01'],
  ['', ['2026-12-01', '2027-01-15'], '2027-01-15'],
  ['', ['2026-12-01', undefined], undefined],
])('a model with %s and routes that end %p ends %s', (model, routes, date) => {
  expect(shutdownDateOf(only(catalogueWith(model, routes)))).toBe(date)
})

const END = Date.parse('2027-03-31T00:00:00Z')
const DAY_MS = 86_400_000

describe('warnings', () => {
  test.each<[days: number, words: string | undefined]>([
    [31, undefined],
    [30.1, undefined],
    [30, 'm ends on 2027-03-31, in 30 days'],
    [1, 'm ends on 2027-03-31, in 1 day'],
    [0, 'm ends on 2027-03-31, today'],
    [-0.9, 'm ends on 2027-03-31, today'],
    [-1, 'm ended on 2027-03-31'],
    [-400, 'm ended on 2027-03-31'],
  ])('%d days before its day: %s', (days, words) => {
    const { models } = catalogueWith('shutdown_date = "2027-03-31"', [undefined])
    expect(endingsOf(models.values(), END - days * DAY_MS).map(endingText)).toEqual(words ? [words] : [])
  })

  test.each<[about: string, model: string, routes: (string | undefined)[], words: string[]]>([
    ['a retired model', 'retired = true\nshutdown_date = "2027-03-31"', ['2027-03-31'], []],
    [
      'one route of two',
      '',
      ['2027-03-31', undefined],
      ['m: its route acme:up-0 ends on 2027-03-31, in 3 days'],
    ],
    ['all routes: once, as the model', '', ['2027-03-31', '2027-03-30'], ['m ends on 2027-03-31, in 3 days']],
    [
      'a route that ends before its model',
      'shutdown_date = "2028-01-01"',
      ['2027-03-31'],
      ['m: its route acme:up-0 ends on 2027-03-31, in 3 days'],
    ],
  ])('%s', (_, model, routes, words) => {
    const catalogue = catalogueWith(model, routes)
    expect(endingsOf(catalogue.models.values(), END - 3 * DAY_MS).map(endingText)).toEqual(words)
    const found = checkModels({ catalogue, now: () => END - 3 * DAY_MS })
    expect(found.map(({ level }) => level)).toEqual(words.length > 0 ? words.map(() => 'warn') : ['ok'])
  })
})

test.each<[where: string, line: string]>([
  ['a model', 'shutdown_date'],
  ['a route', 'routes[0].shutdown_date'],
])('an invalid date is refused in the file: of %s', (where, path) => {
  const refused = (date: string) =>
    mistakesOf(
      textOf(where === 'a model' ? `shutdown_date = ${date}` : '', [where === 'a model' ? undefined : date]),
    )
  for (const date of ['"2027-02-30"', '"2026-02-29"', '"2027-04-31"'])
    expect(refused(date)).toEqual([
      expect.stringContaining(`.${path}: must be a day that exists, such as "2026-03-31"`),
    ])
  for (const date of [
    '"2027-13-01"',
    '"2027-3-31"',
    '"31.03.2027"',
    '"2027-03-31T00:00:00Z"',
    '"soon"',
    '""',
    '20270331',
    'true',
  ])
    expect(refused(date)).toEqual([
      expect.stringContaining(`.${path}: must be a date in quotes, such as "2026-03-31"`),
    ])
  expect(refused('"2028-02-29"')).toEqual([])
})

test('the log warns at the start, and again until no model ends', async () => {
  const { log, lines } = memoryLog()
  let catalogue = catalogueWith('shutdown_date = "2027-03-31"', [undefined])
  let reads = 0
  const readCatalogue = () => {
    reads++
    return catalogue
  }
  const stop = warnOfModelEnds({ catalogue: readCatalogue, log, now: () => END }, 1)
  expect(lines()).toMatchObject([{ level: 'warn', models: ['m ends on 2027-03-31, today'] }])
  await eventually('the warning is repeated', () => lines().length >= 2)
  catalogue = catalogueWith('retired = true', [undefined])
  const [warned, reads_before] = [lines().length, reads]
  await eventually('the catalogue was read twice more', () => reads >= reads_before + 2)
  expect(lines()).toHaveLength(warned)
  stop()
})

test('a gateway warns once a day, however often its catalogue is reloaded', async () => {
  const now = () => Date.parse('2027-03-01T12:00:00Z')
  const dated = (date: string) =>
    testCatalogue({
      upstream_url: 'simulator',
      more: modelSection('ending', { [PROVIDER]: 'm' }, { more: `shutdown_date = "${date}"` }),
    })
  await using gateway = await startTestGateway({ catalogue: dated('2027-03-31'), now })
  const warnings = () => gateway.log.lines().filter(({ models }) => Array.isArray(models))
  expect(warnings()).toMatchObject([{ level: 'warn', models: ['ending ends on 2027-03-31, in 30 days'] }])
  for (const date of ['2027-03-30', '2027-03-29', '2027-03-02']) await gateway.recatalogue(dated(date))
  expect(warnings()).toHaveLength(1)
})
