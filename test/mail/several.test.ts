// Mails of two gateways with one PostgreSQL database: each is queued once and sent once, in spite of races.
import { describe, expect, test } from 'bun:test'
import { queueMail } from '../../plugins/mail/queue.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { LOW, mailScene } from './scene.ts'

describe.skipIf(!hasPostgres)('two gateways', () => {
  test('queue and send each of forty mails once', async () => {
    const { name, url } = await makeDatabase()
    const [one, other] = await Promise.all([openPostgres(url), openPostgres(url)])
    if (!one || !other) throw new Error('no database')
    await one.begin((tx) =>
      tx.rows(
        "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'anna', 'active', 0, 0, 0, 0)",
      ),
    )
    await using first = await mailScene({ db: one })
    await using second = await mailScene({ db: other, token_end: '-other' })
    second.state.smtp = first.state.smtp
    const keys = Array.from({ length: 40 }, (_, at) => `low_balance:${at}`)
    const queued = await Promise.all(
      [one, other].flatMap((db) =>
        keys.map((request_key) =>
          db.begin((tx) =>
            queueMail(
              tx,
              { ...LOW, to: `${request_key.split(':')[1]}@example.org`, request_key },
              first.clock.now_ms,
            ),
          ),
        ),
      ),
    )
    expect(queued.filter(Boolean)).toHaveLength(40)
    await Promise.all([first.open().sendDue(), second.open().sendDue(), first.open().sendDue()])
    expect(first.server.received.map(({ to }) => to[0]).sort()).toEqual(
      keys.map((key) => `${key.split(':')[1]}@example.org`).sort(),
    )
    expect(new Set((await first.rows()).map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['sent 1']),
    )
    await Promise.all([one.close(), other.close()])
    await dropDatabase(name)
  })
})
