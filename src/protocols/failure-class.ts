// The failure classes, and the default one by HTTP status, as far as all providers agree.

/**
 * `bad_request`: the request itself is at fault, no other route would help. `rate_limited`: a limit of this key, or
 * overload; other routes may serve. `bad_key`: the provider refuses this key. `upstream_error`: anything else that is
 * not the caller's fault.
 */
export type FailureClass = 'bad_request' | 'rate_limited' | 'bad_key' | 'upstream_error'

/** RFC 9110, section 15.5. A model that is not found is the fault of this route: another one may have it. */
export const DEFAULT_FAILURE_CLASSES: Readonly<Record<number, FailureClass>> = {
  400: 'bad_request',
  401: 'bad_key',
  402: 'bad_key',
  403: 'bad_key',
  404: 'upstream_error',
  413: 'bad_request',
  422: 'bad_request',
  429: 'rate_limited',
}
