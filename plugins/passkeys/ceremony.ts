// The ceremonies of WebAuthn (https://www.w3.org/TR/webauthn-3/): what a browser is asked for, and whether its answer holds.
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { decodeAttestationObject } from '@simplewebauthn/server/helpers'
import { invalidRequest, unauthenticated } from '../../src/domain/errors.ts'
import type { PasskeyRow, PersonRow } from '../../src/store/schema.ts'
import { CHALLENGE_LASTS_MS } from './challenges.ts'
import type { NewPasskey } from './rows.ts'
import type { PasskeySite } from './site.ts'

type Challenge = Uint8Array<ArrayBuffer>

/** The person as devices know them: no name, which others could read there. */
const handleOf = ({ id }: Pick<PersonRow, 'id'>): Challenge => new TextEncoder().encode(`person ${id}`)

const encoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const described = ({ credential_id, transports }: PasskeyRow) => ({
  id: encoded(credential_id),
  transports: [...transports],
})

/** The options by which a browser adds a passkey: one that asks its user who they are, and needs no name to be found again. */
export const addingOptions = (
  { id, name: rpName }: PasskeySite & { name: string },
  person: PersonRow,
  { known, challenge }: { known: readonly PasskeyRow[]; challenge: Challenge },
) =>
  generateRegistrationOptions({
    rpID: id,
    rpName,
    userID: handleOf(person),
    userName: person.email ?? person.name,
    userDisplayName: person.name,
    challenge,
    timeout: CHALLENGE_LASTS_MS,
    attestationType: 'none',
    excludeCredentials: known.map(described),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })

/** The options by which a browser signs in. @param known those of a known person; empty: whichever it has */
export const signingOptions = (
  { id }: PasskeySite,
  { known, challenge }: { known: readonly PasskeyRow[]; challenge: Challenge },
) =>
  generateAuthenticationOptions({
    rpID: id,
    challenge,
    timeout: CHALLENGE_LASTS_MS,
    userVerification: 'required',
    allowCredentials: known.map(described),
  })

interface Expected {
  site: PasskeySite
  challenge: string
}

/** The passkey that a browser has made. @throws GatewayError invalid_request where its answer does not hold */
export async function madePasskey(
  response: RegistrationResponseJSON,
  { site, challenge }: Expected,
): Promise<Pick<NewPasskey, 'credential_id' | 'public_key' | 'counter' | 'transports'>> {
  try {
    refuseAttestation(response)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
    })
    if (!verified) throw new Error('not verified')
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential
    return {
      credential_id: Buffer.from(id, 'base64url'),
      public_key: Buffer.from(publicKey),
      counter,
      transports,
    }
  } catch (cause) {
    throw invalidRequest('The passkey was not added: the answer of the browser is not valid. Try again.', {
      code: 'passkey_not_valid',
      cause,
    })
  }
}

/** No statement of the device's maker was asked for. To check one, the certificates in it would be asked whether they were revoked: at any address. */
function refuseAttestation({ response }: RegistrationResponseJSON): void {
  const object = decodeAttestationObject(Buffer.from(response.attestationObject, 'base64url'))
  const is_own = object.get('fmt') === 'packed' && object.get('attStmt').get('x5c') === undefined
  if (object.get('fmt') !== 'none' && !is_own) throw new Error('an attestation that was not asked for')
}

/** The counter of a use of a passkey. @throws GatewayError unauthenticated where the answer does not hold */
export async function usedCounter(
  response: AuthenticationResponseJSON,
  { person_id, credential_id, public_key, transports }: PasskeyRow,
  { site, challenge }: Expected,
): Promise<number> {
  try {
    const { userHandle } = response.response
    if (userHandle !== undefined && userHandle !== encoded(handleOf({ id: person_id })))
      throw new Error('the handle of another person')
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      credential: {
        id: encoded(credential_id),
        publicKey: Uint8Array.from(public_key),
        // It is compared where it is stored, so that a use at the same moment counts.
        counter: 0,
        transports: [...transports],
      },
    })
    if (!verified) throw new Error('not verified')
    return authenticationInfo.newCounter
  } catch (cause) {
    throw wrongPasskey(cause)
  }
}

/** The same words whatever is wrong. */
export const wrongPasskey = (cause?: unknown) =>
  unauthenticated('This passkey does not sign in here. It may have been removed. Sign in another way.', {
    code: 'wrong_passkey',
    cause,
  })
