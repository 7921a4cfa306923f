// Secret keys of minisign without a password, made for tests.
import { createPrivateKey, createPublicKey } from 'node:crypto'

/** A key whose seed and ID repeat one byte. @param change spoils the key */
export function secretKeyText(byte: number, change: (bytes: Buffer) => void = () => {}): string {
  const seed = Buffer.alloc(32, byte)
  const secret = Buffer.concat([seed, publicBytes(seed)])
  const id = Buffer.alloc(8, byte)
  const head = Buffer.from('Ed\0\0B2', 'latin1')
  const bytes = Buffer.concat([head, Buffer.alloc(48), id, secret, Buffer.alloc(32)])
  change(bytes)
  return `untrusted comment: minisign secret key\n${bytes.toString('base64')}\n`
}

function publicBytes(seed: Buffer): Buffer {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
}
