// `account team`: commands list, invite, limit and remove people, and change their roles; and refusals.
import { beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import type { Db } from '../../src/store/db.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import type { MembershipRow } from '../../src/store/schema.ts'
import { sceneOfEachTest } from '../app/commands/scene.ts'
import { newPerson } from '../support/people.ts'

const scene = sceneOfEachTest()
const team = (...args: string[]) => ['account', 'team', ...args]
const LINK = /^http:\/\/127\.0\.0\.1:8080\/console\/join#[\w-]{32}$/

async function onDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDb(scene.path('tollgate.db'))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
const member = (name: string, role: MembershipRow['role'], account_id = 1) =>
  onDatabase((db) => newPerson(db, { account_id, role }, { name, email: `${name}@example.com` }))
const keyOf = async (person_id: number, name: string) =>
  (await scene.json('key', 'create', 'alice', '--name', name, '--person', String(person_id))).id
const people = async () => (await scene.json(...team('list', 'alice'))).people
const actions = async (): Promise<string[]> =>
  (await scene.json('audit-log', 'alice')).actions.map((row: { action: string }) => row.action)

let ann = 0
let max = 0
beforeEach(async () => {
  await scene.run('account', 'create', 'alice')
  ann = await member('ann', 'owner')
  max = await member('max', 'member')
})

describe('an invitation', () => {
  test('is a link without a mail server; it is listed and revoked', async () => {
    const { out, err } = await scene.run(...team('invite', 'alice', 'Zoe@Example.com', '--role', 'billing'))
    expect([LINK.test(out.trim()), err]).toEqual([true, ''])
    const [{ id, ...row }] = (await scene.json(...team('invitations', 'alice'))).invitations
    expect(row).toMatchObject({ email: 'zoe@example.com', role: 'billing', is_mailed: false })
    await scene.run(...team('revoke', 'alice', String(id)))
    expect((await scene.json(...team('invitations', 'alice'))).invitations).toEqual([])
    expect(await actions()).toEqual(expect.arrayContaining(['member.invited', 'invitation.revoked']))
    expect(await scene.refusal(...team('revoke', 'alice', String(id)))).toContain('Invitation not found')
  })

  test('is queued with a mail server, and its link is printed only with --link', async () => {
    const mail = '[mail]\nsmtp = "smtp://127.0.0.1:1"\nfrom = "noreply@example.com"\n'
    writeFileSync(
      scene.path('tollgate.toml'),
      `${FIRST_CATALOGUE.replace('[server]', '[server]\npublic_url = "http://127.0.0.1:8080"')}\n${mail}`,
    )
    const invite = team('invite', 'alice', 'zoe@example.com', '--role', 'owner')
    const queued = await scene.run(...invite)
    expect([queued.status, queued.err]).toEqual([0, ''])
    expect(queued.out).toContain('Invitation queued to zoe@example.com')
    expect(queued.out).not.toContain('join#')
    expect((await scene.json(...invite, '--link')).url).toMatch(LINK)
    expect((await scene.json(...team('invitations', 'alice'))).invitations).toHaveLength(1)
  })

  test.each([
    ['an unknown account', ['nobody', 'zoe@example.com', '--role', 'member'], 'nobody'],
    ['an invalid address', ['alice', 'zoe', '--role', 'member'], 'email'],
    ['an unknown role', ['alice', 'zoe@example.com', '--role', 'operator'], 'owner, member, billing'],
    ['a person in the account', ['alice', 'max@example.com', '--role', 'owner'], 'in the account already'],
  ])('is refused for %s', async (_, args, words) => {
    const { status, err } = await scene.run(...team('invite', ...args))
    expect([status === 0, err]).toEqual([false, expect.stringContaining(words)])
  })
})

describe('a role', () => {
  test('is changed by the address or the number of a person', async () => {
    await scene.run(...team('change', 'alice', 'Max@example.com', '--role', 'owner'))
    expect(await scene.json(...team('change', 'alice', String(ann), '--role', 'member'))).toEqual({
      ...{ account: 'alice', person_id: ann, name: 'ann', role: 'member' },
    })
    expect(await people()).toMatchObject([
      { person_id: max, role: 'owner' },
      { person_id: ann, role: 'member' },
    ])
  })

  test('of the last owner is kept, unless --without-owner is set', async () => {
    const change = team('change', 'alice', 'ann@example.com', '--role', 'member')
    expect(await scene.refusal(...change)).toContain('last owner')
    expect((await scene.run(...change, '--without-owner')).status).toBe(0)
  })

  test.each([
    ['an address outside the account', 'eve@example.com', 'tollgate account team list alice'],
    ['a number outside the account', '999', 'not found in this account'],
  ])('is refused for %s', async (_, who, words) => {
    expect(await scene.refusal(...team('change', 'alice', who, '--role', 'owner'))).toContain(words)
  })
})

describe('a new key', () => {
  test.each([
    ['an address, in any case', () => 'Max@example.com', () => max],
    ['a number', () => String(ann), () => ann],
  ])('belongs to a person by %s', async (_, who, person_id) => {
    const made = await scene.json('key', 'create', 'alice', '--person', who())
    expect(made).toMatchObject({ account: 'alice', person: person_id() === max ? 'max' : 'ann' })
    const { keys } = await scene.json('key', 'list', 'alice')
    expect(keys).toMatchObject([{ id: made.id, person: made.person }])
    expect(await scene.json('key', 'rotate', String(made.id))).toMatchObject({ person: made.person })
  })

  test('belongs to the account without --person', async () => {
    expect(await scene.json('key', 'create', 'alice')).toMatchObject({ person: null })
  })

  test.each([
    ['an unknown address', 'nobody@example.com', 'tollgate account team list alice'],
    ['an unknown number', '999', 'owner or a member'],
    ['a person in billing', 'bill@example.com', 'owner or a member'],
    ['a disabled person', 'dora@example.com', 'owner or a member'],
    ['a member of another account', 'eve@example.com', 'tollgate account team list alice'],
    ['the number of a member of another account', '5', 'owner or a member'],
    ['a name', 'max', 'tollgate account team list alice'],
    ['an empty text', '', 'tollgate account team list alice'],
  ])('is refused for %s, and not created', async (_, who, words) => {
    await scene.run('account', 'create', 'bob')
    await member('bill', 'billing')
    const dora = await member('dora', 'member')
    expect(await member('eve', 'member', 2)).toBe(5)
    await onDatabase((db) =>
      db.write((db) => db.rows(`UPDATE people SET disabled_at_ms = 1 WHERE id = ${dora}`)),
    )
    expect(await scene.refusal('key', 'create', 'alice', '--person', who)).toContain(words)
    expect((await scene.json('key', 'list')).keys).toEqual([])
  })
})

describe('removal', () => {
  test('needs --keys-to or --revoke-keys if the person has keys', async () => {
    await keyOf(max, 'laptop')
    const remove = team('remove', 'alice', 'max@example.com')
    expect(await scene.refusal(...remove)).toContain('1 API key that works')
    expect(await scene.refusal(...remove, '--revoke-keys', '--keys-to', String(ann))).toContain('not both')
    expect(await scene.refusal(...remove, '--keys-to', 'max@example.com')).toContain('another person')
    expect(await people()).toHaveLength(2)
    await scene.run(...remove, '--keys-to', 'ann@example.com')
    expect(await people()).toMatchObject([{ person_id: ann, keys: 1 }])
    const zoe = await member('zoe', 'member')
    await keyOf(zoe, 'desk')
    await scene.run(...team('remove', 'alice', String(zoe), '--revoke-keys'))
    const { keys } = await scene.json('key', 'list', 'alice')
    expect(keys.map(({ name, status }: { name: string; status: string }) => [name, status]).sort()).toEqual([
      ['desk', 'revoked'],
      ['laptop', 'active'],
    ])
  })

  test('of a person outside the account, or of the last owner, is refused', async () => {
    await scene.run('account', 'create', 'bob')
    const eve = await member('eve', 'member', 2)
    expect(await scene.refusal(...team('remove', 'alice', String(eve)))).toContain('not found')
    expect(await scene.refusal(...team('remove', 'alice', 'ann@example.com'))).toContain('last owner')
  })
})

describe('a spend limit', () => {
  test('is set and removed; other limits are kept', async () => {
    const limit = team('limit', 'alice', 'max@example.com')
    await scene.run(...limit, '--limit-day', '2', '--limit-month', '9')
    expect(await scene.json(...limit, '--limit-day', 'none')).toMatchObject({
      spend_limits: [{ period: 'month', limit_usd: '9.00', left_usd: '9.00', state: 'ok' }],
    })
    expect(
      (await people()).map(({ spend_limits }: { spend_limits: object[] }) => spend_limits.length),
    ).toEqual([1, 0])
    expect(await actions()).toContain('member.limited')
  })

  test.each([
    ['missing options', [], 'Nothing to change'],
    ['an amount below 0', ['--limit-day', '-1'], 'limit-day'],
    ['an invalid amount', ['--limit-week', 'much'], 'limit-week'],
  ])('is refused for %s', async (_, args, words) => {
    const { status, err } = await scene.run(...team('limit', 'alice', 'max@example.com', ...args))
    expect([status === 0, err]).toEqual([false, expect.stringContaining(words)])
  })
})

test('the list of an account without people says how to invite the first', async () => {
  await scene.run('account', 'create', 'empty')
  expect((await scene.run(...team('list', 'empty'))).out).toContain('tollgate account invite NAME')
})
