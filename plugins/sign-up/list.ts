// Sign-ups and invitations as lists for the operator: at the console, in files and on the command line.
import {
  integer,
  nullableInteger,
  nullableText,
  nullableTime,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList, UNFILTERED } from '../../src/app/list/list.ts'
import { OneOf } from '../../src/http/schema.ts'
import { listCodes, stateOf } from './codes.ts'
import { type ListedSignUp, listSignUps } from './sign-ups.ts'
import type { SignUpCodeRow } from './tables.ts'

const STATES = OneOf(['pending', 'completed'])
const PROOFS = OneOf(['mail', 'identity'])

export const sign_up_list = defineList<ListedSignUp>()({
  name: 'sign-ups',
  field: 'sign_ups',
  of: 'operator',
  max_rows: 1_000,
  selects: ['account', 'period'],
  filters: { state: { schema: STATES, option: ['--state <state>', 'pending or completed ones only'] } },
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    created: time(({ created_at_ms }) => created_at_ms, { table: { head: 'TIME' } }),
    email: text(({ email }) => email, { table: { head: 'EMAIL', elastic: true } }),
    state: word(STATES, ({ completed_at_ms }) => (completed_at_ms === null ? 'pending' : 'completed'), {
      table: { head: 'STATE' },
    }),
    account_id: nullableInteger(({ account_id }) => account_id),
    account: nullableText(({ account_name }) => account_name, { table: { head: 'ACCOUNT', elastic: true } }),
    proof: word(PROOFS, ({ proof }) => proof, {
      description: 'how the address was verified: by a mailed link, or by an identity provider',
    }),
    network: nullableText(({ network }) => network, {
      description: 'an IPv4 address, or the first 64 bits of an IPv6 address',
      table: { head: 'NETWORK' },
    }),
    invitation: nullableInteger(({ code_id }) => code_id, { description: 'the number of the invitation' }),
    mails: integer(({ mails }) => mails, { table: { head: 'MAILS', right: true } }),
    expires: time(({ expires_at_ms }) => expires_at_ms, { description: 'when its link expires' }),
    completed: nullableTime(({ completed_at_ms }) => completed_at_ms),
  },
  read: (db, filter, page) => listSignUps(db, filter, page),
})

const CODE_STATES = OneOf(['open', 'used', 'revoked', 'expired'])

/** A row with its state at the time of the query. */
type ListedCode = SignUpCodeRow & { state: ReturnType<typeof stateOf> }

export const sign_up_code_list = defineList<ListedCode>()({
  name: 'sign-up-invitations',
  field: 'invitations',
  ...UNFILTERED,
  max_rows: 1_000,
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    created: time(({ created_at_ms }) => created_at_ms, { table: { head: 'TIME' } }),
    email: nullableText(({ email }) => email, {
      description: 'the only address that may use it; null if any may, and after use',
      table: { head: 'FOR', elastic: true },
    }),
    state: word(CODE_STATES, ({ state }) => state, { table: { head: 'STATE' } }),
    uses: integer(({ uses }) => uses, { table: { head: 'USES', right: true } }),
    max_uses: integer(({ max_uses }) => max_uses, { table: { head: 'OF', right: true } }),
    expires: time(({ expires_at_ms }) => expires_at_ms, { table: { head: 'EXPIRES' } }),
  },
  async read(db, _filter, page, { now_ms }) {
    const { rows, ...rest } = await listCodes(db, page)
    return { ...rest, rows: rows.map((row) => ({ ...row, state: stateOf(row, now_ms) })) }
  },
})

/** Rows as the console's pages receive them. */
export type SignUpListRow = ConsoleRowOf<typeof sign_up_list>
export type InvitationListRow = ConsoleRowOf<typeof sign_up_code_list>
