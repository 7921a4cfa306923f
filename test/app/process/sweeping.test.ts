// The sweeps of a gateway: one that fails keeps no other from its work, rounds do not overlap, and a stop waits for the sweep under way.
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
  ])('of which one %s goes on with the next, and says which it was', async (_, sweep) => {
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

  test('that takes long is not begun a second time', async () => {
    const over = Promise.withResolvers<void>()
    let begun = 0
    const long = () => {
      begun += 1
      return over.promise
    }
    const sweeping = sweepEach([{ name: 'long', sweep: long }], memoryLog().log)
    const rounds = [sweeping.run(), sweeping.run()]
    over.resolve()
    await Promise.all(rounds)
    expect(begun).toBe(1)
    await sweeping.run()
    expect(begun).toBe(2)
  })
})

test('a stop waits for the sweep under way, and begins no other', async () => {
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

  test('keeps no other from its work, is logged, and is not begun a second time', async () => {
    const { log, lines } = memoryLog()
    const swept: string[] = []
    const begun: string[] = []
    const sweep = () => {
      begun.push('disk')
      return new Promise<never>(() => {})
    }
    const disk = { name: 'disk', sweep }
    const sweeping = sweepEach([disk, { name: 'other', sweep: () => void swept.push('other') }], log, {
      max_sweep_ms: 5,
    })
    await sweeping.run()
    await sweeping.run()
    expect({ swept, begun }).toEqual({ swept: ['other', 'other'], begun: ['disk'] })
    expect(lines()).toMatchObject([{ message: 'sweep failed', sweep: 'disk' }])
  })

  test('holds a stop up for a bounded time', async () => {
    const sweeping = sweepEach([hanging('disk')], memoryLog().log, { max_stop_ms: 5 })
    void sweeping.run()
    await sweeping.stop()
  })
})

test('a gateway whose refused requests cannot be swept ends sessions all the same', async () => {
  await using gateway = await startTestGateway({ sweep_every_ms: 20 })
  const write = (text: string) => gateway.store.write((by) => by.rows(text))
  await write('ALTER TABLE refusals RENAME TO elsewhere')
  await write(
    `INSERT INTO sessions (sha256, role, person_id, created_at_ms, last_seen_at_ms, expires_at_ms, user_agent)
     VALUES (randomblob(32), 'operator', ${await personAtConsole(gateway.store, null)}, 0, 0, 1, 'test')`,
  )
  await eventually(
    'the session is gone',
    () => gateway.db.query('SELECT 1 FROM sessions LIMIT 1').get() === null,
  )
  // Its own turn comes after that of others.
  await eventually('the failure is told', () =>
    gateway.log
      .lines()
      .some(({ message, sweep }) => message === 'sweep failed' && sweep === 'refused requests'),
  )
  await write('ALTER TABLE elsewhere RENAME TO refusals')
})
