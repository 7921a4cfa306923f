// A check after each file: a gateway that it left running would work beside all later files of its process.
import { afterAll, expect } from 'bun:test'
import { OPEN_GATEWAYS } from './open-gateways.ts'

afterAll(() => {
  const left = [...OPEN_GATEWAYS]
  OPEN_GATEWAYS.clear()
  expect(left, 'gateways that the tests of this file did not stop').toEqual([])
})
