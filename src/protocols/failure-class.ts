// The failure classes, and the default class for each HTTP status that all providers agree on.

/**
 * `bad_request`: the request itself is wrong, no other route would help. `rate_limited`: this key reached a limit.
 * `overloaded`: the provider lacks capacity; other routes may serve. `bad_key`: the provider refuses this key.
 * `timed_out`: no answer came in time. `upstream_error`: any other failure that is not the caller's fault.
 */
export type FailureClass =
  | 'bad_request'
  | 'rate_limited'
  | 'overloaded'
  | 'bad_key'
  | 'timed_out'
  | 'upstream_error'

/**
 * RFC 9110, section 15.5, and Anthropic's 529, which proxies of other protocols send too. 404 is a fault of the route: another
 * route may have the model.
 */
export const DEFAULT_FAILURE_CLASSES: Readonly<Record<number, FailureClass>> = {
  400: 'bad_request',
  401: 'bad_key',
  402: 'bad_key',
  403: 'bad_key',
  404: 'upstream_error',
  413: 'bad_request',
  422: 'bad_request',
  429: 'rate_limited',
  503: 'overloaded',
  504: 'timed_out',
  529: 'overloaded',
}
