// A table of rows with a state, as a plugin has it, for the tests of movements that change them.
import type { StateChange } from '../../../src/store/state-changes.ts'

/** For both engines; without references, so that a row may belong to any account. */
export const THINGS =
  'CREATE TABLE things (id bigint PRIMARY KEY, account_id bigint, state text NOT NULL, changed_at_ms bigint NOT NULL)'

const COUNT = 30

/** Open rows, every third without an account. */
export const thingsOf = (accounts: number): { id: number; account_id: number | null; state: string }[] =>
  Array.from({ length: COUNT }, (_, at) => ({
    id: at + 1,
    account_id: at % 3 === 0 ? null : 1 + (at % accounts),
    state: 'open',
  }))

/** A change from open to paid, unless other states are named. */
export const change = (id: number, other: Partial<StateChange> = {}): StateChange => ({
  table: 'things',
  id,
  from: ['open'],
  to: 'paid',
  source: 'webhook',
  detail: { event: 'evt_1' },
  ...other,
})

export interface Kept {
  subject: string
  subject_id: number
  account_id: number | null
  from_state: string
  to_state: string
  source: string
  detail: string
}
export const KEPT = 'SELECT * FROM state_changes ORDER BY id'
