// The suspension of the viewer's account, which pages get with the session.
import { type Static, Type } from '@sinclair/typebox'
import { accountQueries } from '../../../src/access/queries.ts'
import { may } from '../../../src/access/rights.ts'
import { suspensionOf } from '../../../src/access/suspension.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import { OneOf } from '../../../src/http/schema.ts'
import { money, NullableMoneyFields, NullableTimeFields, time } from '../../../src/http/views.ts'
import type { Db } from '../../../src/store/db.ts'
import { SUSPENSION_REASONS } from '../../../src/store/schema.ts'

export const SuspensionView = Type.Object({
  reason: OneOf(SUSPENSION_REASONS),
  words: Type.String({ description: 'the operator’s own; may be empty' }),
  ...NullableTimeFields('suspended'),
  ...NullableMoneyFields('debt', 'What the account owes; null for a viewer who does not see payments'),
})
export type SuspensionView = Static<typeof SuspensionView>

/** Null if the viewer's account is not suspended. */
export async function suspensionView(db: Db, viewer: Viewer): Promise<SuspensionView | null> {
  if (viewer.side !== 'account' || viewer.suspended_for === undefined) return null
  const account = await accountQueries(db).accountById.get({ id: viewer.account_id })
  const suspension = account && (await suspensionOf(db, account))
  if (!suspension) return null
  const { reason, words, suspended_at_ms } = suspension
  const debt_nanos = may(viewer, 'see_payments') ? account.debt_nanos : null
  return { reason, words, ...time('suspended', suspended_at_ms), ...money('debt', debt_nanos) }
}
