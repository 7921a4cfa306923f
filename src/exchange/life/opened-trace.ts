// The trace of a call whose money was held just now, with what is known of it by then.
import type { Nanos } from '../../domain/money.ts'
import { keyOf } from '../../idempotency/idempotency.ts'
import type { ExchangeParts } from '../parts.ts'
import type { Admitted } from './admission.ts'
import { Trace } from './trace.ts'

/** @param ceiling_nanos if less than the most that the call can cost was held */
export function openTrace(
  { now, publicWords }: ExchangeParts,
  { origin, started_ms }: Admitted,
  ceiling_nanos: Nanos | undefined,
): Trace {
  const trace = new Trace(started_ms, now(), publicWords)
  if (ceiling_nanos !== undefined) trace.note({ ceiling_nanos })
  const key = keyOf(origin.request)
  if (key !== null) trace.note({ idempotency_key_sha256: hashOf(key) })
  return trace
}

/** Enough to tell keys apart: whoever has the key can find its calls. */
const HASH_CHARS = 16

const hashOf = (key: string): string =>
  new Bun.CryptoHasher('sha256').update(key).digest('hex').slice(0, HASH_CHARS)
