// The state of the checklist: providers, a model to call, and an account with its balance and keys.
import { type Static, Type } from '@sinclair/typebox'
import { listAccountPage } from '../../src/access/account-listing.ts'
import { listKeyPage } from '../../src/access/key-listing.ts'
import { accountQueries, keyQueries } from '../../src/access/queries.ts'
import { onlyKeysOf, type Viewer } from '../../src/access/viewer.ts'
import { ACCOUNT_PARAMETER, chosenAccount } from '../../src/app/surface/console/references.ts'
import { sampleModel } from '../../src/app/surface/console/suggested-models.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { isSimulated } from '../../src/catalogue/served.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { Closed, Nullable } from '../../src/http/schema.ts'
import { MoneyFields, money } from '../../src/http/views.ts'
import type { Db } from '../../src/store/db.ts'
import type { Account } from '../../src/store/schema.ts'
import { listCalls } from '../calls/index.ts'

export const StartQuery = Closed(ACCOUNT_PARAMETER)

export const StartView = Closed({
  due: Type.Boolean({
    description: 'whether no call was ever recorded: of the account, or for the operator of any',
  }),
  providers: Nullable(
    Type.Array(Type.String(), { description: 'the names of real providers; for the operator only' }),
  ),
  sample_model: Nullable(Type.String({ description: 'a text model that can be called' })),
  is_simulated: Type.Boolean({ description: 'whether only a simulated provider serves that model' }),
  /** The viewer's account; for the operator the requested one, or by default the first active one. */
  account: Nullable(
    Closed({
      id: Type.Integer(),
      name: Type.String(),
      ...MoneyFields('available'),
      ...MoneyFields('held'),
      ...MoneyFields('debt'),
      key_id: Nullable(Type.Integer({ description: 'the newest working key that the viewer sees' })),
      has_plan: Type.Boolean({
        description: 'whether a plan covers calls, which take nothing from the balance',
      }),
    }),
  ),
})

/** @throws GatewayError not_found for an unknown account */
export async function startView(
  { db, calls }: Pick<Gateway, 'calls' | 'db'>,
  viewer: Viewer,
  reference: string | undefined,
): Promise<Static<typeof StartView>> {
  const catalogue = calls.catalogue()
  const is_operator = viewer.side === 'operator'
  const account =
    (await chosenAccount(db, viewer, reference)) ?? (is_operator ? await firstAccount(db) : undefined)
  const [key] = viewer.side === 'key' ? await keyQueries(db).keysById.all({ id: viewer.key_id }) : []
  const calls_of = is_operator ? {} : { account_id: viewer.account_id, key_ids: onlyKeysOf(viewer) }
  const first = await listCalls(db, calls_of, { limit: 1, cursor: undefined })
  const providers = realProviders(catalogue)
  const sample_model = sampleModel(catalogue, key?.models ?? null)
  const routes = catalogue.models.get(sample_model ?? '')?.routes ?? []
  return {
    due: first.rows.length === 0,
    providers: is_operator ? providers : null,
    sample_model,
    is_simulated: routes.every(({ provider }) => !providers.includes(provider)),
    account: account ? accountView(account, await usableKey(db, viewer, account.id, calls.now())) : null,
  }
}

/** The newest working key that the viewer sees. */
async function usableKey(db: Db, viewer: Viewer, account_id: number, now_ms: number): Promise<number | null> {
  const filter = { account_id, key_ids: onlyKeysOf(viewer), status: 'usable' } as const
  const { rows } = await listKeyPage(db, filter, { limit: 1 }, now_ms)
  return rows[0]?.id ?? null
}

const realProviders = ({ providers }: Catalogue): string[] =>
  [...providers.values()].flatMap((provider) => (isSimulated(provider) ? [] : [provider.name]))

async function firstAccount(db: Gateway['db']): Promise<Account | undefined> {
  const page = await listAccountPage(db, { status: 'active' }, { limit: 1 })
  const [first] = page?.rows ?? []
  return first && (await accountQueries(db).accountById.get({ id: first.id }))
}

const accountView = (
  { id, name, balance_nanos, held_nanos, debt_nanos, plan_period_id }: Account,
  key_id: number | null,
) => ({
  id,
  name,
  ...money('available', balance_nanos - held_nanos),
  ...money('held', held_nanos),
  ...money('debt', debt_nanos),
  key_id,
  has_plan: plan_period_id !== null,
})
