// Commands on price groups: an account is created in one, moved and shown; prices by group; and the doctor's check.
import { beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { sceneOfEachTest } from '../app/commands/scene.ts'

const scene = sceneOfEachTest()
const GROUPS =
  '\n[[price_groups]]\nname = "resellers"\nfactor = 0.8\n[[price_groups]]\nname = "own team"\nfactor = 0\n'

beforeEach(() => appendFileSync(scene.path('tollgate.toml'), GROUPS))

const withoutGroups = () => {
  const path = scene.path('tollgate.toml')
  writeFileSync(path, readFileSync(path, 'utf8').replace(GROUPS, ''))
}

describe('an account', () => {
  test('is created in a group, and shown in it', async () => {
    expect(await scene.json('account', 'create', 'anna', '--group', 'resellers')).toMatchObject({
      price_group: 'resellers',
    })
    expect((await scene.run('account', 'show', 'anna')).out).toMatch(/^price group +resellers$/m)
    expect(await scene.json('account', 'show', 'anna')).toMatchObject({ price_group: 'resellers' })
  })
  test('is created without one, and does not show one', async () => {
    expect(await scene.json('account', 'create', 'anna')).toMatchObject({ price_group: null })
    expect((await scene.run('account', 'show', 'anna')).out).not.toContain('price group')
  })
  test('is moved into a group, and out of it, beside its other details', async () => {
    await scene.run('account', 'create', 'anna')
    const moved = await scene.json('account', 'change', 'anna', '--group', 'own team', '--note', 'staff')
    expect(moved).toMatchObject({ price_group: 'own team', note: 'staff' })
    expect(await scene.json('account', 'change', 'anna', '--group', 'none')).toMatchObject({
      price_group: null,
      note: 'staff',
    })
    const { actions } = await scene.json('audit-log')
    const moves = actions.filter(({ action }: { action: string }) => action === 'account.price_group_changed')
    expect(moves.map(({ before, after }: Record<string, unknown>) => [before, after])).toEqual([
      [{ price_group: 'own team' }, { price_group: null }],
      [{ price_group: null }, { price_group: 'own team' }],
    ])
  })
  test.each([
    ['create', ['account', 'create', 'bert', '--group', 'vip']],
    ['change', ['account', 'change', 'anna', '--group', 'vip']],
    ['change, in another case', ['account', 'change', 'anna', '--group', 'Resellers']],
  ])('is refused a group that the catalogue does not have: %s', async (_, command) => {
    await scene.run('account', 'create', 'anna')
    expect(await scene.refusal(...command)).toContain('Its price groups: resellers, own team.')
    expect((await scene.json('account', 'list')).accounts).toMatchObject([
      { name: 'anna', price_group: null },
    ])
  })
  test('is refused with a note if the catalogue has no groups', async () => {
    withoutGroups()
    expect(await scene.refusal('account', 'create', 'anna', '--group', 'vip')).toContain(
      'which has no price groups',
    )
  })
  test('is not changed without any field', async () => {
    await scene.run('account', 'create', 'anna')
    expect(await scene.refusal('account', 'change', 'anna')).toContain('--group')
  })
})

describe('prices list --group', () => {
  const inputOf = async (...more: string[]) => {
    const { models } = await scene.json('prices', 'list', ...more)
    const [{ routes }] = models
    return routes[0].rates.find(({ rate }: { rate: string }) => rate === 'input').price_nanos
  }
  test('has the prices of the group', async () => {
    const list = await inputOf()
    expect(list).toBeGreaterThan(0)
    expect(await inputOf('--group', 'resellers')).toBe((list * 8) / 10)
    expect(await inputOf('--group', 'own team')).toBe(0)
  })
  test('refuses another group', async () => {
    expect(await scene.refusal('prices', 'list', '--group', 'vip')).toContain(
      'Its price groups: resellers, own team.',
    )
  })
})

describe('the doctor', () => {
  const findings = async () => {
    const { out } = await scene.run('doctor', '--only', 'price groups', '--json')
    const { findings } = JSON.parse(out)
    return findings.filter(({ check }: { check: string }) => check === 'price groups')
  }
  test('finds no fault with accounts in groups of the catalogue', async () => {
    await scene.run('account', 'create', 'anna', '--group', 'resellers')
    expect(await findings()).toEqual([
      { check: 'price groups', level: 'ok', found: '2 price groups, with 1 account in them', advice: null },
    ])
  })
  test('warns of accounts whose group is missing, except closed ones', async () => {
    for (const [name, group] of [
      ['anna', 'resellers'],
      ['bert', 'resellers'],
      ['cleo', 'own team'],
      ['dora', 'own team'],
    ] as const)
      await scene.run('account', 'create', name, '--group', group)
    await scene.run('account', 'close', 'dora', '--yes')
    withoutGroups()
    const found = await findings()
    expect(found.map(({ level, found }: Record<string, unknown>) => [level, found])).toEqual([
      [
        'warn',
        '1 account is in the price group "own team", which is not in the catalogue: it pays list prices',
      ],
      [
        'warn',
        '2 accounts are in the price group "resellers", which is not in the catalogue: they pay list prices',
      ],
    ])
    expect((await scene.run('account', 'show', 'anna')).out).toContain(
      'resellers, not in the catalogue: it pays list prices',
    )
  })
})
