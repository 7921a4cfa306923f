// Common fields of the console's requests: IDs in paths, amounts, names, lists of words.
import { Type } from '@sinclair/typebox'
import { REQUEST_KEY_PATTERN } from '../../../access/repeatable-key.ts'
import { invalidRequest } from '../../../domain/errors.ts'
import { type Nanos, parseUsd } from '../../../domain/money.ts'
import { MOVEMENT_KEY_PATTERN } from '../../../domain/movement-keys.ts'
import { Closed } from '../../../http/schema.ts'

/** An account in a path or a parameter: its permanent number, or its name. */
export const AccountRef = Type.String({
  minLength: 1,
  maxLength: 64,
  must: 'the number or the name of an account',
})
export const AccountParams = Closed({ id: AccountRef })

/** A key in a path or a parameter: its permanent number, or its prefix. */
export const KeyRef = Type.String({ minLength: 1, maxLength: 64, must: 'the number or the prefix of a key' })
export const KeyParams = Closed({ id: KeyRef })

/** Parses a reference as a number; undefined for a name or a prefix. */
export const numberIn = (reference: string): number | undefined =>
  /^\d{1,15}$/.test(reference) ? Number(reference) : undefined

/** Idempotency key: a repeated request with the same content creates no second API key; its answer has the first one. */
export const RequestKey = Type.String({
  pattern: REQUEST_KEY_PATTERN,
  must: '32 random bytes as base64url or hex. Use new ones for each API key, and the same ones to repeat a request',
})

/** An amount as decimal USD in text, so that no floating-point number is involved. */
export const UsdText = Type.String({ maxLength: 40, must: 'an amount in USD as text, such as "12.50"' })

/** Headers of a request that moves money: an idempotency key, and any others. */
export const MovementHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: MOVEMENT_KEY_PATTERN,
      must: '1 to 255 printable ASCII characters, and not one of the gateway’s own keys, such as order:12. Use a new key for each movement, and the same key to repeat a request',
    }),
  ),
})
export const PriceGroupName = Type.String({
  minLength: 1,
  maxLength: 64,
  must: 'the name of a price group',
})

export const Search = Type.String({ maxLength: 100, must: 'at most 100 characters' })

export const Words = (must: string) => Type.Array(Type.String({ maxLength: 128 }), { maxItems: 200, must })

/**
 * Parses an amount of 0 or more.
 * @throws GatewayError invalid_request if it is no decimal number, is negative, or is too large to be exact
 */
export function readUsd(name: string, text: string): Nanos {
  return usdFrom(name, text, 0)
}

/** Parses an amount above 0. @throws GatewayError as `readUsd` */
export function readPositiveUsd(name: string, text: string): Nanos {
  return usdFrom(name, text, 1)
}

function usdFrom(name: string, text: string, min_nanos: 0 | 1): Nanos {
  let nanos = -1
  try {
    nanos = parseUsd(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // A number has its precise error; any other text has the same advice as an amount that is too small.
    if (/^-?[0-9.]+$/.test(text)) throw invalidRequest(`${name}: ${error.message}.`, { param: name })
  }
  if (nanos >= min_nanos) return nanos
  const advice = min_nanos === 0 ? 'enter an amount of 0 or more' : 'enter an amount above 0'
  throw invalidRequest(`${name}: ${advice}.`, { param: name })
}
