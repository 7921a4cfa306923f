// The audit log of commands: each change, with the command's words, the machine's user, and the values before and after; failed commands leave no line.
import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { createScene, NOW, sceneOfFile } from './scene.ts'

const scene = sceneOfFile()

interface Line {
  action: string
  command: string | null
  machine_user: string | null
  account: string | null
  subject: string | null
  before: unknown
  after: unknown
}

function linesOf(folder = scene.dir): Line[] {
  using db = openDatabase(`${folder}/tollgate.db`)
  return db
    .query<Line & Record<'before' | 'after', string | null>, []>(
      `SELECT action, actor, command, machine_user, name AS account, subject, before, after, actions.created_at_ms
         FROM actions LEFT JOIN accounts ON accounts.id = account_id ORDER BY actions.id`,
    )
    .all()
    .map(({ before, after, ...line }) => ({ ...line, before: parsed(before), after: parsed(after) }))
}
const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))

/** By the name that the system gives. */
const MACHINE_USER = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()
const BACKUP = scene.path('copy.db')
const TIME = expect.stringMatching(/Z$/)
const alice = { account: 'alice' }

/** In order: each command continues from the state that the previous ones left. */
test.each<[words: string, rest: string[], lines: object[]]>([
  ['account create', ['alice'], [{ ...alice, action: 'account.created', after: { name: 'alice' } }]],
  [
    'credit',
    ['alice', '10', '--note', 'cash'],
    [
      {
        ...alice,
        action: 'balance.topped_up',
        before: { balance_usd: '0.00' },
        after: { balance_usd: '10.00', amount_usd: '10.00', note: 'cash' },
      },
    ],
  ],
  [
    'debit',
    ['alice', '10'],
    [{ ...alice, action: 'balance.debited', after: { balance_usd: '0.00', amount_usd: '10.00' } }],
  ],
  ['key create', ['alice', '--name', 'laptop'], [{ ...alice, action: 'key.created' }]],
  [
    'key change',
    ['1', '--models', 'sim-*'],
    [{ ...alice, action: 'key.changed', before: { models: null }, after: { models: ['sim-*'] } }],
  ],
  [
    'key rotate',
    ['1'],
    [
      { ...alice, action: 'key.created' },
      { ...alice, action: 'key.rotated', after: { revoked_at: TIME } },
    ],
  ],
  ['key revoke', ['2'], [{ ...alice, action: 'key.revoked', after: { revoked_at: TIME } }]],
  ['account suspend', ['alice'], [{ ...alice, action: 'account.suspended', before: { status: 'active' } }]],
  ['account resume', ['alice'], [{ ...alice, action: 'account.resumed', after: { status: 'active' } }]],
  ['account invite', ['alice'], [{ ...alice, action: 'invitation.created', after: { expires_at: TIME } }]],
  ['console link', [], [{ account: null, action: 'operator_link.created', after: { expires_at: TIME } }]],
  [
    'console reset',
    [],
    [
      { account: null, action: 'operator.reset', before: { sessions: 0 } },
      { account: null, action: 'operator_link.created' },
    ],
  ],
  [
    'backup',
    ['--database-only', BACKUP],
    [{ action: 'backup.created', subject: 'copy.db', after: { database_only: true } }],
  ],
  [
    'account rename',
    ['alice', 'alicia'],
    [{ account: 'alicia', action: 'account.renamed', before: { name: 'alice' }, after: { name: 'alicia' } }],
  ],
  [
    'account close',
    ['alicia', '--yes'],
    [{ account: 'alicia', action: 'account.closed', after: { status: 'closed', revoked_keys: 0 } }],
  ],
  [
    'account erase',
    ['alicia', '--yes'],
    [{ account: 'erased-1', action: 'account.erased', before: null, after: null }],
  ],
])('%s', async (words, rest, lines) => {
  const before = linesOf().length
  await scene.json(...words.split(' '), ...rest)
  const by = { actor: 'command', command: words, machine_user: MACHINE_USER, created_at_ms: NOW }
  expect(linesOf().slice(before)).toMatchObject(lines.map((line) => ({ ...by, ...line })))
})

test('`audit-log` lists the actions of all accounts or of one, in pages and by area', async () => {
  const { actions, next_cursor } = await scene.json('audit-log', '--limit', '2')
  expect(actions).toMatchObject([
    { action: 'account.erased', account: 'erased-1', command: 'account erase', before: null },
    { action: 'account.closed' },
  ])
  expect(next_cursor).toBe(actions[1].id)
  const of_one = await scene.json(
    'audit-log',
    'erased-1',
    '--area',
    'balance',
    '--before',
    String(next_cursor),
  )
  expect(of_one.actions.map(({ action }: Line) => action)).toEqual(['balance.debited', 'balance.topped_up'])
  const { out } = await scene.run('audit-log', '--area', 'system')
  expect(out).toMatch(/^ID +TIME +ACTION +FOR +BY +CHANGE\n.*Backup created +copy\.db +\S+: backup +\{/)
  expect((await scene.run('audit-log', '--area', 'nothing')).status).toBe(2)
  expect((await scene.run('audit-log', 'nobody')).status).toBe(1)
})

test.each<[line: string, actions: string[]]>([
  ['--by operator', []],
  ['--by command --area key', ['key.revoked', 'key.rotated', 'key.created', 'key.changed', 'key.created']],
  ['--key 2', ['key.revoked', 'key.created']],
  ['--subject copy.db', ['backup.created']],
])('%s', async (line, expected) => {
  const { actions } = await scene.json('audit-log', ...line.split(' '))
  expect(actions.map(({ action }: Line) => action)).toEqual(expected)
})

test('--csv has all columns', async () => {
  const { out } = await scene.run('audit-log', '--subject', 'copy.db', '--csv')
  const [head, line, ...rest] = out.trimEnd().split('\r\n')
  expect(head).toBe(
    'id,created_utc,action,title,by,person,person_email,session_id,address,command,machine_user,request_id,account_id,account,key_id,key_name,key_prefix,subject,before,after',
  )
  expect(line).toContain(',backup.created,Backup created,command,,,,,backup,')
  expect(rest).toEqual([])
})

test('an erasure keeps the actions and removes their texts', () => {
  const of_alice = linesOf().filter(({ account }) => account === 'erased-1')
  expect(of_alice.length).toBeGreaterThan(10)
  for (const { before, after } of of_alice) expect([before, after]).toEqual([null, null])
})

test('a user who became root by sudo is recorded under their own name', async () => {
  scene.env.SUDO_USER = 'anna'
  await scene.json('account', 'create', 'carol')
  expect(linesOf().at(-1)).toMatchObject({ command: 'account create', machine_user: 'anna' })
})

test.each(
  [
    ['account', 'create', 'carol'],
    ['account', 'create', 'no name'],
    ['account', 'suspend', 'nobody'],
    ['account', 'resume', 'erased-1'],
    ['account', 'erase', 'nobody', '--yes'],
    ['credit', 'nobody', '1'],
    ['debit', 'carol', '1'],
    ['key', 'create', 'erased-1'],
    ['key', 'change', '1', '--name', 'other'],
    ['key', 'rotate', '2'],
    ['backup', '--database-only', BACKUP],
    ['restore', BACKUP],
  ].map((words) => [words.join(' '), words] as const),
)('a command that fails leaves no line: %s', async (_, words) => {
  const before = linesOf()
  expect((await scene.run(...words)).status).not.toBe(0)
  expect(linesOf()).toEqual(before)
})

test.each(
  [
    ['account', 'list'],
    ['account', 'show', 'carol'],
    ['key', 'list'],
    ['key', 'revoke', '2'],
    ['account', 'resume', 'carol'],
    ['entries', 'carol'],
    ['audit'],
  ].map((words) => [words.join(' '), words] as const),
)('a command that changes nothing leaves no line: %s', async (_, words) => {
  const before = linesOf()
  expect((await scene.run(...words)).status).toBe(0)
  expect(linesOf()).toEqual(before)
})

test('a restore adds a line to the log that it restores, which otherwise stays as it was backed up', async () => {
  using fresh = createScene('nothing')
  await fresh.json('restore', BACKUP)
  const lines = linesOf(fresh.dir)
  expect(lines.at(-1)).toMatchObject({ action: 'backup.restored', command: 'restore', subject: BACKUP })
  expect(lines.filter(({ action }) => action === 'account.renamed')).toEqual([])
})
