// The end of a call: what it borrowed is given back once, however it ends.
import { describe, expect, test } from 'bun:test'
import { Call, type CallOrigin, type CallStart } from '../../src/calls/life/call.ts'
import type { RunningCall } from '../../src/calls/life/running.ts'
import { memoryLog } from '../support/memory-log.ts'

function opened() {
  const told: string[] = []
  const memory = memoryLog()
  const lease = { release: (tokens: number) => void told.push(`lease ${tokens}`) }
  const start: Partial<CallStart> = {
    origin: { request_id: 'req_1' } as CallOrigin,
    place: { done: () => void told.push('place') } as RunningCall,
    lease,
    log: memory.log,
  }
  return { call: new Call(start as CallStart), told, memory }
}

describe('a call whose handler is done', () => {
  test('gives back what it borrowed, the latest first, then its lease with the tokens used, and its place', async () => {
    const { call, told } = opened()
    call.defer(() => void told.push('first'))
    call.defer(async () => void told.push('second'))
    call.used_tokens = 15
    await call.handled()
    expect(told).toEqual(['second', 'first', 'lease 15', 'place'])
  })

  test('gives nothing back twice', async () => {
    const { call, told } = opened()
    await call.handled()
    await call.handled()
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
    const { call, told, memory } = opened()
    call.defer(() => void told.push('other'))
    call.defer(failing)
    await call.handled()
    expect(told).toEqual(['other', 'lease 0', 'place'])
    expect(memory.lines()).toMatchObject([
      { level: 'error', request_id: 'req_1', message: 'a call could not be cleaned up' },
    ])
  })
})

describe('a call that was kept open for its stream', () => {
  test('ends with its stream, not with its handler', async () => {
    const { call, told } = opened()
    call.keepOpen()
    await call.handled()
    expect(told).toEqual([])
    await call.end()
    await call.end()
    expect(told).toEqual(['lease 0', 'place'])
  })
})
