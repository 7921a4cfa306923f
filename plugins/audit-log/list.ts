// The audit log as a list: at the console, in files and on the command line. Accounts see changes, but not the operator's session and address.

import { Type } from '@sinclair/typebox'
import { personOfEmail } from '../../src/access/emails.ts'
import {
  integer,
  nullableFields,
  nullableInteger,
  nullableText,
  type Reader,
  tableOnly,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList } from '../../src/app/list/list.ts'
import { AREAS, type Area, isForAccounts, titleOf } from '../../src/domain/actions.ts'
import { OneOf } from '../../src/http/schema.ts'
import type { Db } from '../../src/store/db.ts'
import { browserName } from '../../src/utilities/browser-name.ts'
import { visibleLine } from '../../src/utilities/visible-text.ts'
import { type ListedAction, listActions } from './listing.ts'

const ACTORS = ['operator', 'account', 'key', 'command', 'system'] as const

export const audit_log = defineList<ListedAction>()({
  name: 'audit-log',
  field: 'actions',
  of: 'key',
  max_rows: 1_000,
  keys_see_own: true,
  filters: {
    area: { schema: OneOf(Object.keys(AREAS) as Area[]), option: ['--area <area>', 'only these'] },
    by: { schema: OneOf(ACTORS), option: ['--by <actor>', 'only changes by them'] },
    subject: {
      schema: Type.String({ minLength: 1, maxLength: 500, must: 'at most 500 characters' }),
      option: ['--subject <name>', 'only this model, provider, setting, backup or person'],
    },
    person: {
      schema: Type.String({
        minLength: 1,
        maxLength: 254,
        must: 'the email address or the number of a person',
      }),
      option: [
        '--person <person>',
        'only changes by this person: an email address, or a number in `staff list`',
      ],
    },
  },
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    created: time(({ created_at_ms }) => created_at_ms, { table: { head: 'TIME' } }),
    action: text(({ action }) => action, { description: 'such as `key.revoked`' }),
    title: text(({ action }) => titleOf(action), {
      description: 'the same in words',
      table: { head: 'ACTION' },
    }),
    for: tableOnly({ head: 'FOR', text: subjectWords, elastic: true }),
    by: word(OneOf(ACTORS), actorFor),
    actor: tableOnly({ head: 'BY', text: actorWords, elastic: true }),
    person: nullableText(hiddenFromOthers('person_name'), { description: 'who was signed in' }),
    person_email: nullableText(hiddenFromOthers('person_email')),
    session_id: nullableInteger(hiddenFromOthers('session_id')),
    address: nullableText(hiddenFromOthers('address'), { description: 'of the session' }),
    command: nullableText(hiddenFromOthers('command'), { description: 'such as `key create`' }),
    machine_user: nullableText(hiddenFromOthers('machine_user'), { description: 'who ran the command' }),
    request_id: nullableText(hiddenFromOthers('request_id')),
    account_id: nullableInteger(({ account_id }) => account_id),
    account: nullableText(({ account_name }) => account_name),
    key_id: nullableInteger(({ key_id }) => key_id),
    key_name: nullableText(({ key_name }) => key_name),
    key_prefix: nullableText(({ key_prefix }) => key_prefix),
    subject: nullableText(({ subject }) => (subject === null ? null : visibleLine(subject)), {
      description: 'a model, provider, setting or backup',
    }),
    before: nullableFields((action, reader) => changedFields(action, action.before, reader)),
    after: nullableFields((action, reader) => changedFields(action, action.after, reader)),
    change: tableOnly({ head: 'CHANGE', text: changeWords, elastic: true, spare: 1 }),
  },
  async read(db, { by, person, ...filter }, page, { viewer }) {
    // Otherwise an account could find out which person of the staff made a change.
    const hides_staff = viewer !== undefined && viewer.side !== 'operator'
    const person_id = person === undefined ? undefined : await idOfPerson(db, person)
    return await listActions(db, { ...filter, actor: by, person_id, hides_staff }, page)
  },
})

/** A row as the console's pages receive it. */
export type ActionListRow = ConsoleRowOf<typeof audit_log>

/** Whether the reader sees who acted. An account sees that the operator acted, but no session or command; a key sees as little of its account. */
const seesActor = ({ actor }: ListedAction, reader: Reader): boolean =>
  reader === 'operator' || actor === 'key' || (actor === 'account' && reader === 'account')

function actorFor(action: ListedAction, reader: Reader): ListedAction['actor'] {
  return action.actor === 'command' && !seesActor(action, reader) ? 'operator' : action.actor
}

function hiddenFromOthers<Name extends keyof ListedAction>(name: Name) {
  return (action: ListedAction, reader: Reader) => (seesActor(action, reader) ? action[name] : null)
}

/** Not the number of any person. */
const NOBODY = 0

const idOfPerson = async (db: Db, reference: string): Promise<number> =>
  /^\d{1,15}$/.test(reference)
    ? Number(reference)
    : ((await personOfEmail(db, reference.trim().toLowerCase()))?.id ?? NOBODY)

function subjectWords({ account_name, key_name, subject }: ListedAction): string {
  return [account_name, key_name, subject].filter((name) => name !== null).join(' / ') || '-'
}

function actorWords(action: ListedAction): string {
  const { actor, command, machine_user, session_id, person_name, person_email } = action
  if (command !== null) return `${machine_user ?? 'command'}: ${command}`
  const who = person_email ?? person_name ?? actor
  return session_id === null ? who : `${who}, session ${session_id}`
}

function changeWords({ before, after }: ListedAction): string {
  return [before, after].filter((json) => json !== null).join(' -> ') || '-'
}

/** Makes control characters visible, since some texts come from callers, such as a browser's name. */
function changedFields(
  { action }: Pick<ListedAction, 'action'>,
  json: string | null,
  reader: Reader,
): Record<string, unknown> | null {
  if (json === null) return null
  const entries = Object.entries<unknown>(JSON.parse(json)).filter(
    ([name]) => reader === 'operator' || isForAccounts(action, name),
  )
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (typeof value !== 'string') return [name, value]
      return [name, visibleLine(name === 'browser' ? browserName(value) : value)]
    }),
  )
}
