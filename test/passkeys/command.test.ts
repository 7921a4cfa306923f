// `passkey` on the command line: the list of passkeys, and the removal of one with the sessions that it may have opened.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { createScene } from '../app/commands/scene.ts'

const scene = createScene()
await scene.run('account', 'create', 'alice')
await scene.run('account', 'invite', 'alice')

const open = () => new Database(scene.path('tollgate.db'), { strict: true })

test('the list says so if nobody has a passkey', async () => {
  expect((await scene.run('passkey', 'list')).out).toContain('Nobody signs in by a passkey.')
})

test('the list has every passkey; removing one ends only its person’s sessions by passkey', async () => {
  using db = open()
  db.run(`
    INSERT INTO passkeys (id, person_id, credential_id, public_key, counter, transports, name, created_at_ms)
      SELECT 3, id, x'01', x'02', 0, '[]', 'lost phone', 5 FROM people WHERE account_id = 1;
    INSERT INTO sessions (sha256, role, account_id, user_agent, created_at_ms, last_seen_at_ms, expires_at_ms, person_id, proof)
      SELECT randomblob(32), 'account', 1, '', 0, 0, 4102444800000, id, proof FROM people, (SELECT 'passkey' AS proof UNION SELECT 'password')
      WHERE account_id = 1`)
  expect(await scene.json('passkey', 'list')).toMatchObject({
    passkeys: [{ id: 3, person: 'alice', account: 'alice', email: null, name: 'lost phone' }],
  })
  expect((await scene.run('passkey', 'remove', '3')).out).toBe(
    'Passkey "lost phone" of alice removed. Sessions ended: 1.',
  )
  expect(db.query('SELECT proof FROM sessions').all()).toEqual([{ proof: 'password' }])
  expect(
    db.query("SELECT actor, account_id, subject FROM actions WHERE action = 'passkey.removed'").all(),
  ).toEqual([{ actor: 'command', account_id: 1, subject: 'lost phone' }])
})

test.each(['3', '0', 'x', '1e3'])('an unknown id is not found: %s', async (id) => {
  const { status, err } = await scene.run('passkey', 'remove', id)
  expect([status, err]).toEqual([1, expect.stringContaining(`No passkey has the number ${id}.`)])
})
