// The signed request for an access token: what a service account claims, and its signature (RFC 7523, RS256).
// https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests
import { sign } from 'node:crypto'
import type { ServiceAccount } from '../../domain/service-account.ts'

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/start/gcp-auth */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
/** The longest that is taken. */
const LIFETIME_S = 3_600

/** The account's claims; times in seconds since 1970. */
export interface Claims {
  iss: string
  scope: string
  aud: string
  iat: number
  exp: number
}

function claimsOf(
  { client_email, token_uri }: Pick<ServiceAccount, 'client_email' | 'token_uri'>,
  now_ms: number,
): Claims {
  const iat = Math.floor(now_ms / 1_000)
  return { iss: client_email, scope: SCOPE, aud: token_uri, iat, exp: iat + LIFETIME_S }
}

/** The claims as a JWT. @throws the library's error for a key that cannot sign */
export function signedAssertion(account: ServiceAccount, now_ms: number): string {
  const { private_key, private_key_id: kid } = account
  const header = { alg: 'RS256', typ: 'JWT', ...(kid === undefined ? {} : { kid }) }
  const text = [header, claimsOf(account, now_ms)].map(encoded).join('.')
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), private_key).toString('base64url')}`
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
