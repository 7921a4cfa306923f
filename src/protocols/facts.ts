// What a protocol tells the rest of the gateway: of a request, of where it goes, and of a refusal.
import type { InputField } from '../domain/usage.ts'
import type { FailureClass } from './failure-class.ts'

/** What a quote needs to know of a request, whatever its protocol. */
export interface RequestFacts {
  /** An estimate of all that the request makes the model read. */
  input_tokens: number
  /** The output limit that the caller set; undefined where he set none. */
  max_output_tokens: number | undefined
  /** How many answers he asked for; each may be as long as the limit. */
  answers: number
  /** How the input may be billed, where less than every way is possible: a quote then holds no more than that. */
  input_fields?: readonly InputField[]
}

/** Where and how a request goes to a provider of this protocol. */
export interface UpstreamTarget {
  /** Path and query, appended to the provider's base_url. */
  path: string
  headers: Record<string, string>
}

/** What a provider's refusal means for this call, and for the route and key that it came through. */
export interface UpstreamFailure {
  /**
   * `bad_request`: the caller's doing, no other route would help. `rate_limited`: limits of this key or overload, others may serve.
   * `bad_key`: the provider refuses this key. `upstream_error`: anything else that is not the caller's doing.
   */
  failure_class: FailureClass
  /** The provider's own words, not yet cleaned of addresses and secrets. */
  message: string
  retry_after_s: number | undefined
  /** What the refusal means, where a surface has a code for it. */
  code?: string | undefined
}
