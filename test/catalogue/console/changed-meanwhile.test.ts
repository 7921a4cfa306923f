// Saves in the console over a value that changed since it was read: 409 with both values; the other person's value stays.
import { describe, expect, test } from 'bun:test'
import { signedIn } from '../../support/console-session.ts'
import { fileScene } from '../../support/scene.ts'

const { gateway } = await fileScene()
const [anna, berta] = [await signedIn(gateway, 'operator'), await signedIn(gateway, 'operator')]
await gateway.account('alice', { balance_usd: '10' })
const holder = await signedIn(gateway, { account: 'alice' })

const KEY = {
  models: ['sim-*'],
  addresses: null,
  spend_limit: '5.00',
  daily_limit: null,
  monthly_limit: '3.50',
  concurrent_calls: 4,
  expires: '2031-05-01T12:30:00.000Z',
}
let made = 0
const nextName = () => {
  made += 1
  return `shared-${made}`
}
async function newKey() {
  const name = nextName()
  const { key } = await anna.json('POST', '/keys', { account: 'alice', name, ...KEY })
  return { path: `/keys/${key.id}`, read: { name, ...KEY } }
}

async function newAccount() {
  const details = { display_name: 'Ann', email: 'ann@b.org', note: 'old', keys_see_account: false }
  const name = nextName()
  const { id } = await anna.json('POST', '/accounts', { name, ...details })
  return { path: `/accounts/${id}`, read: { name, ...details } }
}

const NEW_OF_KEY = {
  name: ['berta-1', 'anna-1'],
  models: [null, ['sim-flash']],
  addresses: [['10.0.0.0/8'], ['127.0.0.1']],
  spend_limit: ['6.00', '7.25'],
  daily_limit: ['5.00', '2'],
  monthly_limit: [null, '8'],
  concurrent_calls: [null, 2],
  expires: [null, '2032-01-01T00:00:00.000Z'],
}
const NEW_OF_ACCOUNT = {
  name: ['berta-2', 'anna-2'],
  display_name: ['Berta', 'Anna'],
  email: ['', 'anna@b.org'],
  note: ['of Berta', 'of Anna'],
  keys_see_account: [true, undefined],
}
type Maker = typeof newKey | typeof newAccount
const CASES: [field: string, maker: Maker, theirs: unknown, mine: unknown][] = [
  ...Object.entries(NEW_OF_KEY).map(([field, [theirs, mine]]): (typeof CASES)[number] => [
    `key ${field}`,
    newKey,
    theirs,
    mine,
  ]),
  ...Object.entries(NEW_OF_ACCOUNT)
    .filter(([, [, mine]]) => mine !== undefined)
    .map(([field, [theirs, mine]]): (typeof CASES)[number] => [`account ${field}`, newAccount, theirs, mine]),
]

describe('two operators change a key or an account at once', () => {
  test.each(CASES)(
    '%s: the second save is refused with both values, and can be repeated',
    async (name, make, theirs, mine) => {
      const { path, read } = await make()
      const field = name.split(' ')[1] ?? ''
      const was = { [field]: Reflect.get(read, field) }
      await berta.json('PATCH', path, { [field]: theirs, was })
      const before = await anna.json('GET', path)
      const refused = await anna.send('PATCH', path, { body: { [field]: mine, was } })
      const { error } = (await refused.json()) as { error: { changed: unknown } }
      expect({ status: refused.status, ...error }).toMatchObject({
        status: 409,
        type: 'conflict',
        code: 'changed_meanwhile',
        param: field,
      })
      expect(error.changed).toEqual([{ field, was: was[field], is: theirs }])
      expect(await anna.json('GET', path)).toEqual(before)
      await anna.json('PATCH', path, { [field]: mine, was: { [field]: theirs } })
      expect(gateway.log.text()).not.toContain('ann@b.org')
    },
  )

  test('changes of different fields both hold', async () => {
    const { path, read } = await newKey()
    await berta.json('PATCH', path, { daily_limit: '5', was: { daily_limit: null } })
    const changed = await anna.json('PATCH', path, { name: 'renamed', was: { name: read.name } })
    expect(changed).toMatchObject({ name: 'renamed', daily_limit_usd: '5.00' })
  })

  test('changes to the same value do not conflict, nor do other digits of it', async () => {
    const { path } = await newKey()
    await berta.json('PATCH', path, { daily_limit: '5', was: { daily_limit: null } })
    expect(
      await anna.json('PATCH', path, { daily_limit: '5.000', was: { daily_limit: null } }),
    ).toMatchObject({
      daily_limit_usd: '5.00',
    })
    expect(await anna.json('PATCH', path, { daily_limit: '6', was: { daily_limit: '5.0' } })).toMatchObject({
      daily_limit_usd: '6.00',
    })
  })

  test('a conflict in one of several fields refuses the whole save', async () => {
    const { path, read } = await newKey()
    await berta.json('PATCH', path, { daily_limit: '5' })
    const body = { name: 'half', daily_limit: '2', was: { name: read.name, daily_limit: null } }
    expect((await anna.send('PATCH', path, { body })).status).toBe(409)
    expect(await anna.json('GET', path)).toMatchObject({ name: read.name, daily_limit_usd: '5.00' })
  })

  test('the account holder and the operator conflict, too', async () => {
    const { path } = await newKey()
    await anna.json('PATCH', path, { daily_limit: '5' })
    const body = { daily_limit: '50', was: { daily_limit: null } }
    expect((await holder.send('PATCH', path, { body })).status).toBe(409)
    expect(await anna.json('GET', path)).toMatchObject({ daily_limit_usd: '5.00' })
  })

  test('of two saves sent together, one is refused', async () => {
    const { path } = await newKey()
    const save = (client: typeof anna, daily_limit: string) =>
      client.send('PATCH', path, { body: { daily_limit, was: { daily_limit: null } } })
    const statuses = (await Promise.all([save(anna, '1'), save(berta, '2')])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409])
  })

  test('a save without the values read overwrites', async () => {
    const { path } = await newKey()
    await berta.json('PATCH', path, { daily_limit: '5' })
    expect(await anna.json('PATCH', path, { daily_limit: '2' })).toMatchObject({ daily_limit_usd: '2.00' })
  })

  test.each([
    [newKey, { was: { id: 1 } }],
    [newKey, { was: { was: {} } }],
    [newKey, { was: { daily_limit: 'much' } }],
    [newKey, { was: { expires: 'soon' } }],
    [newKey, { was: null }],
    [newAccount, { was: { status: 'active' } }],
    [newAccount, { was: { keys_see_account: 'no' } }],
  ] as [Maker, object][])('an invalid value in "was" is 400: %#', async (make, was) => {
    const { path } = await make()
    expect((await anna.send('PATCH', path, { body: { name: 'never', ...was } })).status).toBe(400)
  })
})
