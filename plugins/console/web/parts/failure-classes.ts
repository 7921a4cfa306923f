// Failure classes of providers, in words that follow the name of one.
const WORDS: Readonly<Record<string, string>> = {
  bad_request: 'refused the request',
  rate_limited: 'limited the rate',
  overloaded: 'was overloaded',
  bad_key: 'refused the key',
  timed_out: 'did not answer in time',
  upstream_error: 'failed',
  broke_off: 'broke off',
}

export const failureClassWord = (failure_class: string): string =>
  WORDS[failure_class] ?? failure_class.replaceAll('_', ' ')
