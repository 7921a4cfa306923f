// Slots: never more tasks at once than the limit, first come, first served; a failure frees its slot.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createSlots } from '../../src/utilities/slots.ts'

describe('slots', () => {
  test('run tasks in order of arrival, never more at once than the limit, even if some fail or take long', async () => {
    const task = fc.record({ turns: fc.integer({ min: 1, max: 5 }), fails: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(task, { maxLength: 30 }),
        async (limit, tasks) => {
          const run = createSlots(limit)
          const started: number[] = []
          let running = 0
          let most = 0
          const outcomes = await Promise.allSettled(
            tasks.map(({ turns, fails }, index) =>
              run(async () => {
                started.push(index)
                running += 1
                most = Math.max(most, running)
                for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
                running -= 1
                if (fails) throw new Error('failed')
                return index
              }),
            ),
          )
          expect(most).toBe(Math.min(limit, tasks.length))
          expect(started).toEqual(tasks.map((_, index) => index))
          expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(tasks.map(({ fails }) => fails))
        },
      ),
    )
  })

  test('a late task does not take a slot that passes to a waiting one', async () => {
    const run = createSlots(1)
    const order: string[] = []
    const first = Promise.withResolvers<void>()
    const holding = run(() => first.promise)
    const waiting = run(async () => void order.push('waited'))
    first.resolve()
    const late = holding.then(() => run(async () => void order.push('came late')))
    await Promise.all([waiting, late])
    expect(order).toEqual(['waited', 'came late'])
  })

  test('a task that throws before it awaits frees its slot', async () => {
    const run = createSlots(1)
    const failing = run(() => {
      throw new Error('at once')
    })
    expect(await failing.catch((error: Error) => error.message)).toBe('at once')
    expect(await run(async () => 'free')).toBe('free')
  })
})
