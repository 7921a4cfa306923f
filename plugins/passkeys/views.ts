// Requests and responses of the routes of passkeys.
import type {
  AuthenticationExtensionsClientOutputs,
  AuthenticatorAttachment,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { Type } from '@sinclair/typebox'
import { Closed } from '../../src/http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../src/http/views.ts'
import type { PasskeyRow } from '../../src/store/schema.ts'

const Base64Url = Type.String({
  minLength: 1,
  maxLength: 8_192,
  pattern: '^[A-Za-z0-9_-]+$',
  must: 'base64url, as browsers send it',
})
const credential = {
  id: Base64Url,
  rawId: Base64Url,
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(
    Type.Unsafe<AuthenticatorAttachment>(Type.String({ maxLength: 32 })),
  ),
  clientExtensionResults: Type.Unsafe<AuthenticationExtensionsClientOutputs>(
    Type.Object({}, { additionalProperties: true }),
  ),
}
const Name = Type.String({ maxLength: 400, must: 'a name, such as "laptop"' })

export const NewPasskeyBody = Closed({
  name: Name,
  response: Closed({
    ...credential,
    response: Closed({
      clientDataJSON: Base64Url,
      attestationObject: Base64Url,
      authenticatorData: Type.Optional(Base64Url),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 })),
      publicKeyAlgorithm: Type.Optional(Type.Integer()),
      publicKey: Type.Optional(Base64Url),
    }),
  }),
})
export const UsedPasskeyBody = Closed({
  response: Closed({
    ...credential,
    response: Closed({
      clientDataJSON: Base64Url,
      authenticatorData: Base64Url,
      signature: Base64Url,
      userHandle: Type.Optional(Base64Url),
    }),
  }),
})
export const RenamedPasskey = Closed({ name: Name })

export const AddingView = Type.Object({
  options: Type.Unsafe<PublicKeyCredentialCreationOptionsJSON>(Type.Any()),
})
export const SigningView = Type.Object({
  options: Type.Unsafe<PublicKeyCredentialRequestOptionsJSON>(Type.Any()),
})
export const DoneView = Type.Object({ done: Type.Literal(true) })

const PasskeyView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  ...TimeFields('created'),
  ...NullableTimeFields('last_used'),
})
export const PasskeysView = Type.Object({
  passkeys: Type.Array(PasskeyView),
  offered: Type.Boolean({ description: 'whether browsers have passkeys at the address of this gateway' }),
})

export const passkeyView = ({ id, name, created_at_ms, last_used_at_ms }: PasskeyRow) => ({
  id,
  name,
  ...time('created', created_at_ms),
  ...time('last_used', last_used_at_ms),
})
