// The claims of a provider about a person, read with care: who they are there, and which address it has checked. Pure.
import { domainOf, personsAddress } from '../../src/domain/mail-address.ts'
import { visibleLine } from '../../src/utilities/visible-text.ts'
import type { EmailTrust } from './presets.ts'

/** Claims as they came, of an ID token or the provider's API. */
export type Claims = Readonly<Record<string, unknown>>

/** A person as a provider has shown them to be. */
export interface ProvedIdentity {
  issuer: string
  /** Their name there: with the issuer the only thing that they are known by. */
  subject: string
  /** For people to read. */
  name: string | undefined
  /** As the provider wrote it, whether or not anybody has checked it: for people to read. */
  email: string | undefined
  /** The same where the provider says that it has checked it, as `personsAddress` has it. */
  verified_email: string | undefined
  /** The name of the provider's own session. */
  provider_session: string | undefined
}

const MAX_SUBJECT_CHARS = 255
const MAX_NAME_CHARS = 100
const MAX_EMAIL_CHARS = 254

/**
 * Reads claims whose signature, issuer and audience have been checked.
 *
 * @param reported those with name and address, which may come from the provider's API; `claims` where absent
 * @returns undefined without a subject
 */
export function identityIn(
  claims: Claims,
  trust: EmailTrust,
  reported: Claims = claims,
): ProvedIdentity | undefined {
  const issuer = textIn(claims.iss)
  const subject = textIn(claims.sub)
  if (issuer === undefined || subject === undefined || subject.length > MAX_SUBJECT_CHARS) return undefined
  const email = textIn(reported.email)
  const provider_session = textIn(claims.sid)
  return {
    issuer,
    subject,
    name: nameIn(reported),
    email:
      email !== undefined && email.length <= MAX_EMAIL_CHARS
        ? visibleLine(email).slice(0, MAX_EMAIL_CHARS)
        : undefined,
    verified_email: email !== undefined && isVerified(reported, email, trust) ? addressIn(email) : undefined,
    provider_session:
      provider_session !== undefined && provider_session.length <= MAX_SUBJECT_CHARS
        ? provider_session
        : undefined,
  }
}

export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

function nameIn({ name, preferred_username }: Claims): string | undefined {
  const written = textIn(name) ?? textIn(preferred_username)
  const line = written === undefined ? '' : visibleLine(written).trim()
  return line === '' ? undefined : [...line].slice(0, MAX_NAME_CHARS).join('')
}

/** A text such as "true" is none: a provider that writes it so may mean anything by it. */
function isVerified(reported: Claims, email: string, trust: EmailTrust): boolean {
  if (trust === 'microsoft')
    return reported.xms_edov === true || reported.xms_edov === 1 || reported.xms_edov === '1'
  if (reported.email_verified !== true) return false
  if (trust !== 'google') return true
  const domain = domainOf(email).toLowerCase()
  return GOOGLES.has(domain) || textIn(reported.hd)?.toLowerCase() === domain
}

const GOOGLES: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com'])

/** To the letter: what is around it may be for another reader. */
function addressIn(email: string): string | undefined {
  if (email !== email.trim()) return undefined
  try {
    return personsAddress(email)
  } catch {
    // An address that nobody may have here, such as one of letters that look like others.
    return undefined
  }
}
