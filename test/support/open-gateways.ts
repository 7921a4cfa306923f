// The gateways that tests have started and not stopped. One that outlives its file works beside all later files of its process: this
// fails the file.
import { afterAll, expect } from 'bun:test'

/** The data folders of the running gateways. */
export const OPEN_GATEWAYS = new Set<string>()

afterAll(() => {
  const left = [...OPEN_GATEWAYS]
  OPEN_GATEWAYS.clear()
  expect(left, 'gateways that the tests of this file did not stop').toEqual([])
})
