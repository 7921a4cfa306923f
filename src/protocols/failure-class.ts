// Owns whose doing a refusal is by its status alone, as far as all vendors agree.
import type { UpstreamFailure } from './protocol.ts'

export type Blame = UpstreamFailure['blame']

/** RFC 9110, section 15.5. A model that is not found is this route's fault: another may have it. */
export const COMMON_BLAME: Readonly<Record<number, Blame>> = {
  400: 'request',
  401: 'key',
  402: 'key',
  403: 'key',
  404: 'broken',
  413: 'request',
  422: 'request',
  429: 'busy',
}
