// Cost guard: limits for a call's SQL statements, timers and messages to threads, counted in a running gateway. They do not vary with the machine.
import { afterAll, describe, expect, test } from 'bun:test'
import { OWN_CHECKOUT, startUpstream } from '../tools/bench/subjects.ts'
import { startCounted } from './counted.ts'
import { type CountedKind, countsOf } from './kinds.ts'
import { LIMITS } from './limits.ts'

const upstream = await startUpstream()
afterAll(() => upstream.process.stop())

const messageFor = (kind: CountedKind, name: string, count: number, limit: number): string =>
  `a ${kind} has ${count.toFixed(2)} ${name}, and its limit is ${limit}: find what added them (bun run bench --counts ` +
  'shows them all), or raise the limit in test/guard/limits.ts and say in the commit what they are for'

const gateway = await startCounted(OWN_CHECKOUT, upstream.port)
afterAll(() => gateway[Symbol.asyncDispose]())

const counted: [kind: CountedKind, limits: Record<string, number>, counts: Record<string, number>][] = []
for (const [kind, limits] of Object.entries(LIMITS) as [CountedKind, Record<string, number>][])
  counted.push([kind, limits, await countsOf(gateway, kind)])

describe('in a gateway', () => {
  for (const [kind, limits, counts] of counted) {
    test.each(Object.entries(limits))(`a ${kind} has no more %s than %d`, (name, limit) => {
      const count = counts[name] ?? 0
      expect(count, messageFor(kind, name, count, limit)).toBeLessThanOrEqual(limit)
    })
  }
})
