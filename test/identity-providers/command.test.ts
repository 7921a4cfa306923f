// `identity` on the command line: the list of linked identities, and unlinking.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { createScene } from '../app/commands/scene.ts'

const scene = createScene()
await scene.run('account', 'create', 'alice')
await scene.run('account', 'invite', 'alice')

function open(): Database {
  return new Database(scene.path('tollgate.db'), { strict: true })
}

test('the list says so if nobody has linked an identity', async () => {
  expect((await scene.run('identity', 'list')).out).toContain('Nobody signs in by an identity.')
})

test('the list has every identity; unlinking one ends its sessions', async () => {
  const db = open()
  db.run(`
    INSERT INTO identities VALUES (1, (SELECT id FROM people WHERE account_id = 1), 'https://id.example', 's-1', 'google', 'a@example.com', 0, 5);
    INSERT INTO sessions (sha256, role, account_id, user_agent, created_at_ms, last_seen_at_ms, expires_at_ms, person_id, identity_id)
      SELECT randomblob(32), 'account', 1, '', 0, 0, 9e15, person_id, id FROM identities`)
  expect(await scene.json('identity', 'list')).toMatchObject({
    identities: [{ id: 1, person: 'alice', account: 'alice', provider: 'google', subject: 's-1' }],
  })
  const { out } = await scene.run('identity', 'unlink', '1')
  expect(out).toBe('google unlinked from alice.')
  expect(db.query('SELECT count(*) AS rows FROM sessions').get()).toEqual({ rows: 0 })
  expect(db.query("SELECT actor, before FROM actions WHERE action = 'identity.unlinked'").all()).toEqual([
    { actor: 'command', before: '{"provider":"google","email":"a@example.com"}' },
  ])
  db.close()
})

test.each(['1', '0', 'x', '1e3'])('an unknown id is not found: %s', async (id) => {
  const { status, err } = await scene.run('identity', 'unlink', id)
  expect([status, err]).toEqual([1, expect.stringContaining(`No identity has the number ${id}.`)])
})
