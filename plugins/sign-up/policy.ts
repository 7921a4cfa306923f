// The policy of sign-up: the addresses that may sign up, and the limits per network, domain and mailbox.

import { hashKey } from '../../src/access/secret.ts'
import { placeOf } from '../../src/access/sign-in-rate.ts'
import {
  type GatewayError,
  invalidRequest,
  overloaded,
  permissionDenied,
  rateLimited,
} from '../../src/domain/errors.ts'
import { domainOf } from '../../src/domain/mail-address.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import { addOne, type Counter, countOf, thisDay, thisHour } from './counts.ts'
import type { DisposableDomains } from './disposable.ts'
import { hasDomain, isLargeProvider, mailboxOf } from './mailbox.ts'
import type { SignUpSettings } from './settings.ts'

/** Per day, for all spellings of one mailbox, so that visitors cannot flood a stranger's mailbox. */
const MAX_PER_MAILBOX = 3

/** The network of a visitor: an IPv4 address, or the first 64 bits of an IPv6 address. Unknown addresses share one counter. */
export const networkOf = (address: string | undefined): string => placeOf(address) ?? 'unknown'

export const closed = () =>
  permissionDenied('Sign-up is closed. Ask the operator for an account.', { code: 'sign_up_closed' })

/**
 * @param email normalized by `personsAddress`
 * @throws GatewayError invalid_request for a domain that may not sign up, or a domain of throw-away addresses
 */
export async function requireAllowedDomain(
  email: string,
  { email_domains, disposable_domains }: Pick<SignUpSettings, 'email_domains' | 'disposable_domains'>,
  disposable: DisposableDomains,
): Promise<void> {
  const domain = domainOf(email)
  if (email_domains.length > 0 && !email_domains.includes(domain))
    throw invalidRequest(
      `email: sign-up is for addresses of ${email_domains.slice(0, 5).join(', ')}${email_domains.length > 5 ? ' and others' : ''}.`,
      { param: 'email', code: 'domain_not_allowed' },
    )
  if (email_domains.length === 0 && hasDomain(await loadDisposable(disposable, disposable_domains), domain))
    throw invalidRequest('email: addresses of this provider last for a short time. Use one that you keep.', {
      param: 'email',
      code: 'disposable_address',
    })
}

/** @throws GatewayError overloaded if the file cannot be read; the check of sign-up reports it */
async function loadDisposable(
  disposable: DisposableDomains,
  file: string | undefined,
): Promise<ReadonlySet<string>> {
  try {
    return await disposable.all(file)
  } catch (cause) {
    throw overloaded('Sign-up does not work at the moment. Try again later.', { cause })
  }
}

type Limits = Pick<SignUpSettings, 'per_address_per_day' | 'per_domain_per_day' | 'mails_per_hour'>

const networkToday = (network: string, now_ms: number): Counter => thisDay('network', network, now_ms)

/** Checks the limits that a flood reaches, before any write. @throws GatewayError rate_limited */
export async function checkLimits(
  db: Db,
  network: string,
  { limits, now_ms }: { limits: Limits; now_ms: number },
): Promise<void> {
  const { per_address_per_day: max } = limits
  const today = networkToday(network, now_ms)
  if (max > 0 && (await countOf(db, today)) >= max) throw tooManyOfNetwork(today, now_ms)
  const mails = mailsThisHour(now_ms)
  if (limits.mails_per_hour > 0 && (await countOf(db, mails)) >= limits.mails_per_hour)
    throw mailsUsedUp(mails, now_ms)
}

/**
 * Counts a sign-up for its network and its domain, in the caller's transaction: if that fails, the counts roll back.
 *
 * @throws GatewayError rate_limited
 */
export async function countSignUp(
  tx: Tx,
  { email, network }: { email: string; network: string },
  { limits, now_ms }: { limits: Limits; now_ms: number },
): Promise<void> {
  const { per_address_per_day, per_domain_per_day } = limits
  const by_network = networkToday(network, now_ms)
  if (isBeyond(per_address_per_day, await addOne(tx, by_network))) throw tooManyOfNetwork(by_network, now_ms)
  const domain = domainOf(email)
  if (isLargeProvider(domain)) return
  const by_domain = thisDay('domain', domain, now_ms)
  if (isBeyond(per_domain_per_day, await addOne(tx, by_domain)))
    throw tooMany(`Too many people of ${domain} have signed up today. Try again tomorrow.`, by_domain, now_ms)
}

/**
 * Counts a mail to an address.
 *
 * @returns false if the mailbox has reached its limit of the day; the visitor is not told
 * @throws GatewayError rate_limited if sign-ups have used up the mails of this hour
 */
export async function countMail(
  tx: Tx,
  email: string,
  { limits, now_ms }: { limits: Limits; now_ms: number },
): Promise<boolean> {
  const all = mailsThisHour(now_ms)
  if (isBeyond(limits.mails_per_hour, await addOne(tx, all))) throw mailsUsedUp(all, now_ms)
  // Hashed, so that the row does not contain the address.
  const mailbox = hashKey(mailboxOf(email)).toString('hex')
  return (await addOne(tx, thisDay('mailbox', mailbox, now_ms))) <= MAX_PER_MAILBOX
}

export const mailsThisHour = (now_ms: number): Counter => thisHour('mail', 'all', now_ms)

export const MAILS_USED_UP = 'sign_up_mails_used_up'

const isBeyond = (max: number, count: number): boolean => max > 0 && count > max

function tooMany(message: string, { until_ms }: Counter, now_ms: number, code?: string): GatewayError {
  return rateLimited(message, {
    retry_after_s: Math.ceil((until_ms - now_ms) / 1_000),
    ...(code !== undefined && { code }),
  })
}

const mailsUsedUp = (counter: Counter, now_ms: number): GatewayError =>
  tooMany(
    'Too many people are signing up at the moment. Try again in an hour.',
    counter,
    now_ms,
    MAILS_USED_UP,
  )

const tooManyOfNetwork = (counter: Counter, now_ms: number): GatewayError =>
  tooMany('Too many sign-ups from your network today. Try again tomorrow.', counter, now_ms)
