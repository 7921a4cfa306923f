// Errors for callers: a kind, a message, and a cause that only the log shows.

import { StorageFailure } from './storage-failure.ts'

export type ErrorKind =
  | 'invalid_request'
  | 'unauthenticated'
  | 'insufficient_balance'
  | 'permission_denied'
  | 'not_found'
  | 'conflict'
  | 'payload_too_large'
  /** A body in an unsupported form, such as an unknown Content-Encoding. */
  | 'unsupported_media'
  | 'unprocessable'
  | 'rate_limited'
  | 'internal'
  | 'unimplemented'
  | 'upstream_failed'
  /** The provider is overloaded; `overloaded` is the gateway itself. */
  | 'upstream_overloaded'
  | 'upstream_timeout'
  | 'overloaded'

type ErrorFacts = Record<string, string | string[]>

export interface ErrorDetail {
  /** A more specific code than the kind, such as `duplicate_reference`. */
  code?: string | undefined
  /** The field at fault, as the caller wrote it (`generationConfig.maxOutputTokens`). */
  param?: string | undefined
  /** Whole seconds to wait before a retry. */
  retry_after_s?: number | undefined
  /** Machine-readable details, for protocols that have a field for them. */
  details?: ErrorFacts | undefined
  /** Whether the message quotes a provider's, which may quote the request. */
  is_quoted?: boolean | undefined
  /** For the log only; may contain confidential data. */
  cause?: unknown
}

/** The only error that a surface renders. `message` states the problem and the fix for the caller. */
export class GatewayError extends Error {
  readonly kind: ErrorKind
  readonly code: string | undefined
  readonly param: string | undefined
  readonly retry_after_s: number | undefined
  readonly details: ErrorFacts | undefined
  readonly is_quoted: boolean | undefined

  constructor(kind: ErrorKind, message: string, detail: ErrorDetail = {}) {
    super(message, { cause: detail.cause })
    this.name = 'GatewayError'
    this.kind = kind
    this.code = detail.code
    this.param = detail.param
    this.retry_after_s = detail.retry_after_s
    this.details = detail.details
    this.is_quoted = detail.is_quoted
  }
}

type Constructor = (message: string, detail?: ErrorDetail) => GatewayError

const constructorOf =
  (kind: ErrorKind): Constructor =>
  (message, detail) =>
    new GatewayError(kind, message, detail)

export const invalidRequest = constructorOf('invalid_request')
export const unauthenticated = constructorOf('unauthenticated')
export const insufficientBalance = constructorOf('insufficient_balance')
export const permissionDenied = constructorOf('permission_denied')
export const notFound = constructorOf('not_found')
export const conflict = constructorOf('conflict')
export const payloadTooLarge = constructorOf('payload_too_large')
export const unsupportedMedia = constructorOf('unsupported_media')
export const unprocessable = constructorOf('unprocessable')
export const rateLimited = constructorOf('rate_limited')
export const internal = constructorOf('internal')
export const unimplemented = constructorOf('unimplemented')
export const upstreamFailed = constructorOf('upstream_failed')
export const upstreamOverloaded = constructorOf('upstream_overloaded')
export const upstreamTimeout = constructorOf('upstream_timeout')
export const overloaded = constructorOf('overloaded')

/** System error codes of a disk that cannot be read or written now, independent of the content. errno(3) */
const DISK_CODES = /^(ENOSPC|EDQUOT|EROFS|EIO|EMFILE|ENFILE)$/

/** Whether the disk, the database or the bucket failed, so that the same operation may succeed later. */
export const isStorageFailure = (thrown: unknown): thrown is Error & { code: string } =>
  thrown instanceof StorageFailure ||
  (thrown instanceof Error && 'code' in thrown && DISK_CODES.test(String(thrown.code)))

/** The kinds of failures of the gateway or a provider, as opposed to refusals of a request. */
const FAILURES: ReadonlySet<ErrorKind> = new Set([
  'internal',
  'overloaded',
  'upstream_failed',
  'upstream_overloaded',
  'upstream_timeout',
])

/** Whether a request failed, as opposed to being refused. */
export const isFailure = (thrown: unknown): boolean => FAILURES.has(toGatewayError(thrown).kind)

/** Ignores a failure of the disk, the database or the bucket, for optional work; rethrows any other. */
export function ignoreStorageFailure(thrown: unknown): void {
  if (!isStorageFailure(thrown)) throw thrown
}

/** The message of the database's triggers, on both engines, for a write to an account that another process has just erased. */
const ERASED = 'the account is erased'

/**
 * Converts any thrown value to a GatewayError, with the original as its cause: a failure of the disk or the database to
 * `overloaded`, a write to an erased account to `unauthenticated`, any other error to `internal`.
 */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  if (isStorageFailure(thrown)) {
    return overloaded('The gateway cannot read or write its storage at the moment; please try again.', {
      code: 'storage_unavailable',
      retry_after_s: 1,
      cause: thrown,
    })
  }
  if (thrown instanceof Error && thrown.message === ERASED)
    return unauthenticated('The account of this request was erased. Use the API key of another account.', {
      cause: thrown,
    })
  return internal('The gateway failed to handle this request. It has been logged; please try again.', {
    cause: thrown,
  })
}

/**
 * A failure of an upstream: its transport broke, or its answer is malformed. Another route may serve the call. Any other
 * exception while an answer is read is a bug of the gateway.
 */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault'
}

/** An answer, or an event of one, over the size limit. */
export class OversizedAnswer extends UpstreamFault {}

/** The failure of a stream that broke after its first byte, with one message for all places that detect it. */
export const brokenStream = (cause?: unknown): GatewayError =>
  upstreamFailed(
    "The model's provider interrupted its answer. Only what was delivered is charged; please retry.",
    {
      cause,
    },
  )
