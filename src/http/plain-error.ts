// The error format of the gateway's own endpoints, and of unknown paths.
import { Type } from '@sinclair/typebox'
import type { ErrorKind } from '../domain/errors.ts'
import type { RenderError } from './answers.ts'
import { Nullable } from './schema.ts'

/** The body of an error, also for images and uploads. */
export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        message: Type.String({ description: 'What went wrong, and how to fix it.' }),
        type: Type.String({ description: 'The kind of error.' }),
        code: Type.String({ description: 'The specific error, for programs.' }),
        param: Nullable(Type.String({ description: 'The field or parameter at fault.' })),
      },
      { description: 'The error.' },
    ),
  },
  { title: 'Error' },
)

const STATUS_BY_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  insufficient_balance: 402,
  permission_denied: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media: 415,
  unprocessable: 422,
  rate_limited: 429,
  internal: 500,
  unimplemented: 501,
  upstream_failed: 502,
  upstream_overloaded: 503,
  overloaded: 503,
  upstream_timeout: 504,
}

/** An `ErrorBody` whose type is the kind of the error. */
export const plainError: RenderError = ({ kind, message, code = kind, param = null }) => ({
  status: STATUS_BY_KIND[kind],
  body: { error: { message, type: kind, code, param } },
})
