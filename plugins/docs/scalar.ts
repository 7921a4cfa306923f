// The file of Scalar's reference page, where its package has it. The build of the executable puts compressed copies in its place.
import { dirname, join } from 'node:path'
import type { Stored } from './stored.ts'

/** Looked up at the first request: most gateways are never asked for their page. */
export const scalar = (): Stored => ({
  identity: join(dirname(Bun.resolveSync('@scalar/api-reference', import.meta.dir)), 'browser/standalone.js'),
})
