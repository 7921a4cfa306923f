// The request to sign up: the policy and the challenge are checked, a link is mailed, and the answer is the same for every address.
import { personOfEmail } from '../../src/access/emails.ts'
import { hashKey } from '../../src/access/secret.ts'
import type { Visitor } from '../../src/access/session-rows.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { GatewayError, invalidRequest } from '../../src/domain/errors.ts'
import { personsAddress } from '../../src/domain/mail-address.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import type { Tx } from '../../src/store/db.ts'
import { queueMail } from '../mail/index.ts'
import type { SolvedChallenge } from './altcha.ts'
import { checkCode, readCode } from './codes.ts'
import { addOne } from './counts.ts'
import type { SignUpParts } from './parts.ts'
import {
  checkLimits,
  closed,
  countMail,
  countSignUp,
  MAILS_USED_UP,
  networkOf,
  requireAllowedDomain,
} from './policy.ts'
import { modeOf, signUpSettings } from './settings.ts'
import { LINK_HOURS, setPending, TOKEN_BYTES } from './sign-ups.ts'

interface SignUpForm {
  email: string
  code?: string | undefined
  /** The code of the referral link through which the visitor came. */
  ref?: string | undefined
  /** The solution of the challenge. */
  solution?: string | undefined
}

/** This page reads the link's token from the fragment, and posts it. */
const LINK_PAGE = '/console/sign-up/confirm'

/**
 * Mails a link to an address; a person who has verified it gets a mail that they have an account. The visitor learns nothing about the address: the
 * answer is the same, and takes the same time.
 *
 * @throws GatewayError permission_denied while sign-up is closed; invalid_request for an address that may not sign up, or an unsolved challenge;
 * not_found for an invitation that does not work; rate_limited; overloaded
 */
export async function requestSignUp(
  gateway: Pick<Gateway, 'calls' | 'people' | 'db'>,
  parts: SignUpParts,
  form: SignUpForm,
  visitor: Visitor,
): Promise<void> {
  const { db, calls, people } = gateway
  const started_at = performance.now()
  const catalogue = calls.catalogue()
  const limits = signUpSettings.of(catalogue)
  const mode = modeOf(catalogue)
  if (mode === 'closed') throw closed()
  const email = personsAddress(form.email)
  await requireAllowedDomain(email, limits, parts.disposable)
  const code_id = mode === 'invitation' ? await codeFor(gateway, { email, code: form.code }, visitor) : null
  const network = networkOf(visitor.address)
  const now_ms = calls.now()
  const token = Buffer.from(people.randomBytes(TOKEN_BYTES)).toString('base64url')
  try {
    await checkLimits(db, network, { limits, now_ms })
    const solved = await checkSolution(gateway, parts, form.solution, visitor)
    await db.begin(async (tx) => {
      if (solved) await useUp(tx, solved)
      await countSignUp(tx, { email, network }, { limits, now_ms })
      if (!(await countMail(tx, email, { limits, now_ms }))) return
      await mailLink(tx, { email, token, network, code_id, ref: form.ref, now_ms })
    })
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === MAILS_USED_UP)
      parts.onMailsUsedUp(limits.mails_per_hour)
    throw thrown
  }
  await parts.wait(parts.answers_after_ms - (performance.now() - started_at))
}

/**
 * Checks the invitation with which a page was opened, so that nobody fills in a form in vain.
 *
 * @throws GatewayError permission_denied while sign-up is closed; not_found for an invitation that does not work; rate_limited
 */
export async function checkInvitation(
  { db, calls, people }: Pick<Gateway, 'calls' | 'people' | 'db'>,
  code: string,
  visitor: Visitor,
): Promise<void> {
  const mode = modeOf(calls.catalogue())
  if (mode === 'closed') throw closed()
  // In the mode "open" the form needs no invitation.
  if (mode === 'open') return
  await people.sessions.found(visitor, () => checkCode(db, code, calls.now()))
}

async function codeFor(
  { db, calls, people }: Pick<Gateway, 'calls' | 'people' | 'db'>,
  { email, code }: { email: string; code: string | undefined },
  visitor: Visitor,
): Promise<number> {
  if (code === undefined)
    throw invalidRequest('Sign-up is by invitation. Open the link of your invitation.', { param: 'code' })
  const found = await people.sessions.found(visitor, () => readCode(db, code, { email, now_ms: calls.now() }))
  return found.id
}

/** Checks the solution. @returns the solved challenge, to be counted once; undefined without a challenge */
async function checkSolution(
  { calls }: Pick<Gateway, 'calls'>,
  { altcha, turnstile }: SignUpParts,
  solution: string | undefined,
  { address }: Visitor,
): Promise<SolvedChallenge | undefined> {
  const catalogue = calls.catalogue()
  const { challenge } = signUpSettings.of(catalogue)
  const { public_url } = catalogue.server
  if (challenge === undefined || public_url === undefined) throw closed()
  if (challenge.kind === 'none') return undefined
  if (challenge.kind === 'altcha') return await altcha.check(solution)
  await turnstile({ secret: challenge.secret, token: solution, address, host: new URL(public_url).hostname })
  return { id: hashKey(solution ?? '').toString('hex'), until_ms: calls.now() + TURNSTILE_LASTS_MS }
}

/** Longer than Cloudflare accepts a token, which is five minutes. */
const TURNSTILE_LASTS_MS = 10 * 60_000

/** Counts a solution, which is valid once over all gateways. @throws GatewayError invalid_request */
async function useUp(tx: Tx, { id, until_ms }: SolvedChallenge): Promise<void> {
  if ((await addOne(tx, { kind: 'challenge', subject: id, until_ms })) > 1)
    throw invalidRequest('This check was already used. Try again: your browser runs a new one.', {
      param: 'solution',
      code: 'challenge_used',
    })
}

interface Mailing {
  email: string
  token: string
  network: string
  code_id: number | null
  ref: string | undefined
  now_ms: number
}

/** Mails the link. Only a verified address makes a person its holder: an address that a person merely entered does not stop a sign-up. */
async function mailLink(tx: Tx, { email, token, network, code_id, ref, now_ms }: Mailing): Promise<void> {
  const holder = await personOfEmail(tx, email)
  if (holder && holder.email_verified_at_ms !== null) {
    const day = Math.floor(now_ms / DAY_MS)
    const request_key = `has_account:${holder.id}:${day}`
    await queueMail(
      tx,
      { purpose: 'has_account', to: email, account_id: holder.account_id, fields: {}, request_key },
      now_ms,
    )
    return
  }
  await setPending(tx, { email, token, network, code_id, now_ms })
  const link = {
    path: `${LINK_PAGE}${ref === undefined ? '' : `?ref=${ref}`}#${token}`,
    expires_at_ms: now_ms + LINK_HOURS * 3_600_000,
  }
  const request_key = `verification:${hashKey(token).toString('hex')}`
  await queueMail(
    tx,
    { purpose: 'verification', to: email, account_id: null, fields: {}, link, request_key },
    now_ms,
  )
}
