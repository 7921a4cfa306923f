// `account erase`: beside a gateway that serves, what a person wrote is nowhere any more, and the amounts are as before.
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
] as const)('beside a gateway that serves, with its files in %s', (_, in_bucket) => {
  if (in_bucket && !hasS3Server) return
  let person: Person
  let folder: string
  /** Where its files are on this machine's disk. */
  let where: string
  let before: unknown
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever fields it needs
  let erased: any
  const erase = () => person.tollgate('account', 'erase', ALICE, '--yes')
  beforeAll(async () => {
    const s3 = in_bucket ? await sharedS3Server() : undefined
    const bucket = s3 && partOf(s3)
    person = await startWithPerson(bucket)
    folder = person.gateway.data_folder
    where = s3 && bucket ? s3.file(bucket.prefix.slice(0, -1)) : folder
  })
  afterAll(() => person[Symbol.asyncDispose]())

  test('with a balance it is refused, and the message has the command that enters what becomes of it', async () => {
    const refused = await tollgate(['account', 'erase', ALICE, '--yes', '--data', folder])
    const command = /tollgate (debit .+) --note 'paid back'/.exec(refused.err)?.[1] ?? ''
    expect([refused.status, command]).toEqual([1, expect.stringContaining(`debit ${ALICE} 5.`)])
    expect(placesOf(folder, MARKER)).not.toEqual([])
    expect((await person.tollgate('account', 'show', ALICE)).status).toBe('active')
    await person.tollgate(...command.split(' '), '--note', `paid back to ${MARKER}`)
  })

  test('what a person wrote was in the database, in its log or in files', () => {
    before = booksOf(folder)
    const places = [...placesOf(folder, MARKER), ...placesOf(where, MARKER)]
    for (const place of ['tollgate.db', 'files/1', 'responses/', 'answers/'])
      expect([place, places.some((path) => path.startsWith(place))]).toEqual([place, true])
  })

  test('it is nowhere afterwards: in no file, in no name of one, in no free page', async () => {
    // What a start moved aside is of the account, too.
    const strays = in_bucket ? 'images/1' : 'images/.strays/1'
    mkdirSync(join(where, strays), { recursive: true })
    writeFileSync(join(where, strays, 'stray.png'), MARKER)
    erased = await erase()
    expect(erased).toMatchObject({ name: 'erased-1', account_id: 1 })
    expect(erased.rows).toEqual({
      account_details: 1,
      actions: 10,
      // With what was sent of it.
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
    expect([...placesOf(folder, MARKER), ...placesOf(where, MARKER)]).toEqual([])
    expect(placesOf(folder, '203.0.113.77')).toEqual([])
  })

  test('amounts, calls, models and sums are as before, and so is all of everybody else', async () => {
    expect(booksOf(folder)).toEqual(before)
    expect(await person.tollgate('audit')).toMatchObject({ clean: true })
    expect((await person.tollgate('account', 'list')).accounts).toMatchObject([
      { id: 1, name: 'erased-1', status: 'closed', balance_nanos: 0 },
      { id: 2, status: 'active' },
    ])
  })

  test('its key is refused, and others go on', async () => {
    const chat = { model: 'sim-gpt', messages: [{ role: 'user', content: 'hello' }] }
    expect([401, 403]).toContain((await person.post('/v1/chat/completions', chat)).status)
    expect((await person.post('/v1/chat/completions', chat, person.other_key)).status).toBe(200)
  })

  test('says what still has it', () => {
    const remains = erased.remains.join('\n')
    expect(remains).toContain('Restoring an older backup restores the data')
    expect(remains.includes('keeps versions, older ones and unfinished uploads stay')).toBe(in_bucket)
    expect(remains.includes('deleted while the bucket was unavailable may still be there')).toBe(in_bucket)
    expect(remains).not.toContain('The bucket that this gateway had')
  })

  test('again, by its new name, it changes nothing', async () => {
    expect(await person.tollgate('account', 'erase', 'erased-1', '--yes')).toMatchObject({ name: 'erased-1' })
    expect(await person.tollgate('audit')).toMatchObject({ clean: true })
  })
})

describe('by hand', () => {
  const COPIES = ['tollgate.db.before-0004', 'tollgate.db.replaced-2026-01-01T000000.000Z']
  let scene: Scene
  beforeAll(async () => {
    scene = createScene()
    for (const name of ['anna', 'bert', 'carl']) await scene.run('account', 'create', name)
    await scene.run('key', 'create', 'carl')
    const db = openDatabase(scene.path('tollgate.db'))
    db.run("INSERT INTO holds VALUES (1, 3, 1, 'r', 0, 'pending', 0, 9e15, NULL, 0, NULL)")
    // As an older version let it be called.
    db.run("UPDATE accounts SET name = 'erased-1' WHERE name = 'bert'")
    db.close()
    for (const name of COPIES) writeFileSync(scene.path(name), '')
  })
  afterAll(() => scene.remove())
  const statusOf = async (name: string) => (await scene.json('account', 'show', name)).status

  test.each<[what: string, line: string, words: string]>([
    ['an account that does not exist', 'account erase nobody --yes', 'Account "nobody" not found'],
    ['nobody to ask', 'account erase anna', 'Add --yes to skip the question.'],
    ['its new name being another’s', 'account erase anna --yes', 'tollgate account rename erased-1 NEW-NAME'],
    ['calls under way', 'account erase carl --yes', 'Calls of carl are running: 1.'],
    ['a new account of such a name', 'account create erased-9', 'is the name of an erased account'],
    ['another name like it', 'account rename anna erased-9', 'is the name of an erased account'],
  ])('%s: refused, and nothing changes', async (_, line, words) => {
    expect(await scene.refusal(...line.split(' '))).toContain(words)
    for (const name of ['anna', 'carl']) expect([name, await statusOf(name)]).toEqual([name, 'active'])
  })

  test('what a stopped gateway could not write: refused until it was', async () => {
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

  test('the name must be typed', async () => {
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
  ])('%s: refused, since what is erased does not come back', async (line, words) => {
    expect(await scene.refusal(...line.split(' '))).toContain(words)
  })

  test('the name is free for somebody else', async () => {
    expect((await scene.run('account', 'create', 'anna')).status).toBe(0)
  })
})
