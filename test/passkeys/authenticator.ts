// A device with passkeys in software (https://www.w3.org/TR/webauthn-3/), with the faults that a test sets.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** The differences from an honest browser and device. */
export interface Lie {
  /** The site of the page, in place of the right one. */
  origin?: string
  /** The domain in the signature. */
  rp_id?: string
  challenge?: string
  type?: string
  /** User present 1, user verified 4. */
  flags?: number
  counter?: number
  user_handle?: string
  /** The signature is of other data. */
  forged?: boolean
  /** The statement about the device. */
  fmt?: string
}

const PRESENT_AND_VERIFIED = 0b101
const ATTESTED = 0b100_0000

export function authenticator(site: { origin: string; rp_id: string }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const device = { counter: 0, handle: '' }
  const credential = {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
  }

  return {
    id,
    device,
    /** Answers the request for a new passkey. */
    make(options: { challenge: string; user: { id: string } }, lie: Lie = {}) {
      device.handle = options.user.id
      const client = clientData('webauthn.create', options.challenge, site.origin, lie)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseOf(publicKey)])
      const data = Buffer.concat([
        authData(lie.rp_id ?? site.rp_id, (lie.flags ?? PRESENT_AND_VERIFIED) | ATTESTED, lie.counter ?? 0),
        attested,
      ])
      const attestationObject = attestation(lie.fmt ?? 'none', data).toString('base64url')
      return {
        ...credential,
        response: {
          clientDataJSON: client.toString('base64url'),
          attestationObject,
          transports: ['internal'],
        },
      }
    },
    /** Answers the request to sign in. */
    use({ challenge }: { challenge: string }, lie: Lie = {}) {
      const handle = lie.user_handle ?? device.handle
      if (lie.counter === undefined && device.counter > 0) device.counter += 1
      const client = clientData('webauthn.get', challenge, site.origin, lie)
      const data = authData(
        lie.rp_id ?? site.rp_id,
        lie.flags ?? PRESENT_AND_VERIFIED,
        lie.counter ?? device.counter,
      )
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      if (lie.forged) signed[0] = (signed[0] ?? 0) ^ 1
      return {
        ...credential,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          ...(handle !== '' && { userHandle: handle }),
        },
      }
    },
  }
}

const clientData = (type: string, challenge: string, origin: string, lie: Lie): Buffer =>
  Buffer.from(
    JSON.stringify({
      type: lie.type ?? type,
      challenge: lie.challenge ?? challenge,
      origin: lie.origin ?? origin,
      crossOrigin: false,
    }),
  )

function authData(rp_id: string, flags: number, counter: number): Buffer {
  const tail = Buffer.alloc(5)
  tail[0] = flags
  tail.writeUInt32BE(counter, 1)
  return Buffer.concat([createHash('sha256').update(rp_id).digest(), tail])
}

/** The key as in RFC 9053: ES256 on P-256. */
function coseOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const [head, middle] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')]
  return Buffer.concat([head, Buffer.from(x, 'base64url'), middle, Buffer.from(y, 'base64url')])
}

/** CBOR of `{ fmt, attStmt: {}, authData }`, with up to 255 bytes of data. */
function attestation(fmt: string, data: Buffer): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text(fmt),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    Buffer.from([0x58, data.length]),
    data,
  ])
}
