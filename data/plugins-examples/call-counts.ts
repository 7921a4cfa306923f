// Calls counted by key, in a database of the plugin's own: `GET /call-counts` tells whoever has a key how often theirs was used.
//
// The database is plugins/call-counts.db, which a backup of Tollgate has as it is at one moment. A gateway that is killed loses
// at most the counts of calls that were just told of: the books have every call.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { TollgatePlugin } from './tollgate.d.ts'

interface Count {
  calls: number
  cost_nanos: number
}

const plugin: TollgatePlugin = ({ app, gateway }) => {
  const db = new Database(join(gateway.folder, 'call-counts.db'))
  // In this mode a backup and the plugin do not wait for each other.
  db.run('PRAGMA journal_mode = WAL')
  db.run(
    'CREATE TABLE IF NOT EXISTS counts (key_id INTEGER PRIMARY KEY, calls INTEGER NOT NULL, cost_nanos INTEGER NOT NULL) STRICT',
  )
  const add = db.query<unknown, [number, number]>(
    `INSERT INTO counts VALUES (?, 1, ?)
     ON CONFLICT DO UPDATE SET calls = calls + 1, cost_nanos = cost_nanos + excluded.cost_nanos`,
  )
  const find = db.query<Count, [number]>('SELECT calls, cost_nanos FROM counts WHERE key_id = ?')

  gateway.afterSettle(({ key, cost_nanos }) => {
    add.run(key.id, cost_nanos)
  })

  app.get('/call-counts', async ({ request }) => {
    // Without a key that works this throws, and the gateway answers 401.
    const { account, key } = await gateway.authenticate(request)
    return { account: account.name, key: key.name, ...(find.get(key.id) ?? { calls: 0, cost_nanos: 0 }) }
  })
}

export default plugin
