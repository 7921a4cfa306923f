// The running part of passkeys: a way to sign in, and to confirm the viewer's identity.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { passkeysOf } from './rows.ts'
import { passkeySite } from './site.ts'

export function openPasskeys({ people, calls: { catalogue } }: Pick<Gateway, 'people' | 'calls'>): void {
  people.sign_in_ways.push({
    name: 'passkey',
    isOffered: () => passkeySite(catalogue()) !== undefined,
    isOf: async (db, person_id) => (await passkeysOf(db, person_id)).length > 0,
    confirms: true,
  })
}
