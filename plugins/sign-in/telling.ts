// Mails that tell people what happens to how they sign in: a sign-in from a new place, and each change, to the address of before, too.
import type { SignInEvent } from '../../src/access/sign-in-events.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Tx } from '../../src/store/db.ts'
import { canMail, queueMail } from '../mail/index.ts'
import { browserName } from './browser-name.ts'

/** A listener to events of signing in. Addresses that nobody has shown to be theirs get no mail. */
export const tellPeople =
  (catalogue: () => Catalogue) =>
  async (tx: Tx, event: SignInEvent): Promise<void> => {
    if (!canMail(catalogue())) return
    for (const to of addressesOf(event)) await queueMail(tx, { ...mailOf(event), to }, event.at_ms)
  }

function addressesOf(event: SignInEvent): readonly string[] {
  const { email, email_verified_at_ms } = event.person
  const known = email !== null && email_verified_at_ms !== null ? [email] : []
  const added = event.kind === 'changed' && event.new_email !== undefined ? [event.new_email] : []
  return [...new Set([...known, ...added])]
}

function mailOf(event: SignInEvent) {
  const { person, at_ms } = event
  // Exported and erased with the account whose erasure erases the person.
  const about = { account_id: person.account_id, request_key: `sign-in:${crypto.randomUUID()}` }
  return event.kind === 'changed'
    ? { ...about, purpose: 'sign_in_changed' as const, fields: { change: event.change, at_ms } }
    : {
        ...about,
        purpose: 'new_sign_in' as const,
        fields: { address: event.address, browser: browserName(event.user_agent), at_ms },
      }
}
