// The sweeps of a gateway: a failure does not stop the others, rounds do not overlap, and a stop waits for the running sweep.
import { describe, expect, test } from 'bun:test'
import { sweepEach } from '../../../src/app/process/sweeps.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { memoryLog } from '../../support/memory-log.ts'
import { personAtConsole } from '../../support/people.ts'

describe('a round', () => {
  test.each<[string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('broken'))],
    [
      'throws at once',
      () => {
        throw new Error('broken')
      },
    ],
  ])('with a sweep that %s continues with the next one, and logs the failure by name', async (_, sweep) => {
    const { log, lines } = memoryLog()
    const swept: string[] = []
    const note = (name: string) => ({ name, sweep: () => void swept.push(name) })
    const sweeping = sweepEach([note('first'), { name: 'second', sweep }, note('third')], log)
    await sweeping.run()
    await sweeping.run()
    expect(swept).toEqual(['first', 'third', 'first', 'third'])
    const failed = { message: 'sweep failed', sweep: 'second', cause: { message: 'broken' } }
    expect(lines()).toMatchObject([failed, failed])
  })

  test('does not start again while it runs', async () => {
    const over = Promise.withResolvers<void>()
    let starts = 0
    const long = () => {
      starts += 1
      return over.promise
    }
    const sweeping = sweepEach([{ name: 'long', sweep: long }], memoryLog().log)
    const rounds = [sweeping.run(), sweeping.run()]
    over.resolve()
    await Promise.all(rounds)
    expect(starts).toBe(1)
    await sweeping.run()
    expect(starts).toBe(2)
  })
})

test('a stop waits for the running sweep, and starts no other', async () => {
  const order: string[] = []
  const over = Promise.withResolvers<void>()
  const first = () => over.promise.then(() => order.push('first is over'))
  const sweeping = sweepEach(
    [
      { name: 'first', sweep: first },
      { name: 'second', sweep: () => order.push('second') },
    ],
    memoryLog().log,
  )
  void sweeping.run()
  const stopped = sweeping.stop().then(() => order.push('stopped'))
  over.resolve()
  await stopped
  await sweeping.run()
  expect(order).toEqual(['first is over', 'stopped'])
})

describe('a sweep that hangs', () => {
  const hanging = (name: string) => ({ name, sweep: () => new Promise<never>(() => {}) })

  test('does not stop the others, is logged, and is not started again', async () => {
    const { log, lines } = memoryLog()
    const swept: string[] = []
    const started: string[] = []
    const sweep = () => {
      started.push('disk')
      return new Promise<never>(() => {})
    }
    const disk = { name: 'disk', sweep }
    const sweeping = sweepEach([disk, { name: 'other', sweep: () => void swept.push('other') }], log, {
      max_sweep_ms: 5,
    })
    await sweeping.run()
    await sweeping.run()
    expect({ swept, started }).toEqual({ swept: ['other', 'other'], started: ['disk'] })
    expect(lines()).toMatchObject([{ message: 'sweep failed', sweep: 'disk' }])
  })

  test('delays a stop for a bounded time', async () => {
    const sweeping = sweepEach([hanging('disk')], memoryLog().log, { max_stop_ms: 5 })
    void sweeping.run()
    await sweeping.stop()
  })
})

test('a gateway ends expired sessions even if the sweep of refused requests fails', async () => {
  await using gateway = await startTestGateway({ sweep_every_ms: 20 })
  const write = (text: string) => gateway.store.write((by) => by.rows(text))
  await write('ALTER TABLE refusals RENAME TO elsewhere')
  await write(
    `INSERT INTO sessions (sha256, role, person_id, created_at_ms, last_seen_at_ms, expires_at_ms, user_agent)
     VALUES (randomblob(32), 'operator', ${await personAtConsole(gateway.store, null)}, 0, 0, 1, 'test')`,
  )
  await eventually(
    'the session is deleted',
    () => gateway.db.query('SELECT 1 FROM sessions LIMIT 1').get() === null,
  )
  // Other sweeps come first in the round.
  await eventually('the failure is logged', () =>
    gateway.log
      .lines()
      .some(({ message, sweep }) => message === 'sweep failed' && sweep === 'refused requests'),
  )
  await write('ALTER TABLE elsewhere RENAME TO refusals')
})
