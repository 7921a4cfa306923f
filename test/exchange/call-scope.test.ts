// The scope of a call: what it borrowed is given back once, however the call ends.
import { describe, expect, test } from 'bun:test'
import { CallScope } from '../../src/exchange/life/call-scope.ts'
import type { RunningCall } from '../../src/exchange/life/running.ts'
import { memoryLog } from '../support/memory-log.ts'

function opened() {
  const told: string[] = []
  const memory = memoryLog()
  const lease = { release: (tokens: number) => void told.push(`lease ${tokens}`) }
  const place = { done: () => void told.push('place') } as RunningCall
  return { scope: new CallScope(lease, place, memory.log, 'req_1'), told, memory }
}

describe('a call whose handler is done', () => {
  test('gives back what it borrowed, the latest first, then its lease with the tokens used, and its place', async () => {
    const { scope, told } = opened()
    scope.defer(() => void told.push('first'))
    scope.defer(async () => void told.push('second'))
    scope.used_tokens = 15
    await scope.handled()
    expect(told).toEqual(['second', 'first', 'lease 15', 'place'])
  })

  test('gives nothing back twice', async () => {
    const { scope, told } = opened()
    await scope.handled()
    await scope.handled()
    expect(told).toEqual(['lease 0', 'place'])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('goes on where a release %s, which is logged', async (_, failing) => {
    const { scope, told, memory } = opened()
    scope.defer(() => void told.push('other'))
    scope.defer(failing)
    await scope.handled()
    expect(told).toEqual(['other', 'lease 0', 'place'])
    expect(memory.lines()).toMatchObject([
      { level: 'error', request_id: 'req_1', message: 'a call could not be cleaned up' },
    ])
  })
})

describe('a call that was kept open for its stream', () => {
  test('ends with its stream, not with its handler', async () => {
    const { scope, told } = opened()
    const end = scope.keepOpen()
    await scope.handled()
    expect(told).toEqual([])
    await end()
    await end()
    expect(told).toEqual(['lease 0', 'place'])
  })
})
