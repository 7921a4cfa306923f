// Recorded values that are frozen, so that code that changes values shared between calls fails.
import { afterAll, spyOn } from 'bun:test'
import type { Json } from '../../src/protocols/wire/json.ts'
import { KnownValues } from '../../src/protocols/wire/known-values.ts'

function freeze(value: Json): void {
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) freeze(inner)
  Object.freeze(value)
}

/** Freezes known values in all tests of a file. @returns a counter of the values handed out so far */
export function freezeKnownValues(): () => number {
  let handed_out = 0
  const { find } = KnownValues.prototype
  const spy = spyOn(KnownValues.prototype, 'find').mockImplementation(function (this: KnownValues, at) {
    const found = find.call(this, at)
    if (found) {
      handed_out++
      freeze(found.value)
    }
    return found
  })
  afterAll(() => spy.mockRestore())
  return () => handed_out
}
