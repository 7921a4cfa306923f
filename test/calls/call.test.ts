// The end of a call: its resources are released once, however it ends.
import { describe, expect, test } from 'bun:test'
import { Call, type CallOrigin, type CallStart } from '../../src/calls/life/call.ts'
import type { RunningCall } from '../../src/calls/life/running.ts'
import { memoryLog } from '../support/memory-log.ts'

function openCall() {
  const released: string[] = []
  const memory = memoryLog()
  const lease = { release: (tokens: number) => void released.push(`lease ${tokens}`) }
  const start: Partial<CallStart> = {
    origin: { request_id: 'req_1' } as CallOrigin,
    place: { done: () => void released.push('place') } as RunningCall,
    lease,
    log: memory.log,
  }
  return { call: new Call(start as CallStart), released, memory }
}

describe('a call whose handler is done', () => {
  test('releases its resources, the latest first, then its lease with the tokens used, and its place', async () => {
    const { call, released } = openCall()
    call.defer(() => void released.push('first'))
    call.defer(async () => void released.push('second'))
    call.used_tokens = 15
    await call.handled()
    expect(released).toEqual(['second', 'first', 'lease 15', 'place'])
  })

  test('releases nothing twice', async () => {
    const { call, released } = openCall()
    await call.handled()
    await call.handled()
    expect(released).toEqual(['lease 0', 'place'])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('continues when a release %s, and logs it', async (_, failing) => {
    const { call, released, memory } = openCall()
    call.defer(() => void released.push('other'))
    call.defer(failing)
    await call.handled()
    expect(released).toEqual(['other', 'lease 0', 'place'])
    expect(memory.lines()).toMatchObject([
      { level: 'error', request_id: 'req_1', message: 'a call could not be cleaned up' },
    ])
  })
})

describe('a call that was kept open for its stream', () => {
  test('ends with its stream, not with its handler', async () => {
    const { call, released } = openCall()
    call.keepOpen()
    await call.handled()
    expect(released).toEqual([])
    await call.end()
    await call.end()
    expect(released).toEqual(['lease 0', 'place'])
  })
})
