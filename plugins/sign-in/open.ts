// The running part of sign-in: links by mail if there is a mail server, and mails about sign-ins from new places and about changes.

import { personById } from '../../src/access/mailed-links.ts'
import type { SignInEvent } from '../../src/access/sign-in-events.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Tx } from '../../src/store/db.ts'
import { browserName } from '../../src/utilities/browser-name.ts'
import { canMail, queueMail } from '../mail/index.ts'

export function openSignIn({ people, calls: { catalogue } }: Pick<Gateway, 'people' | 'calls'>): void {
  people.sign_in_ways.push({
    name: 'mailed-link',
    isOffered: () => canMail(catalogue()),
    isOf: async (db, person_id) =>
      typeof (await personById(db, person_id))?.email_verified_at_ms === 'number',
  })
  people.sign_in_events.on(mailAboutEvents(catalogue))
}

/** A listener for sign-in events. Unverified addresses get no mail. */
const mailAboutEvents =
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
  // The personal data of this account covers the mail: it is exported and erased with it.
  const about = { account_id: person.account_id, request_key: `sign-in:${crypto.randomUUID()}` }
  return event.kind === 'changed'
    ? { ...about, purpose: 'sign_in_changed' as const, fields: { change: event.change, at_ms } }
    : {
        ...about,
        purpose: 'new_sign_in' as const,
        fields: { address: event.address, browser: browserName(event.user_agent), at_ms },
      }
}
