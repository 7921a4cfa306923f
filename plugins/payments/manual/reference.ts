// The number that people write on a bank transfer: that of their order, with check digits, in characters that every bank takes. Pure.
import type { PaymentOrder } from '../../../src/payment-api.ts'

const REFERENCE = /^TG-?(\d{1,15})-?(\d{3})(\d{2})$/

type Numbered = Pick<PaymentOrder, 'id' | 'expires_at_ms'>

/**
 * `TG-12-47130`: the order, three digits of its time and two check digits. After a backup was restored, an order may have the number of one
 * that is gone, whose transfer is still on its way: by their times they are not taken for each other.
 */
export const transferReference = ({ id, expires_at_ms }: Numbered): string => {
  const time = String(Math.floor(expires_at_ms / 1_000) % 1_000).padStart(3, '0')
  return referenceOf(String(id), time)
}

const referenceOf = (id: string, time: string): string => `TG-${id}-${time}${checkDigits(id + time)}`

/** By ISO 7064, MOD 97-10, as in an IBAN: a mistyped digit and two that were swapped are noticed. */
const checkDigits = (digits: string): string => String(98n - ((BigInt(digits) * 100n) % 97n)).padStart(2, '0')

/**
 * Reads the number on a transfer, as it stands on a bank statement: `tg-12-47130` is the same.
 *
 * @returns the number of an order, and the reference that this order must have; undefined for a text that is none, also by its check digits
 */
export function readReference(text: string): { order_id: number; reference: string } | undefined {
  const written = text.toUpperCase().replace(/[\s./_-]+/g, '-')
  const [, id, time, check] = REFERENCE.exec(written) ?? []
  if (id === undefined || time === undefined || checkDigits(id + time) !== check) return undefined
  return { order_id: Number(id), reference: referenceOf(id, time) }
}
