// Slots of owners: tasks of one wait for each other, those of different owners do not.
import { expect, test } from 'bun:test'
import { createSlotsByOwner } from '../../src/utilities/slots.ts'

test('a task waits for those of its owner, and for no other', async () => {
  const run = createSlotsByOwner<string>(1)
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const task = (name: string, until?: Promise<void>) => async () => {
    order.push(`${name} begins`)
    await until
    order.push(`${name} ends`)
  }
  const own = [run('a', task('a1', first.promise)), run('a', task('a2'))]
  await run('b', task('b1'))
  expect(order).toEqual(['a1 begins', 'b1 begins', 'b1 ends'])
  first.resolve()
  await Promise.all(own)
  expect(order.slice(3)).toEqual(['a1 ends', 'a2 begins', 'a2 ends'])
})

test('a task that fails frees its slot', async () => {
  const run = createSlotsByOwner<string>(1)
  const failing = run('a', () => Promise.reject(new Error('mine')))
  const next = run('a', () => Promise.resolve('next'))
  await expect(failing).rejects.toThrow('mine')
  expect(await next).toBe('next')
})
