// The reference that people write on a bank transfer: order ID and check digits, in characters that every bank accepts. Pure.
import type { PaymentOrder } from '../../../src/payment-api.ts'

const REFERENCE = /^TG-?(\d{1,15})-?(\d{3})(\d{2})$/

type TransferOrder = Pick<PaymentOrder, 'id' | 'expires_at_ms'>

/**
 * `TG-12-47130`: the order ID, three digits of its time and two check digits. After a restored backup, a new order may get the ID of a lost one
 * whose transfer is still on its way: the time distinguishes them.
 */
export const transferReference = ({ id, expires_at_ms }: TransferOrder): string => {
  const time = String(Math.floor(expires_at_ms / 1_000) % 1_000).padStart(3, '0')
  return referenceOf(String(id), time)
}

const referenceOf = (id: string, time: string): string => `TG-${id}-${time}${checkDigits(id + time)}`

/** ISO 7064, MOD 97-10, as in an IBAN: detects one wrong digit and two swapped ones. */
const checkDigits = (digits: string): string => String(98n - ((BigInt(digits) * 100n) % 97n)).padStart(2, '0')

/**
 * Parses the reference of a transfer as the bank statement shows it, also in lower case or with other separators.
 *
 * @returns the order ID, and the reference that this order must have; undefined for an invalid reference, also by its check digits
 */
export function readReference(text: string): { order_id: number; reference: string } | undefined {
  const written = text.toUpperCase().replace(/[\s./_-]+/g, '-')
  const [, id, time, check] = REFERENCE.exec(written) ?? []
  if (id === undefined || time === undefined || checkDigits(id + time) !== check) return undefined
  return { order_id: Number(id), reference: referenceOf(id, time) }
}
