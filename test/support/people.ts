// People for console tests: creates the operator, the first owner of an account, and people with a role.
import { requireFirstOperator, requireOwners } from '../../src/access/people.ts'
import { accountQueries } from '../../src/access/queries.ts'
import { openSession, type SessionOwner } from '../../src/access/session-rows.ts'
import type { Db } from '../../src/store/db.ts'
import { type MembershipRow, memberships, people, type StaffRow, staff } from '../../src/store/schema.ts'

/** @param account_id null: the operator */
export const personAtConsole = (db: Db, account_id: number | null, now_ms = Date.now()): Promise<number> =>
  db.begin(async (tx) => {
    await tx.lock(account_id)
    if (account_id === null) return (await requireFirstOperator(tx, now_ms)).id
    const { name = '' } = (await accountQueries(tx).accountById.get({ id: account_id })) ?? {}
    const person_id = (await requireOwners(tx, [{ account_id, name }], now_ms)).get(account_id)
    if (person_id === undefined) throw new Error(`unknown account ${account_id}`)
    return person_id
  })

/** Creates a person with a role, in an account or on the staff. */
export const newPerson = (
  db: Db,
  at: { account_id: number; role: MembershipRow['role'] } | { account_id: null; role: StaffRow['role'] },
  { name = at.role, email = null }: { name?: string; email?: string | null } = {},
): Promise<number> =>
  db.begin(async (tx) => {
    await tx.lock(at.account_id)
    const [row] = await tx.orm
      .insert(people)
      .values({ account_id: at.account_id, name, email, created_at_ms: 1 })
      .returning({ id: people.id })
    if (!row) throw new Error('the person was not written')
    const person_id = row.id
    if (at.account_id === null)
      await tx.orm.insert(staff).values({ person_id, role: at.role, created_at_ms: 1 })
    else
      await tx.orm
        .insert(memberships)
        .values({ person_id, account_id: at.account_id, role: at.role, created_at_ms: 1 })
    return person_id
  })

/** The session owner for the operator, or for the first owner of an account. */
export const ownerAtConsole = async (db: Db, account_id: number | null): Promise<SessionOwner> => ({
  person_id: await personAtConsole(db, account_id),
  account_id,
  key_id: null,
})

/** Opens a session without the forms and their limits. */
export const openSessionAt = async (
  db: Db,
  account_id: number | null,
  opening: Parameters<typeof openSession>[2],
): ReturnType<typeof openSession> => openSession(db, await ownerAtConsole(db, account_id), opening)
