// `session` on the command line: the list of sessions of the console, and the end of one.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { createScene, NOW } from '../app/commands/scene.ts'

const scene = createScene()
await scene.run('account', 'create', 'alice')
await scene.run('account', 'invite', 'alice')
await scene.run('key', 'create', 'alice')

const open = () => new Database(scene.path('tollgate.db'), { strict: true })

test('the list says so if nobody is signed in', async () => {
  expect((await scene.run('session', 'list')).out).toContain('Nobody is signed in.')
})

test('the list has the open sessions of people and keys; ending one keeps the others', async () => {
  using db = open()
  db.run(`
    INSERT INTO sessions (id, sha256, role, account_id, address, user_agent, created_at_ms, last_seen_at_ms, expires_at_ms, person_id, proof)
      SELECT 7, randomblob(32), 'account', 1, '203.0.113.7', 'Firefox/150.0', 0, 0, 4102444800000, id, 'password' FROM people WHERE account_id = 1;
    INSERT INTO sessions (id, sha256, role, account_id, user_agent, created_at_ms, last_seen_at_ms, expires_at_ms, key_id, proof)
      SELECT 8, randomblob(32), 'key', 1, '', 0, 0, 4102444800000, id, 'key' FROM keys;
    INSERT INTO sessions (id, sha256, role, account_id, user_agent, created_at_ms, last_seen_at_ms, expires_at_ms, person_id, proof)
      SELECT 9, randomblob(32), 'account', 1, '', 0, 0, ${NOW - 1}, id, 'link' FROM people WHERE account_id = 1`)
  const { sessions } = await scene.json('session', 'list')
  expect(sessions).toMatchObject([
    { id: 7, person: 'alice', key: null, account: 'alice', proof: 'password', address: '203.0.113.7' },
    { id: 8, person: null, key: expect.any(String), account: 'alice', proof: 'key' },
  ])
  expect((await scene.run('session', 'list')).out).toContain('203.0.113.7')
  expect((await scene.run('session', 'end', '7')).out).toBe('Session 7 ended.')
  expect(db.query('SELECT id FROM sessions ORDER BY id').all()).toEqual([{ id: 8 }, { id: 9 }])
  expect(
    db.query("SELECT actor, account_id, before FROM actions WHERE action = 'session.ended'").all(),
  ).toEqual([{ actor: 'command', account_id: 1, before: '{"session":7}' }])
})

test.each(['7', '0', 'x', '1e3'])('an unknown id is not found: %s', async (id) => {
  const { status, err } = await scene.run('session', 'end', id)
  expect([status, err]).toEqual([1, expect.stringContaining(`No session has the number ${id}.`)])
})
