// Signatures of thinking blocks: a changed block is refused, as in the messages API.
import { type JsonObject, textOf } from '../json.ts'

const SECRET = 'signed by the simulator'
const signatureOf = (digest: string): string => Bun.hash(`${SECRET}\n${digest}`).toString(36)
const digestOf = (thinking: string): string => Bun.hash(thinking).toString(36)

/** The signature of a thinking text, in base64. */
export function sign(thinking: string): string {
  const digest = digestOf(thinking)
  return Buffer.from(`simulated.${digest}.${signatureOf(digest)}`).toString('base64')
}

/** Whether a thinking block is unchanged. A hidden one comes back without its text. */
export function isGenuine({ thinking, signature }: JsonObject): boolean {
  const [mark, digest = '', signed] = Buffer.from(textOf(signature), 'base64').toString().split('.')
  if (mark !== 'simulated' || signed !== signatureOf(digest)) return false
  return textOf(thinking) === '' || digestOf(textOf(thinking)) === digest
}
