// The number that people write on a bank transfer: that of their order, with check digits, in characters that every bank takes. Pure.

const REFERENCE = /^TG-?(\d{1,15})-?(\d{2})$/

/** `TG-12-62`. */
export const transferReference = (order_id: number): string => `TG-${order_id}-${checkDigits(order_id)}`

/** By ISO 7064, MOD 97-10, as in an IBAN: a mistyped digit and two that were swapped are noticed. */
const checkDigits = (order_id: number): string =>
  String(98n - ((BigInt(order_id) * 100n) % 97n)).padStart(2, '0')

/**
 * The order that a transfer names, as it stands on a bank statement: `tg 12 62` is the same.
 *
 * @returns undefined for a text that is none, also by its check digits
 */
export function orderOfReference(text: string): number | undefined {
  const written = text.toUpperCase().replace(/[\s./_-]+/g, '-')
  const [, id, check] = REFERENCE.exec(written) ?? []
  return id !== undefined && checkDigits(Number(id)) === check ? Number(id) : undefined
}
