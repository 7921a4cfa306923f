// Owns the signatures of the simulator's thoughts: whoever changes a thought is refused with it, as at the vendor.
import type { JsonObject } from '../json.ts'
import { textOf } from '../json.ts'

const SECRET = 'signed by the simulator'
const seal = (digest: string): string => Bun.hash(`${SECRET}\n${digest}`).toString(36)
const digestOf = (thinking: string): string => Bun.hash(thinking).toString(36)

/** The signature of a thought, in base64 as the vendor's are. */
export function sign(thinking: string): string {
  const digest = digestOf(thinking)
  return Buffer.from(`simulated.${digest}.${seal(digest)}`).toString('base64')
}

/** Whether a thinking block is as it was written. One that was not shown comes back without its text. */
export function isGenuine({ thinking, signature }: JsonObject): boolean {
  const [mark, digest = '', sealed] = Buffer.from(textOf(signature), 'base64').toString().split('.')
  if (mark !== 'simulated' || sealed !== seal(digest)) return false
  return textOf(thinking) === '' || digestOf(textOf(thinking)) === digest
}
