// The running part of signing in: links by mail are offered where there is a mail server, and mails tell people of changes.
import { personById } from '../../src/access/mailed-links.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { canMail } from '../mail/index.ts'
import { tellPeople } from './telling.ts'

export function openSignIn({ people, calls: { catalogue } }: Pick<Gateway, 'people' | 'calls'>): void {
  people.sign_in_ways.push({
    name: 'mailed-link',
    isOffered: () => canMail(catalogue()),
    isOf: async (db, person_id) =>
      typeof (await personById(db, person_id))?.email_verified_at_ms === 'number',
  })
  people.sign_in_events.on(tellPeople(catalogue))
}
