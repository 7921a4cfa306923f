// Sessions as a list, at the console and in files.

import { Type } from '@sinclair/typebox'
import { listedAccounts } from '../../src/access/account-listing.ts'
import { isUsable } from '../../src/access/key-status.ts'
import { keysByNumber } from '../../src/access/rows-by-number.ts'
import { endOf, listSessions } from '../../src/access/session-rows.ts'
import { boolean, csvOnly, integer, nullableText, text, time, word } from '../../src/app/list/columns.ts'
import { defineList } from '../../src/app/list/list.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import { type Key, PROOFS, type SessionRow } from '../../src/store/schema.ts'
import { browserName } from '../../src/utilities/browser-name.ts'

export const SIDES = OneOf(['operator', 'account', 'key'])
export const SessionKey = Type.Object({ id: Type.Integer(), name: Type.String(), prefix: Type.String() })

export const sessionKey = ({ id, name, prefix }: Key) => ({ id, name, prefix })

/** An active session, with its account and the key that signed it in. */
interface ListedSession extends SessionRow {
  account_name: string | null
  key: Key | undefined
  is_current: boolean
  ends_at_ms: number
}

/** The viewer's sessions, or for the operator all sessions if requested. The catalogue's time limits decide when a session ends. */
export const sessionList = ({ calls: { catalogue } }: Pick<Gateway, 'calls'>) =>
  defineList<ListedSession>()({
    name: 'sessions',
    field: 'sessions',
    of: 'viewer',
    max_rows: 1_000,
    selects: [],
    names_accounts: false,
    filters: { whose: { schema: OneOf(['own', 'all']) } },
    columns: {
      id: integer(({ id }) => id),
      is_current: boolean(({ is_current }) => is_current, { csv_name: false }),
      role: word(SIDES, ({ role }) => role),
      account: nullableText(({ account_name }) => account_name),
      key: word(Nullable(SessionKey), ({ key }) => (key ? sessionKey(key) : null), { csv_name: false }),
      key_name: csvOnly('key', ({ key }) => key?.name ?? null),
      key_prefix: csvOnly('key_prefix', ({ key }) => key?.prefix ?? null),
      address: nullableText(({ address }) => address),
      user_agent: text(({ user_agent }) => user_agent, { csv_name: 'browser' }),
      browser: text(({ user_agent }) => browserName(user_agent), { csv_name: false }),
      proof: word(Nullable(OneOf(PROOFS)), ({ proof }) => proof, { csv_name: 'signed_in_by' }),
      created: time(({ created_at_ms }) => created_at_ms, { csv_name: 'signed_in_utc' }),
      last_seen: time(({ last_seen_at_ms }) => last_seen_at_ms),
      expires: time(({ ends_at_ms }) => ends_at_ms, { csv_name: 'ends_utc' }),
    },
    async read(db, { whose = 'own' }, page, { now_ms, viewer }) {
      if (!viewer) return { rows: [], next_cursor: undefined }
      const { rows, next_cursor } = await listSessions(db, viewer, { ...page, scope: whose })
      const settings = catalogue().console
      const account_ids = rows.flatMap(({ account_id }) => account_id ?? [])
      const names = new Map((await listedAccounts(db, account_ids)).map(({ id, name }) => [id, name]))
      const keys = await keysByNumber(
        db,
        rows.flatMap(({ key_id }) => key_id ?? []),
      )
      const listed = rows.map((row) => ({
        ...row,
        account_name: names.get(row.account_id ?? 0) ?? null,
        key: keys.get(row.key_id ?? 0),
        is_current: row.id === viewer.session_id,
        ends_at_ms: endOf(row, settings),
      }))
      return { rows: listed.filter((session) => isActive(session, now_ms)), next_cursor }
    },
  })

const isActive = ({ ends_at_ms, key }: ListedSession, now_ms: number): boolean =>
  ends_at_ms > now_ms && (!key || isUsable(key, now_ms))
