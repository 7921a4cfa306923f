// `refusals`: refused requests, filtered and paged, with their reasons; and their total.
import { beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { NOW, sceneOfFile } from '../app/commands/scene.ts'

const HOUR_MS = 3_600_000
const scene = sceneOfFile()

beforeAll(async () => {
  for (const account of ['anna', 'bert']) {
    await scene.run('account', 'create', account)
    await scene.run('key', 'create', account, '--name', 'desk')
  }
  const db = openDatabase(scene.path('tollgate.db'))
  const add = db.query(
    `INSERT INTO refusals VALUES (?, ?, ?, ?, ?, 'chat', ?, 402, 'insufficient_balance', 'Top it up.')`,
  )
  add.run(1, 1, 1, 'req_1', NOW - 30 * HOUR_MS, 'sim-flash')
  add.run(2, 2, 2, 'req_2', NOW - 2 * HOUR_MS, null)
  add.run(3, 1, 1, 'req_3', NOW - HOUR_MS, 'sim-pro')
  const hour_s = Math.floor((NOW - HOUR_MS) / HOUR_MS) * 3_600
  db.run(`INSERT INTO refusal_sums VALUES (3600, 1, ${hour_s}, 1, 'insufficient_balance', 901)`)
  db.close()
})

const ids = async (...args: string[]) =>
  (await scene.json('refusals', ...args)).refusals.map(({ id }: { id: number }) => id)

describe('refusals', () => {
  test.each<[line: string, ids: number[]]>([
    ['--limit 9', [3, 2, 1]],
    ['--since 3h', [3, 2]],
    ['--until 90m', [2, 1]],
    ['--account anna', [3, 1]],
    ['--key 2', [2]],
    ['--model sim-pro', [3]],
    ['--since 2027-01-01', []],
    ['--limit 1', [3]],
    ['--limit 1 --before 3', [2]],
  ])('%s', async (line, expected) => {
    expect(await ids(...line.split(' '))).toEqual(expected)
  })

  test('the table has the messages to the callers, and the total', async () => {
    const { out, err } = await scene.run('refusals', '--account', 'anna', '--limit', '1')
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^ID +TIME +ACCOUNT +KEY +MODEL +STATUS +WHY/),
      expect.stringMatching(/^ 3 .* anna +desk +sim-pro +402 +Top it up\./),
    ])
    expect(err).toBe('Refused in all of this time: 901.\nMore requests: add --before 3.')
  })

  test('--json has names, and times both ways', async () => {
    const { refusals, refused, next_cursor } = await scene.json(
      'refusals',
      '--account',
      'anna',
      '--since',
      '2h',
    )
    expect([refused, next_cursor]).toEqual([901, null])
    expect(refusals).toEqual([
      {
        id: 3,
        request_id: 'req_3',
        surface: 'chat',
        model: 'sim-pro',
        status: 402,
        code: 'insufficient_balance',
        message: 'Top it up.',
        account: 'anna',
        key: 'desk',
        key_prefix: expect.stringMatching(/^tg_/),
        refused_at: new Date(NOW - HOUR_MS).toISOString(),
        refused_at_ms: NOW - HOUR_MS,
      },
    ])
  })

  test('--csv has all columns', async () => {
    const { out } = await scene.run('refusals', '--key', '2', '--csv')
    expect(out.trimEnd().split('\r\n')).toEqual([
      'id,refused_utc,request_id,account,key,key_prefix,surface,model,status,code,message',
      expect.stringMatching(/^2,.*Z,req_2,bert,desk,tg_.*,chat,,402,insufficient_balance,Top it up\.$/),
    ])
  })

  test.each([
    ['refusals --account nobody', 'Account "nobody" not found'],
    ['refusals --key nobody', 'not found'],
  ])('%s is refused', async (line, words) => {
    const { status, err } = await scene.run(...line.split(' '))
    expect([status, err]).toEqual([1, expect.stringContaining(words)])
  })
})
