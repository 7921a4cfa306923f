// Common parts of the catalogue file's schemas: closed tables, counts.
import { Type } from '@sinclair/typebox'

export const closed = { additionalProperties: false }

/** Far more than any model's context; the product of two such counts is still exact. */
export const MAX_COUNT = 67_108_864

export const Count = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_COUNT, description })

/** `address:port`, IPv6 addresses in brackets. */
export const LISTEN_PATTERN = '^(\\[[0-9A-Fa-f:.]+\\]|[^\\s:]+):[0-9]{1,5}$'

/** setTimeout fires immediately for delays beyond 31 bits. */
export const MAX_TIMER_MS = 2_147_483_647

/** Optional text, not empty if present. */
export const OptionalText = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

export const Milliseconds = (options: { default: number; minimum: number; description?: string }) =>
  Type.Integer({ ...options, maximum: MAX_TIMER_MS })

/** The default of `[server] env_names`. */
export const DEFAULT_ENV_NAMES: readonly string[] = ['*_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK']
