// The claims of a provider about a person: their identity there, and the address that the provider has verified. Pure functions.
import { domainOf, personsAddress } from '../../src/domain/mail-address.ts'
import { visibleLine } from '../../src/utilities/visible-text.ts'
import type { EmailTrust } from './presets.ts'

/** Raw claims from an ID token or the provider's API. */
export type Claims = Readonly<Record<string, unknown>>

/** A person's identity at a provider, proven by a sign-in there. */
export interface ProvedIdentity {
  issuer: string
  /** The provider's identifier of the person; together with the issuer it identifies them here. */
  subject: string
  /** The name to show. */
  name: string | undefined
  /** The address as the provider reports it, verified or not; only to show. */
  email: string | undefined
  /** The address if the provider says that it is verified, normalized by `personsAddress`. */
  verified_email: string | undefined
  /** The ID of the person's session at the provider (`sid`). */
  provider_session: string | undefined
}

const MAX_SUBJECT_CHARS = 255
const MAX_NAME_CHARS = 100
const MAX_EMAIL_CHARS = 254

/**
 * Reads claims whose signature, issuer and audience were checked.
 *
 * @param reported the claims with name and address, possibly from the provider's API; by default `claims`
 * @returns undefined without a subject
 */
export function readClaims(
  claims: Claims,
  trust: EmailTrust,
  reported: Claims = claims,
): ProvedIdentity | undefined {
  const issuer = nonEmpty(claims.iss)
  const subject = nonEmpty(claims.sub)
  if (issuer === undefined || subject === undefined || subject.length > MAX_SUBJECT_CHARS) return undefined
  const email = nonEmpty(reported.email)
  const provider_session = nonEmpty(claims.sid)
  return {
    issuer,
    subject,
    name: displayNameOf(reported),
    email:
      email !== undefined && email.length <= MAX_EMAIL_CHARS
        ? visibleLine(email).slice(0, MAX_EMAIL_CHARS)
        : undefined,
    verified_email:
      email !== undefined && isVerified(reported, email, trust) ? cleanAddress(email) : undefined,
    provider_session:
      provider_session !== undefined && provider_session.length <= MAX_SUBJECT_CHARS
        ? provider_session
        : undefined,
  }
}

export const nonEmpty = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

function displayNameOf({ name, preferred_username }: Claims): string | undefined {
  const written = nonEmpty(name) ?? nonEmpty(preferred_username)
  const line = written === undefined ? '' : visibleLine(written).trim()
  return line === '' ? undefined : [...line].slice(0, MAX_NAME_CHARS).join('')
}

/** `email_verified` counts only as a boolean: the text "true" from a provider could mean anything. */
function isVerified(reported: Claims, email: string, trust: EmailTrust): boolean {
  if (trust === 'microsoft')
    return reported.xms_edov === true || reported.xms_edov === 1 || reported.xms_edov === '1'
  if (reported.email_verified !== true) return false
  if (trust !== 'google') return true
  const domain = domainOf(email).toLowerCase()
  return GOOGLE_DOMAINS.has(domain) || nonEmpty(reported.hd)?.toLowerCase() === domain
}

const GOOGLE_DOMAINS: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com'])

/** Exact spelling only: with surrounding spaces the address could mean another mailbox. */
function cleanAddress(email: string): string | undefined {
  if (email !== email.trim()) return undefined
  try {
    return personsAddress(email)
  } catch {
    // An address that is not accepted here, such as one with look-alike letters.
    return undefined
  }
}
