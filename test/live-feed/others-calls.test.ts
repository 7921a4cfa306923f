// Whether other gateways' calls are read from the database: only while somebody listens, and again after it could not be reached.
import { expect, test } from 'bun:test'
import { createActivity } from '../../plugins/live-feed/activity.ts'
import { followOthersCalls } from '../../plugins/live-feed/others-calls.ts'
import { createEvents } from '../../src/calls/life/events.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { eventually } from '../support/eventually.ts'
import { memoryLog } from '../support/memory-log.ts'

/** Counts how often it was begun to follow the calls. */
function counted() {
  const connection = memoryDatabase()
  const db = dbOver(connection)
  const count = { begun: 0 }
  const watched: Db = Object.create(db, {
    orm: {
      get() {
        count.begun += 1
        return db.orm
      },
    },
  })
  return { db: watched, connection, count }
}

test('only while somebody listens; a failure is logged once, and it goes on', async () => {
  const { db, connection, count } = counted()
  const memory = memoryLog()
  const events = createEvents(memory.log)
  const activity = createActivity(events, memory.log)
  const end = followOthersCalls({
    ...{ db, activity, events, gateway_id: 1, now: Date.now, log: memory.log, every_ms: 5 },
    isUnderWay: () => false,
  })
  // Six looks that find nothing: nothing tells of them.
  await Bun.sleep(30)
  expect(count.begun).toBe(0)
  const stops = [activity.listen(undefined, () => {}), activity.listen(7, () => {})]
  await eventually('it reads', () => count.begun > 0)
  connection.run('ALTER TABLE calls RENAME TO calls_away')
  await eventually('it says so', () => memory.lines().length > 0)
  const before = count.begun
  await eventually('it tries again', () => count.begun > before + 2)
  expect(memory.lines().length).toBe(1)
  connection.run('ALTER TABLE calls_away RENAME TO calls')
  for (const stop of stops) stop()
  await Bun.sleep(30)
  const after = count.begun
  connection.run('ALTER TABLE calls RENAME TO calls_away')
  await Bun.sleep(30)
  expect(count.begun).toBe(after)
  await end()
})
