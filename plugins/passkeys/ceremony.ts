// WebAuthn ceremonies (https://www.w3.org/TR/webauthn-3/): the options for the browser, and the verification of its answers.
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

/** The user handle of a person on their devices: a number, since others could read a name there. */
const handleOf = ({ id }: Pick<PersonRow, 'id'>): Challenge => new TextEncoder().encode(`person ${id}`)

const toBase64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const descriptorOf = ({ credential_id, transports }: PasskeyRow) => ({
  id: toBase64Url(credential_id),
  transports: [...transports],
})

/** Options for registering a passkey that verifies its user, and that the browser finds without a user name. */
export const registrationOptions = (
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
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })

/** Options for signing in. @param known the passkeys of a known person; empty to let the browser offer any */
export const authenticationOptions = (
  { id }: PasskeySite,
  { known, challenge }: { known: readonly PasskeyRow[]; challenge: Challenge },
) =>
  generateAuthenticationOptions({
    rpID: id,
    challenge,
    timeout: CHALLENGE_LASTS_MS,
    userVerification: 'required',
    allowCredentials: known.map(descriptorOf),
  })

interface Expected {
  site: PasskeySite
  challenge: string
}

/** Verifies a new passkey. @throws GatewayError invalid_request for an invalid answer */
export async function verifyRegistration(
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

/** Refuses a maker's attestation, which was not requested: the library would check its certificates for revocation, at any address in them. */
function refuseAttestation({ response }: RegistrationResponseJSON): void {
  const object = decodeAttestationObject(Buffer.from(response.attestationObject, 'base64url'))
  const is_self = object.get('fmt') === 'packed' && object.get('attStmt').get('x5c') === undefined
  if (object.get('fmt') !== 'none' && !is_self) throw new Error('an attestation that was not asked for')
}

/** Verifies a use of a passkey. @returns the device's new counter @throws GatewayError unauthenticated for an invalid answer */
export async function verifyUse(
  response: AuthenticationResponseJSON,
  { person_id, credential_id, public_key, transports }: PasskeyRow,
  { site, challenge }: Expected,
): Promise<number> {
  try {
    const { userHandle } = response.response
    if (userHandle !== undefined && userHandle !== toBase64Url(handleOf({ id: person_id })))
      throw new Error('the handle of another person')
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      credential: {
        id: toBase64Url(credential_id),
        publicKey: Uint8Array.from(public_key),
        // The stored counter is compared in the update itself, so that of two uses at once the second is compared with the first.
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

/** The message is the same for every reason. */
export const wrongPasskey = (cause?: unknown) =>
  unauthenticated('This passkey does not sign in here. It may have been removed. Sign in another way.', {
    code: 'wrong_passkey',
    cause,
  })
