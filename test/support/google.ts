// A fake of Google's token server, and the files of service accounts that it knows.
import { generateKeyPairSync, verify } from 'node:crypto'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { type Answer, refusal, type UpstreamRequest, whole } from './upstream.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

export const PROJECT = 'fake-project-1234'
export const ACCOUNT = `tollgate@${PROJECT}.iam.gserviceaccount.com`
export const PRIVATE_KEY = privateKey
export const TOKEN_PATH = '/token'

/** The text of a service account's file, as Google Cloud creates it. @param url the address of the token server */
export const accountFile = (url: string, changes: JsonObject = {}): string =>
  JSON.stringify(
    {
      type: 'service_account',
      project_id: PROJECT,
      private_key_id: '0123456789abcdef0123456789abcdef01234567',
      private_key: privateKey,
      client_email: ACCOUNT,
      client_id: '123456789012345678901',
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: `${url}${TOKEN_PATH}`,
      universe_domain: 'googleapis.com',
      ...changes,
    },
    null,
    2,
  )

interface Assertion {
  header: JsonObject
  claims: JsonObject & { iat: number; exp: number }
  is_signed: boolean
}

/** The claims of a token request, and whether the account's key signed them. */
export function assertionIn({ body }: Pick<UpstreamRequest, 'body'>): Assertion {
  const form = new URLSearchParams(body.toString())
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') throw new Error('no grant')
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const signed = Buffer.from(`${header}.${claims}`)
  return {
    header: read(header),
    claims: read(claims),
    is_signed: verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url')),
  }
}

export const invalidGrant = (error_description: string, headers: Record<string, string> = {}): Answer =>
  refusal(400, { error: 'invalid_grant', error_description }, headers)

/** Google's words: https://github.com/a-marenkov/gsheets/issues/96 */
export const CLOCK_OFF =
  'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.'

const SKEW_S = 300

/**
 * Answers as the token server does: a signed and current assertion gets a token for an hour.
 * @param now_ms Google's clock @param count the number of earlier tokens
 */
export function tokenAnswer(seen: UpstreamRequest, now_ms: number, count: number): Answer {
  const { claims, is_signed } = assertionIn(seen)
  const headers = { date: new Date(now_ms).toUTCString() }
  const now_s = now_ms / 1_000
  if (!is_signed || claims.iss !== ACCOUNT) return invalidGrant('Invalid JWT Signature.', headers)
  if (claims.iat > now_s + SKEW_S || claims.exp < now_s - SKEW_S || claims.exp - claims.iat > 3_600)
    return invalidGrant(CLOCK_OFF, headers)
  return whole({ access_token: tokenNumber(count), expires_in: 3_599, token_type: 'Bearer' }, headers)
}

/** A token in the form of Google's. */
export const tokenNumber = (count: number): string => `ya29.c.token-of-the-fake-${count}`
