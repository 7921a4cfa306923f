// `account erase` beside a running gateway: every text of the person is deleted, and the amounts are unchanged.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { createScene, type Scene } from '../app/commands/scene.ts'
import { tollgate } from '../backups/support.ts'
import { hasS3Server, partOf, sharedS3Server } from '../support/s3-server.ts'
import { ALICE, booksOf, MARKER, type Person, placesOf, startWithPerson } from './person.ts'

describe.each([
  ['folders', false],
  ['a bucket', true],
] as const)('beside a running gateway with its files in %s', (_, in_bucket) => {
  if (in_bucket && !hasS3Server) return
  let person: Person
  let folder: string
  /** The folder of its files on this machine's disk. */
  let files_folder: string
  let before: unknown
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it needs
  let erased: any
  const erase = () => person.tollgate('account', 'erase', ALICE, '--yes')
  beforeAll(async () => {
    const s3 = in_bucket ? await sharedS3Server() : undefined
    const bucket = s3 && partOf(s3)
    person = await startWithPerson(bucket)
    folder = person.gateway.data_folder
    files_folder = s3 && bucket ? s3.file(bucket.prefix.slice(0, -1)) : folder
  })
  afterAll(() => person[Symbol.asyncDispose]())

  test('with a balance it is refused, with the command that pays the balance back', async () => {
    const refused = await tollgate(['account', 'erase', ALICE, '--yes', '--data', folder])
    const command = /tollgate (debit .+) --note 'paid back'/.exec(refused.err)?.[1] ?? ''
    expect([refused.status, command]).toEqual([1, expect.stringContaining(`debit ${ALICE} 5.`)])
    expect(placesOf(folder, MARKER)).not.toEqual([])
    expect((await person.tollgate('account', 'show', ALICE)).status).toBe('active')
    await person.tollgate(...command.split(' '), '--note', `paid back to ${MARKER}`)
  })

  test('before it, texts of the person are in the database, in its log and in files', () => {
    before = booksOf(folder)
    const places = [...placesOf(folder, MARKER), ...placesOf(files_folder, MARKER)]
    for (const place of ['tollgate.db', 'files/1', 'responses/', 'answers/'])
      expect([place, places.some((path) => path.startsWith(place))]).toEqual([place, true])
  })

  test('after it, no file, file name or free page has a text of the person', async () => {
    // Files that a start has quarantined belong to the account, too.
    const strays = in_bucket ? 'images/1' : 'images/.strays/1'
    mkdirSync(join(files_folder, strays), { recursive: true })
    writeFileSync(join(files_folder, strays, 'stray.png'), MARKER)
    erased = await erase()
    expect(erased).toMatchObject({ name: 'erased-1', account_id: 1 })
    expect(erased.rows).toEqual({
      account_details: 1,
      actions: 10,
      // Together with its sendings.
      alerts: 1,
      order_refunds: 1,
      payment_customers: 1,
      automatic_top_ups: 1,
      orders: 1,
      state_changes: 1,
      calls: 4,
      entries: 3,
      files: 1,
      generations: 1,
      idempotency_keys: 4,
      keys: 2,
      memberships: 1,
      people: 1,
      mail_recipients: 1,
      mails: 1,
      sign_ups: 1,
      terms_acceptances: 1,
      refusals: 1,
      responses: 2,
    })
    // The image, the upload, a response and an answer; the conversation's second response is in its row.
    expect(erased.files).toBe(4)
    expect([...placesOf(folder, MARKER), ...placesOf(files_folder, MARKER)]).toEqual([])
    expect(placesOf(folder, '203.0.113.77')).toEqual([])
  })

  test('amounts, calls, models and sums are unchanged, as is all data of others', async () => {
    expect(booksOf(folder)).toEqual(before)
    expect(await person.tollgate('audit')).toMatchObject({ clean: true })
    expect((await person.tollgate('account', 'list')).accounts).toMatchObject([
      { id: 1, name: 'erased-1', status: 'closed', balance_nanos: 0 },
      { id: 2, status: 'active' },
    ])
  })

  test('the key of the account is refused, and others work', async () => {
    const chat = { model: 'sim-gpt', messages: [{ role: 'user', content: 'hello' }] }
    expect([401, 403]).toContain((await person.post('/v1/chat/completions', chat)).status)
    expect((await person.post('/v1/chat/completions', chat, person.other_key)).status).toBe(200)
  })

  test('the output lists the places that may still have data', () => {
    const remains = erased.remains.join('\n')
    expect(remains).toContain('Restoring an older backup restores the data')
    expect(remains.includes('keeps versions, older ones and unfinished uploads stay')).toBe(in_bucket)
    expect(remains.includes('deleted while the bucket was unavailable may still be there')).toBe(in_bucket)
    expect(remains).not.toContain('The bucket that this gateway had')
  })

  test('a second erasure, by the new name, changes nothing', async () => {
    expect(await person.tollgate('account', 'erase', 'erased-1', '--yes')).toMatchObject({ name: 'erased-1' })
    expect(await person.tollgate('audit')).toMatchObject({ clean: true })
  })
})

describe('without a gateway', () => {
  const COPIES = ['tollgate.db.before-0004', 'tollgate.db.replaced-2026-01-01T000000.000Z']
  let scene: Scene
  beforeAll(async () => {
    scene = createScene()
    for (const name of ['anna', 'bert', 'carl']) await scene.run('account', 'create', name)
    await scene.run('key', 'create', 'carl')
    const db = openDatabase(scene.path('tollgate.db'))
    db.run("INSERT INTO holds VALUES (1, 3, 1, 'r', 0, 'pending', 0, 9e15, NULL, 0, NULL)")
    // An older version allowed this name.
    db.run("UPDATE accounts SET name = 'erased-1' WHERE name = 'bert'")
    db.close()
    for (const name of COPIES) writeFileSync(scene.path(name), '')
  })
  afterAll(() => scene.remove())
  const statusOf = async (name: string) => (await scene.json('account', 'show', name)).status

  test.each<[name: string, line: string, words: string]>([
    ['an unknown account', 'account erase nobody --yes', 'Account "nobody" not found'],
    ['no terminal to confirm', 'account erase anna', 'Add --yes to skip the question.'],
    ['the new name in use', 'account erase anna --yes', 'tollgate account rename erased-1 NEW-NAME'],
    ['running calls', 'account erase carl --yes', 'Calls of carl are running: 1.'],
    ['a new account with such a name', 'account create erased-9', 'is the name of an erased account'],
    ['a rename to such a name', 'account rename anna erased-9', 'is the name of an erased account'],
  ])('%s is refused, and nothing changes', async (_, line, words) => {
    expect(await scene.refusal(...line.split(' '))).toContain(words)
    for (const name of ['anna', 'carl']) expect([name, await statusOf(name)]).toEqual([name, 'active'])
  })

  test('an erasure is refused until the settlements of a stopped gateway are written', async () => {
    const journal = scene.path('settlements.journal')
    writeFileSync(journal, '')
    const { status, err } = await scene.run('account', 'erase', 'carl', '--yes')
    rmSync(journal)
    expect([status, err]).toEqual([
      1,
      expect.stringContaining('Start the gateway once, then erase the account.'),
    ])
    expect(await statusOf('carl')).toBe('active')
  })

  test('an erasure needs the name typed', async () => {
    await scene.run('account', 'rename', 'erased-1', 'bert')
    const replies = ['yes', 'anna']
    scene.ask = async (question) => {
      expect(question).toBe("Type the account's name to erase it: ")
      return replies.shift() ?? ''
    }
    const refused = await scene.run('account', 'erase', 'anna')
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('Nothing was changed.')])
    expect(await statusOf('anna')).toBe('active')
    const { status, out } = await scene.run('account', 'erase', 'anna')
    scene.ask = undefined
    expect([status, out]).toEqual([0, expect.stringContaining('anna is erased: ')])
    expect(out).toContain(`Earlier copies still have it, for you to delete: ${COPIES.join(', ')}.`)
  })

  test.each([
    ['account resume erased-1', 'cannot be opened or renamed'],
    ['account rename erased-1 anna', 'cannot be opened or renamed'],
    ['key create erased-1', 'is closed'],
    ['account invite erased-1', 'is closed'],
  ])('`%s` is refused, because an erasure is final', async (line, words) => {
    expect(await scene.refusal(...line.split(' '))).toContain(words)
  })

  test('another account may get the name', async () => {
    expect((await scene.run('account', 'create', 'anna')).status).toBe(0)
  })
})
