// A link by which a person of the staff sets their password: mailed if there is a mail server, else a link to pass on.
import type { Issuance } from '../../src/access/keys.ts'
import { makeStaffLink, OPERATORS_LINK_HOURS, type SignInLink } from '../../src/access/sign-in-links.ts'
import { linkAt } from '../../src/app/command-line/console-link.ts'
import { conflict } from '../../src/domain/errors.ts'
import { HOUR_MS } from '../../src/domain/ranges.ts'
import type { Tx } from '../../src/store/db.ts'
import { queueMail } from '../mail/index.ts'
import { subjectOf } from './people.ts'
import type { StaffPerson } from './rows.ts'

export const STAFF_LINK_DAYS = 7

export interface StaffLink extends SignInLink {
  /** Undefined if the link was not mailed: then the caller shows it. */
  mailed_to: string | undefined
}

/**
 * Creates a link that replaces the earlier one, and queues its mail. A mailed link is not shown to anybody else. In a transaction that has locked the
 * operator.
 *
 * @throws GatewayError conflict for a disabled person
 */
export async function inviteStaff(
  tx: Tx,
  person: StaffPerson,
  { has_mail, ...issuing }: Issuance & { has_mail: boolean },
): Promise<StaffLink> {
  const { id: person_id, email, role, has_password } = person
  refuseDisabled(person)
  const lasts_ms = STAFF_LINK_DAYS * 24 * HOUR_MS
  const made = await makeStaffLink(tx, { person_id, subject: subjectOf(person), lasts_ms }, issuing)
  if (!has_mail || email === null) return { ...made, mailed_to: undefined }
  const about = {
    to: email,
    account_id: null,
    link: { path: linkAt('', 'invitation', made).url, expires_at_ms: made.expires_at_ms },
    // Each link is new, and so is its mail.
    request_key: `staff:${crypto.randomUUID()}`,
  }
  if (has_password) await queueMail(tx, { ...about, purpose: 'reset', fields: {} }, issuing.now_ms)
  else await queueMail(tx, { ...about, purpose: 'invitation', fields: { staff_role: role } }, issuing.now_ms)
  return { ...made, mailed_to: email }
}

/** Creates the link of `console link` for a person, which lasts as long as the operator's. @throws GatewayError conflict for a disabled person */
export async function linkForStaff(tx: Tx, person: StaffPerson, issuing: Issuance): Promise<SignInLink> {
  refuseDisabled(person)
  const of = { person_id: person.id, subject: subjectOf(person), lasts_ms: OPERATORS_LINK_HOURS * HOUR_MS }
  return await makeStaffLink(tx, of, issuing)
}

/** A disabled person cannot sign in by any link. @throws GatewayError conflict */
export function refuseDisabled({ name, disabled_at_ms }: Pick<StaffPerson, 'name' | 'disabled_at_ms'>): void {
  if (disabled_at_ms !== null)
    throw conflict(`${name} is disabled and cannot sign in. Enable them first.`, { code: 'person_disabled' })
}
