// The staff as a list: at the console, in files and on the command line.
import { integer, nullableText, nullableTime, text, time, word } from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList, UNFILTERED } from '../../src/app/list/list.ts'
import { OneOf } from '../../src/http/schema.ts'
import { STAFF_ROLES } from './people.ts'
import { allStaff, type StaffPerson } from './rows.ts'

const STATES = ['active', 'invited', 'disabled'] as const

function stateOf({ disabled_at_ms, has_way_in }: StaffPerson): (typeof STATES)[number] {
  if (disabled_at_ms !== null) return 'disabled'
  return has_way_in ? 'active' : 'invited'
}

export const staff_list = defineList<StaffPerson>()({
  name: 'staff',
  field: 'staff',
  ...UNFILTERED,
  max_rows: 1_000,
  columns: {
    id: integer(({ id }) => id, {
      description: 'the number of the person',
      table: { head: 'ID', right: true },
    }),
    name: text(({ name }) => name, { table: { head: 'NAME' } }),
    email: nullableText(({ email }) => email, { table: { head: 'EMAIL', elastic: true } }),
    role: word(OneOf(STAFF_ROLES), ({ role }) => role, { table: { head: 'ROLE' } }),
    state: word(OneOf(STATES), stateOf, {
      description: 'invited: has no password, passkey or identity yet',
      table: { head: 'STATE' },
    }),
    last_seen: nullableTime(({ last_seen_at_ms }) => last_seen_at_ms, {
      description: 'the last request of any of their sessions',
      table: { head: 'LAST SEEN' },
    }),
    created: time(({ created_at_ms }) => created_at_ms),
  },
  async read(db, _filter, { limit, cursor = 0 }) {
    const later = (await allStaff(db)).filter(({ staff_id }) => staff_id > cursor)
    const rows = later.slice(0, limit)
    return { rows, next_cursor: later.length > limit ? rows.at(-1)?.staff_id : undefined }
  },
})

/** A row as the console's pages receive it. */
export type StaffListRow = ConsoleRowOf<typeof staff_list>
