// The first call of a key: its newest call, or before that its newest refused request.
import { type Static, Type } from '@sinclair/typebox'
import type { ListedKey } from '../../src/access/key-listing.ts'
import { KEY_STATUSES, keyStatus } from '../../src/access/key-status.ts'
import { accountQueries } from '../../src/access/queries.ts'
import { sampleModel } from '../../src/app/surface/console/suggested-models.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { outputTokens, promptTokens } from '../../src/domain/usage.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { MoneyFields, money, TimeFields, time } from '../../src/http/views.ts'
import { listCalls, type RecordedCall } from '../calls/index.ts'
import { listRefusals } from '../refusals/index.ts'

export const FirstCallQuery = Closed({
  key_id: Type.String({ pattern: '^[0-9]{1,15}$', must: 'the number of a key' }),
})
export const FirstCallView = Closed({
  key: Closed({
    id: Type.Integer(),
    name: Type.String(),
    prefix: Type.String(),
    account: Type.String(),
    status: OneOf(KEY_STATUSES),
  }),
  sample_model: Nullable(Type.String({ description: 'a text model that the key may call' })),
  refusal: Nullable(
    Closed({
      request_id: Type.String(),
      code: Type.String(),
      sentence: Type.String({ description: 'the message that the caller got' }),
      ...TimeFields('refused'),
    }),
  ),
  call: Nullable(
    Closed({
      request_id: Type.String(),
      model: Type.String(),
      outcome: Type.String(),
      status: Type.Integer(),
      input_tokens: Type.Integer(),
      output_tokens: Type.Integer(),
      duration_ms: Type.Integer(),
      ...MoneyFields('cost'),
      ...MoneyFields('left'),
    }),
  ),
})

type Parts = Pick<Gateway, 'calls' | 'db'>

/** Returns a key with its newest call; without a call, with its newest refused request. */
export async function firstCallView(gateway: Parts, key: ListedKey): Promise<Static<typeof FirstCallView>> {
  const { db } = gateway
  const { account_id, id, name, prefix, account_name: account } = key
  const { rows: calls } = await listCalls(db, { account_id, key_ids: [id] }, { limit: 1, cursor: undefined })
  const [call] = calls
  return {
    key: { id, name, prefix, account, status: keyStatus(key, gateway.calls.now()) },
    sample_model: sampleModel(gateway.calls.catalogue(), key.models),
    refusal: call ? null : await lastRefusal(gateway, key),
    call: call ? { ...callView(call), ...money('left', await availableOf(gateway, account_id)) } : null,
  }
}

/** The newest refused request of a key. */
async function lastRefusal({ db }: Parts, { account_id, id }: ListedKey) {
  const { rows: refusals } = await listRefusals(db, { account_id, key_ids: [id] }, { limit: 1 })
  const [refusal] = refusals
  if (!refusal) return null
  const { request_id, code, sentence, at_ms } = refusal
  return { request_id, code, sentence, ...time('refused', at_ms) }
}

function callView(call: RecordedCall) {
  const { request_id, model, outcome, status, duration_ms, cost_nanos } = call
  // All tokens that are charged, as the page Calls counts them, including reasoning and cached tokens.
  const tokens = { input_tokens: promptTokens(call), output_tokens: outputTokens(call) }
  return { request_id, model, outcome, status, ...tokens, duration_ms, ...money('cost', cost_nanos) }
}

async function availableOf({ db }: Parts, account_id: number): Promise<number> {
  const account = await accountQueries(db).accountById.get({ id: account_id })
  return account ? account.balance_nanos - account.held_nanos : 0
}
