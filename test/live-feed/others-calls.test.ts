// The calls of other gateways, read from the database: only while somebody listens, and again after a failure.
import { expect, test } from 'bun:test'
import { createActivity } from '../../plugins/live-feed/activity.ts'
import { followOthersCalls } from '../../plugins/live-feed/others-calls.ts'
import { createEvents } from '../../src/calls/life/events.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { eventually } from '../support/eventually.ts'
import { memoryLog } from '../support/memory-log.ts'

/** A database that counts the reads of calls. */
function countingDatabase() {
  const connection = memoryDatabase()
  const db = dbOver(connection)
  const count = { reads: 0 }
  const watched: Db = Object.create(db, {
    orm: {
      get() {
        count.reads += 1
        return db.orm
      },
    },
  })
  return { db: watched, connection, count }
}

test('the calls are read only while somebody listens; a failure is logged once, and the reads continue', async () => {
  const { db, connection, count } = countingDatabase()
  const memory = memoryLog()
  const events = createEvents(memory.log)
  const activity = createActivity(events, memory.log)
  const end = followOthersCalls({
    ...{ db, activity, events, gateway_id: 1, now: Date.now, log: memory.log, every_ms: 5 },
    isUnderWay: () => false,
  })
  // Time for six intervals without a read, which no event shows.
  await Bun.sleep(30)
  expect(count.reads).toBe(0)
  const stops = [activity.listen(undefined, () => {}), activity.listen(7, () => {})]
  await eventually('it reads', () => count.reads > 0)
  connection.run('ALTER TABLE calls RENAME TO calls_away')
  await eventually('the failure is logged', () => memory.lines().length > 0)
  const before = count.reads
  await eventually('it tries again', () => count.reads > before + 2)
  expect(memory.lines().length).toBe(1)
  connection.run('ALTER TABLE calls_away RENAME TO calls')
  for (const stop of stops) stop()
  await Bun.sleep(30)
  const after = count.reads
  connection.run('ALTER TABLE calls RENAME TO calls_away')
  await Bun.sleep(30)
  expect(count.reads).toBe(after)
  await end()
})
