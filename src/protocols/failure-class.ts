// Owns whose doing a refusal is by its status alone, as far as all vendors agree.

export type FailureClass = 'bad_request' | 'rate_limited' | 'bad_key' | 'upstream_error'

/** RFC 9110, section 15.5. A model that is not found is this route's fault: another may have it. */
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
