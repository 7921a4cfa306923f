// Groups of new-api and one-api as price groups: factors of the imported prices, names that a catalogue accepts, and groups that are left out.
import { describe, expect, test } from 'bun:test'
import { fraction } from '../../plugins/import/new-api/fraction.ts'
import { SourceGroups } from '../../plugins/import/new-api/groups.ts'
import type { Settings } from '../../plugins/import/new-api/options.ts'
import { planCatalogue, withBlocks } from '../../plugins/import/plan/catalogue.ts'
import { PriceGroupSchema } from '../../src/catalogue/price-groups.ts'
import { fits } from '../../src/domain/validation.ts'
import { fakeSource, incomingAccount, incomingModel, incomingProvider } from './fake-source.ts'
import { ENGINES, importFolder } from './folder.ts'
import { importFrom } from './scene.ts'

const groupsOf = (ratios: Record<string, string>) =>
  new SourceGroups({
    group_ratio: new Map(Object.entries(ratios).map(([name, ratio]) => [name, fraction(ratio)])),
  } as unknown as Settings)

describe('a group', () => {
  test.each<[string, Record<string, string>, string, object | undefined]>([
    ['becomes a factor', { default: '1', vip: '0.8' }, 'vip', { name: 'vip', factor: '0.80' }],
    [
      'is divided by the ratio of the imported prices',
      { default: '2', vip: '1' },
      'vip',
      { name: 'vip', factor: '0.50' },
    ],
    [
      'is rounded up if it is not a decimal',
      { default: '3', vip: '1' },
      'vip',
      { name: 'vip', factor: '0.333333334' },
    ],
    ['may be free', { vip: '0' }, 'vip', { name: 'vip', factor: '0.00' }],
    ['has a ratio of 1 without a row', { default: '2' }, 'other', { name: 'other', factor: '0.50' }],
    ['may be in any letters', { 默认: '2' }, '默认', { name: '默认', factor: '2.00' }],
    ['loses signs that no name has', { '"a"/b': '2' }, '"a"/b', { name: 'a-b', factor: '2.00' }],
    ['gets a name if none is left', { '///': '2' }, '///', { name: 'group', factor: '2.00' }],
    ['is left out if its ratio is the same', { default: '1', svip: '1.0' }, 'svip', undefined],
    ['is left out over prices of 0', { default: '0', vip: '1' }, 'vip', undefined],
    ['is left out above the maximum of a factor', { vip: '101' }, 'vip', undefined],
  ])('%s', (_, ratios, group, expected) => {
    const groups = groupsOf(ratios)
    groups.add(group, 'users')
    expect(groups.nameOf(group)).toBe(expected && Reflect.get(expected, 'name'))
    expect(groups.all).toEqual(expected ? [expected as never] : [])
    for (const each of groups.all) expect(fits(PriceGroupSchema, each)).toBe(true)
  })
  test('gets a number if another one has its name', () => {
    const groups = groupsOf({ 'a/b': '2', 'a:b': '3' })
    expect(['a/b', 'a:b', 'a/b'].map((name) => groups.nameOf(name))).toEqual(['a-b', 'a-b-2', 'a-b'])
  })
})

test('keys in another group than their user are reported, since they pay the prices of their account', () => {
  const groups = groupsOf({ vip: '0.8' })
  groups.nameOf('vip')
  groups.add('vip', 'users')
  expect(groups.leftOut()).toEqual([])
  groups.add('vip', 'keys')
  expect(groups.leftOut()).toEqual([
    expect.objectContaining({
      kind: 'group prices',
      row: 'group "vip"',
      reason: expect.stringContaining('keys (1)'),
    }),
  ])
})

test('a group whose name the catalogue has stays unchanged there', () => {
  const move_in = {
    providers: [],
    models: [],
    price_groups: [
      { name: 'vip', factor: '0.80' },
      { name: 'new', factor: '2.00' },
    ],
  }
  const plan = planCatalogue({ price_groups: [{ name: 'vip', factor: 0.5 }] }, move_in, [], (name) => name)
  expect(plan.price_groups).toEqual([{ name: 'new', factor: '2.00' }])
  expect(Bun.TOML.parse(withBlocks('', plan, 'Imported'))).toEqual({
    price_groups: [{ name: 'new', factor: '2.00' }],
  })
})

describe.each(ENGINES)('on %s', (engine) => {
  test('accounts and the catalogue get the groups, and a later import changes neither', async () => {
    await using folder = await importFolder(engine)
    const source = {
      accounts: [incomingAccount('anna', { price_group: 'vip' }), incomingAccount('bert')],
      providers: [incomingProvider('main', 'http://127.0.0.1:9/v1')],
      models: [incomingModel('gpt-4o', 'main')],
      price_groups: [{ name: 'vip', factor: '0.80' }],
    }
    const groups = async () =>
      (await folder.rows<{ price_group: string | null }>('SELECT price_group FROM accounts ORDER BY id')).map(
        ({ price_group }) => price_group,
      )
    for (let nth = 0; nth < 2; nth += 1) {
      const ran = await importFrom({ dir: folder.dir, source: fakeSource(source) })
      expect([ran.err, ran.status]).toEqual(['', 0])
      expect(await groups()).toEqual(['vip', null])
    }
  })
})
