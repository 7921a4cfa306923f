// Errors as callers see them: a kind, a message for the caller, and a cause for the log alone.

import { StorageFailure } from './storage-failure.ts'

export type ErrorKind =
  | 'invalid_request'
  | 'unauthenticated'
  | 'insufficient_balance'
  | 'permission_denied'
  | 'not_found'
  | 'conflict'
  | 'payload_too_large'
  /** A body in a form that is not read, such as an unknown Content-Encoding. */
  | 'unsupported_media'
  | 'unprocessable'
  | 'rate_limited'
  | 'internal'
  | 'unimplemented'
  | 'upstream_failed'
  /** The provider has too much to do; where the gateway has, it is `overloaded`. */
  | 'upstream_overloaded'
  | 'upstream_timeout'
  | 'overloaded'

type ErrorFacts = Record<string, string | string[]>

export interface ErrorDetail {
  /** A more specific code than the kind, where a surface promises one (`duplicate_reference`). */
  code?: string | undefined
  /** The field at fault, as the caller wrote it (`generationConfig.maxOutputTokens`). */
  param?: string | undefined
  /** Whole seconds to wait before a retry. */
  retry_after_s?: number | undefined
  /** A machine-readable detail of the error beside its code, where the surface's protocol has a place for it. */
  details?: ErrorFacts | undefined
  /** The message has a provider's own words, which may quote the request. */
  is_quoted?: boolean | undefined
  /** For the log only; may contain what a caller must not see. */
  cause?: unknown
}

/** The only error that a surface renders. `message` tells the caller what happened and what to do. */
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

/** Codes of the system that say a disk cannot be read or written at the moment, whatever was to be written. errno(3) */
const DISK_CODES = /^(ENOSPC|EDQUOT|EROFS|EIO|EMFILE|ENFILE)$/

/** Whether the disk, the database or the bucket failed, not the work that was to be done: the same may succeed later. */
export const isStorageFailure = (thrown: unknown): thrown is Error & { code: string } =>
  thrown instanceof StorageFailure ||
  (thrown instanceof Error && 'code' in thrown && DISK_CODES.test(String(thrown.code)))

/** The kinds of failures that are the gateway's own, or a provider's: nothing that was requested is why. */
const FAILURES: ReadonlySet<ErrorKind> = new Set([
  'internal',
  'overloaded',
  'upstream_failed',
  'upstream_overloaded',
  'upstream_timeout',
])

/** Reports whether a request failed, as against being refused. */
export const isFailure = (thrown: unknown): boolean => FAILURES.has(toGatewayError(thrown).kind)

/** Drops a failure of the disk, the database or the bucket, for work that may be left undone; throws any other. */
export function dropIfOfStorage(thrown: unknown): void {
  if (!isStorageFailure(thrown)) throw thrown
}

/** The words of the database's triggers, on both engines: a row was to be written for an account that another process has erased a moment ago. */
const ERASED = 'the account is erased'

/**
 * Any thrown value as a GatewayError, with the original as its cause: a failure of the disk or the database becomes
 * `overloaded`, a row of an erased account `unauthenticated`, any other error `internal`.
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
 * An upstream's own failure: its transport broke, or its answer is garbled. Another route may serve. Anything else that is
 * thrown while an answer is read is a bug of the gateway, and no provider's fault.
 */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault'
}

/** An answer, or an event of one, that is longer than is taken. */
export class OversizedAnswer extends UpstreamFault {}

/** The failure of a stream that broke after it began: the same message wherever the break is noticed. */
export const brokenStream = (cause?: unknown): GatewayError =>
  upstreamFailed(
    "The model's provider interrupted its answer. Only what was delivered is charged; please retry.",
    {
      cause,
    },
  )
