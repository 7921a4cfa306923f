// `account rename` and `account close`: the changes, the kept data, and the refusals.
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { closeAccount } from '../../src/access/closing.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { createFileStore } from '../../src/media/store.ts'
import { createWriter } from '../../src/money/ledger/writer.ts'
import { createKeptResponses, RESPONSES_FOLDER } from '../../src/responses/store.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { sceneOfEachTest } from '../app/commands/scene.ts'
import { answerTo, LARGE } from '../kept-responses/support.ts'
import { hold, post } from '../money/ledger/world.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../support/native.ts'
import { scene as gatewayScene } from '../support/scene.ts'
import { whole } from '../support/upstream.ts'

const scene = sceneOfEachTest(async (scene) => {
  for (const name of ['anna', 'bert']) await scene.run('account', 'create', name)
  await scene.run('credit', 'anna', '5', '--note', 'invoice 17')
  for (const name of ['desk', 'phone']) await scene.run('key', 'create', 'anna', '--name', name)
  const db = openDatabase(scene.path('tollgate.db'))
  const writer = createWriter(db)
  writer.commit([hold(9_000)])
  writer.commit([post(1, 2_000)])
  db.close()
})

const BALANCE_NANOS = 5_000_000_000 - 2_000
const statuses = async () =>
  (await scene.json('account', 'show', 'anna')).keys.map(({ status }: { status: string }) => status)

describe('rename', () => {
  test('keeps the account: its number, money, keys, calls and entries', async () => {
    const before = await scene.json('account', 'show', 'anna')
    expect(await scene.json('account', 'rename', 'anna', 'annette')).toMatchObject({ id: 1, name: 'annette' })
    const after = await scene.json('account', 'show', 'annette')
    const keys = before.keys.map((key: object) => ({ ...key, account: 'annette' }))
    expect(after).toEqual({ ...before, name: 'annette', keys })
    expect((await scene.json('usage', '--account', 'annette', '--since', '1970-01-01')).calls).toHaveLength(1)
    expect((await scene.json('entries', 'annette')).entries).toHaveLength(2)
    expect((await scene.run('account', 'show', 'anna')).status).toBe(1)
    expect(await scene.json('audit')).toMatchObject({ clean: true })
  })

  test('frees the old name', async () => {
    await scene.run('account', 'rename', 'anna', 'annette')
    expect((await scene.run('account', 'create', 'anna')).status).toBe(0)
  })

  test('warns about limits in the catalogue under the old name', async () => {
    const limits = '\n[limits.accounts.anna]\nconcurrent_calls = 2\n'
    writeFileSync(scene.path('tollgate.toml'), `${FIRST_CATALOGUE}${limits}`)
    expect((await scene.run('account', 'rename', 'anna', 'annette')).err).toContain('[limits.accounts.anna]')
    expect((await scene.run('account', 'rename', 'bert', 'bertram')).err).toBe('')
  })

  test.each<[line: string, words: string]>([
    ['account rename nobody somebody', 'Account "nobody" not found'],
    ['account rename anna bert', 'Account "bert" already exists'],
    ['account rename anna anna', 'Account "anna" already exists'],
    ['account rename anna -x', 'unknown option'],
    ['account rename anna a/b', '"a/b" is not a valid name'],
  ])('`%s` is refused, and nothing changes', async (line, words) => {
    const { status, err } = await scene.run(...line.split(' '))
    expect([status > 0, err]).toEqual([true, expect.stringContaining(words)])
    expect((await scene.json('account', 'list')).accounts).toMatchObject([{ name: 'anna' }, { name: 'bert' }])
  })
})

describe('close', () => {
  test('revokes all keys, and keeps the money and the books', async () => {
    expect(await scene.json('account', 'close', 'anna', '--yes')).toMatchObject({
      name: 'anna',
      status: 'closed',
      balance_nanos: BALANCE_NANOS,
      revoked_keys: 2,
    })
    expect(await statuses()).toEqual(['revoked', 'revoked'])
    expect((await scene.json('entries', 'anna')).entries).toMatchObject([
      { note: 'invoice 17' },
      { kind: 'charge', amount_nanos: -2_000 },
    ])
    expect(await scene.json('audit')).toMatchObject({ clean: true })
  })

  test('deletes the account’s stored responses, rows and files, and keeps those of others', async () => {
    const files = createFileStore(scene.path(RESPONSES_FOLDER))
    const db = openDb(scene.path('tollgate.db'))
    const settings = { store: true, days: 30, max_mb: 9, max_mb_per_account: 9, max_mb_per_conversation: 9 }
    const options = { db, files, settings: () => settings, now: () => 0, probe: () => {} }
    const { keep } = createKeptResponses(options)
    await keep(answerTo('resp_1', 1, { text: LARGE }))
    await keep(answerTo('resp_2', 1, { previous_id: 'resp_1' }))
    await keep(answerTo('resp_1', 2, { text: LARGE }))
    await db.close()
    const { out } = await scene.run('account', 'close', 'anna', '--yes')
    expect(out).toContain('keys revoked: 2, kept responses deleted: 2.')
    expect(await scene.json('audit')).toMatchObject({ clean: true, totals: { responses: 1 } })
    expect(await Array.fromAsync(files.list())).toHaveLength(1)
    expect(await scene.json('account', 'close', 'anna', '--yes')).toMatchObject({ deleted_responses: 0 })
  })

  test('revokes a rotated key within its grace period, too', async () => {
    const [{ prefix }] = (await scene.json('account', 'show', 'anna')).keys
    await scene.run('key', 'rotate', prefix, '--grace', '1h')
    await scene.run('account', 'close', 'anna', '--yes')
    expect(await statuses()).toEqual(['revoked', 'revoked', 'revoked'])
  })

  test('is visible in the list and in the account, and may be repeated', async () => {
    await scene.run('account', 'close', 'anna', '--yes')
    expect(await scene.json('account', 'close', 'anna', '--yes')).toMatchObject({
      status: 'closed',
      revoked_keys: 0,
    })
    expect((await scene.run('account', 'list')).out).toMatch(/^anna +closed /m)
    expect((await scene.run('account', 'show', 'anna')).out).toMatch(/^status +closed$/m)
    expect((await scene.json('account', 'suspend', 'anna')).status).toBe('closed')
    expect((await scene.json('account', 'show', 'bert')).status).toBe('active')
  })

  test('allows a debit of the remaining balance', async () => {
    await scene.run('account', 'close', 'anna', '--yes')
    await scene.run('debit', 'anna', '4.999998', '--note', 'paid back')
    expect(await scene.json('account', 'show', 'anna')).toMatchObject({ balance_nanos: 0, status: 'closed' })
  })

  test('prevents new keys until the account is resumed', async () => {
    await scene.run('account', 'close', 'anna', '--yes')
    const refused = await scene.run('key', 'create', 'anna')
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('account resume anna')])
    const resumed = await scene.run('account', 'resume', 'anna')
    expect(resumed.out).toContain('Its revoked keys, password, sessions and kept responses stay deleted')
    expect(resumed.out).toContain('key create anna; for the console: tollgate account invite anna')
    expect((await scene.json('account', 'show', 'anna')).status).toBe('active')
    expect((await scene.run('key', 'create', 'anna', '--name', 'desk')).status).toBe(0)
    expect(await statuses()).toEqual(['revoked', 'revoked', 'active'])
  })

  test('asks first on a terminal', async () => {
    const replies = ['', 'n', 'anna', 'y']
    const questions: string[] = []
    scene.ask = async (question) => {
      questions.push(question)
      return replies.shift() ?? ''
    }
    for (const _ of [1, 2, 3])
      expect(await scene.run('account', 'close', 'anna')).toEqual({
        status: 1,
        out: '',
        err: expect.stringMatching(/^This revokes all keys of anna, .+\nNothing was changed\.$/),
      })
    expect(await statuses()).toEqual(['active', 'active'])
    expect((await scene.run('account', 'close', 'anna')).out).toStartWith(
      'Account anna is closed; keys revoked: 2',
    )
    expect(questions).toEqual(Array(4).fill('Close anna? [y/N] '))
  })

  test.each([
    ['without a terminal', [], undefined],
    ['with --json at a terminal', ['--json'], () => Promise.reject(new Error('asked'))],
  ] as const)('is refused without --yes, %s', async (_, flags, ask) => {
    scene.ask = ask
    const { status, out, err } = await scene.run('account', 'close', 'anna', ...flags)
    expect([status, out, err]).toEqual([1, '', expect.stringContaining('Add --yes to skip the question.')])
    expect(await statuses()).toEqual(['active', 'active'])
  })

  test('of an unknown account is refused', async () => {
    expect((await scene.run('account', 'close', 'nobody')).err).toContain('Account "nobody" not found')
  })

  test('beside a running gateway charges the running call, and refuses the next one', async () => {
    const release = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    await using running = await gatewayScene({
      async script() {
        arrived.resolve()
        await release.promise
        return whole(answer())
      },
    })
    const { gateway, call } = running
    const first = call(wholePath(), ask())
    await arrived.promise
    const [account] = gateway.rows().accounts
    await closeAccount(gateway.store, account?.name ?? '', Date.now())
    release.resolve()
    expect((await first).status).toBe(200)
    expect(await running.lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: ANSWER_NANOS })
    const [settled] = gateway.rows().accounts
    expect(settled?.balance_nanos).toBe((account?.balance_nanos ?? 0) - ANSWER_NANOS)
    // 401 for the key; while the key is cached, for a second, the hold is refused with 403 for the account.
    expect([401, 403]).toContain((await call(wholePath(), ask())).status)
    await running.expectCounts({ calls: 1, holds: 1, requests: 1 })
  })
})
