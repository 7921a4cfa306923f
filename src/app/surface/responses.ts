// The failures that a route answers, in its response schema.
import type { TSchema } from '@sinclair/typebox'

/** A schema for the body of errors, under each status that a route may fail with. */
export const failures = <Body extends TSchema, const Status extends number>(
  body: Body,
  ...statuses: readonly Status[]
) => Object.fromEntries(statuses.map((status) => [status, body])) as { [S in Status]: Body }
