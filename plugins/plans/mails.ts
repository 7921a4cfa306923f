// Mails about plans to the address of the account, queued in the transaction that they report, if mail is set up.
import { eq } from 'drizzle-orm'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Tx } from '../../src/store/db.ts'
import { equals } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { account_details, accounts } from '../../src/store/schema.ts'
import { canMail, isMailAddress, type MailFields, queueMail } from '../mail/index.ts'

type PlanPurpose = 'plan_renewed' | 'plan_begun' | 'plan_unpaid' | 'plan_ended' | 'plan_not_begun'

interface PlanMail<P extends PlanPurpose> {
  purpose: P
  account_id: number
  fields: Omit<MailFields[P], 'account'>
  /** Idempotency key: mails with the same key are queued once. */
  request_key: string
  now_ms: number
}

/** @param catalogue absent: no mail is sent */
export async function mailAccount<P extends PlanPurpose>(
  tx: Tx,
  catalogue: (() => Pick<Catalogue, 'sections'>) | undefined,
  { purpose, account_id, fields, request_key, now_ms }: PlanMail<P>,
): Promise<void> {
  if (!catalogue || !canMail(catalogue())) return
  const { account = '', to = '' } = (await queries(tx).address.get({ account_id })) ?? {}
  if (!isMailAddress(to)) return
  const whole = { ...fields, account } as MailFields[P]
  await queueMail(tx, { purpose, to, account_id, fields: whole, request_key }, now_ms)
}

const queries = perConnection({
  address: (orm) =>
    orm
      .select({ account: accounts.name, to: account_details.email })
      .from(accounts)
      .innerJoin(account_details, eq(account_details.account_id, accounts.id))
      .where(equals(accounts.id, 'account_id')),
})
