// The query of the audit log: filtered and paged, with the current names of accounts and keys.

import { and, desc, eq, getTableColumns, lt, lte, type SQL, sql } from 'drizzle-orm'
import { type Area, actionsOf } from '../../src/domain/actions.ts'
import type { Db, Orm } from '../../src/store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../../src/store/page.ts'
import {
  equals,
  equalsUnlessNull,
  isOneOf,
  isOneOfUnlessNull,
  jsonOrNull,
  placeholder,
} from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { type ActionRow, accounts, actions, keys, people } from '../../src/store/schema.ts'

/** A line with the names that its IDs refer to. */
export interface ListedAction extends ActionRow {
  account_name: string | null
  key_name: string | null
  key_prefix: string | null
  /** Null without a signed-in person, and for erased people. */
  person_name: string | null
  person_email: string | null
}

/** The filter of lines; absent fields do not filter. */
interface ActionFilter {
  account_id?: number | undefined
  key_ids?: readonly number[] | undefined
  area?: Area | undefined
  actor?: ActionRow['actor'] | undefined
  /** The name of a model, provider, setting or backup. */
  subject?: string | undefined
  /** The person at the console. */
  person_id?: number | undefined
  /** Whether to leave out actions of the staff. */
  hides_staff?: boolean
  since_ms?: number | undefined
  until_ms?: number | undefined
}

const pageQuery = (orm: Orm, of: SQL | undefined) =>
  orm
    .select({
      ...getTableColumns(actions),
      account_name: accounts.name,
      key_name: keys.name,
      key_prefix: keys.prefix,
      person_name: people.name,
      person_email: people.email,
    })
    .from(actions)
    .leftJoin(accounts, eq(accounts.id, actions.account_id))
    .leftJoin(keys, eq(keys.id, actions.key_id))
    // SQLite may reuse the ID of an erased person: actions from before a person was created are not theirs.
    .leftJoin(people, and(eq(people.id, actions.person_id), lte(people.created_at_ms, actions.created_at_ms)))
    .where(
      and(
        of,
        lt(actions.id, placeholder('below_id')),
        sql`(CAST(${placeholder('names')} AS text) IS NULL OR ${actions.action} IN (SELECT value FROM json_each(${placeholder('names')})))`,
        equalsUnlessNull(actions.actor, 'actor'),
        equalsUnlessNull(actions.account_id, 'account_id'),
        isOneOfUnlessNull(actions.key_id, 'key_ids'),
        equalsUnlessNull(actions.subject, 'subject'),
        // With a reused ID, only actions of the current person match.
        sql`(CAST(${placeholder('person_id')} AS bigint) IS NULL OR (${people.id} = ${placeholder('person_id')}
          AND (${placeholder('hides_staff')} = 0 OR ${actions.actor} <> 'operator')))`,
        sql`(CAST(${placeholder('since_ms')} AS bigint) IS NULL OR ${actions.created_at_ms} >= ${placeholder('since_ms')})`,
        sql`(CAST(${placeholder('until_ms')} AS bigint) IS NULL OR ${actions.created_at_ms} < ${placeholder('until_ms')})`,
      ),
    )
    .orderBy(desc(actions.id))
    .limit(placeholder('row_limit'))

/** One query per index that a filter can use. */
const pages = perConnection({
  all: (orm) => pageQuery(orm, undefined),
  ofAccount: (orm) => pageQuery(orm, equals(actions.account_id, 'account_id')),
  ofKeys: (orm) => pageQuery(orm, isOneOf(actions.key_id, 'key_ids')),
  ofSubject: (orm) => pageQuery(orm, equals(actions.subject, 'subject')),
})

/** One page, newest first. */
export async function listActions(
  db: Db,
  filter: ActionFilter,
  request: PageRequest,
): Promise<Page<ListedAction>> {
  const { account_id, key_ids, subject, area } = filter
  const { all, ofAccount, ofKeys, ofSubject } = pages(db)
  const query =
    key_ids !== undefined
      ? ofKeys
      : account_id !== undefined
        ? ofAccount
        : subject !== undefined
          ? ofSubject
          : all
  const values = {
    ...pageValues(request),
    account_id: account_id ?? null,
    key_ids: jsonOrNull(key_ids ?? null),
    names: area === undefined ? null : JSON.stringify(actionsOf(area)),
    actor: filter.actor ?? null,
    subject: subject ?? null,
    person_id: filter.person_id ?? null,
    hides_staff: filter.hides_staff ? 1 : 0,
    since_ms: filter.since_ms ?? null,
    until_ms: filter.until_ms ?? null,
  }
  return pageOf(await query.all(values), request)
}
