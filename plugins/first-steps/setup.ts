// The operator's first steps: the providers, models and accounts to choose from, and an account with a key in one step.
import type { Static } from '@sinclair/typebox'
import { listAccountPage } from '../../src/access/account-listing.ts'
import { checkName, createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { bytesOf, issueOnce } from '../../src/access/repeatable-key.ts'
import { type Asking, byOf, changed } from '../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { isSimulated } from '../../src/catalogue/served.ts'
import { isServed } from '../../src/domain/catalogue.ts'
import { invalidRequest, unprocessable } from '../../src/domain/errors.ts'
import { formatUsd, type Nanos, parseUsd } from '../../src/domain/money.ts'
import { money } from '../../src/http/views.ts'
import { listCalls } from '../calls/index.ts'
import { knownView } from '../catalogue/index.ts'
import type { AccountBody, KeyMade, SetupView } from './setup-views.ts'

/** Of accounts to choose from: an operator with more has passed the first steps. */
const MAX_ACCOUNTS = 50

/** Everything to choose from in the steps of the operator. */
export async function setupView({
  db,
  exchange: { catalogue },
}: Pick<Gateway, 'exchange' | 'db'>): Promise<Static<typeof SetupView>> {
  const { providers, models } = catalogue()
  const page = await listAccountPage(db, { status: 'active', order: 'name' }, { limit: MAX_ACCOUNTS })
  const { calls } = await listCalls(db, {}, { limit: 1, cursor: undefined })
  return {
    due: calls.length === 0,
    ...knownView(),
    providers: [...providers.values()].map((provider) => ({
      name: provider.name,
      protocol: provider.protocol,
      simulated: isSimulated(provider),
    })),
    models: [...models.values()].flatMap((model) => {
      if (model.kind !== 'text' || !isServed(model)) return []
      const { input_tokens = 0, output_tokens = 0 } = model.price.tiers[0]?.rates ?? {}
      const names = [...new Set(model.routes.map(({ provider }) => provider))]
      return [
        { id: model.id, providers: names, input: formatUsd(input_tokens), output: formatUsd(output_tokens) },
      ]
    }),
    accounts: (page?.rows ?? []).map(({ name, display_name, balance_nanos, held_nanos }) => ({
      name,
      display_name,
      ...money('free', balance_nanos - held_nanos),
    })),
  }
}

/**
 * Creates a key of an existing account, or of a new one with its first balance. A repeated request has the same answer, and
 * completes what the first one left undone.
 *
 * @throws GatewayError invalid_request for a name or an amount; not_found for the account; unprocessable for a refused balance
 */
export async function makeKey(
  gateway: Pick<Gateway, 'exchange' | 'people' | 'db'>,
  asking: Asking,
  { account, balance_usd, key: name, request_key }: Static<typeof AccountBody>,
): Promise<Static<typeof KeyMade>> {
  const { ledger } = gateway.exchange
  const { randomBytes } = gateway.people
  const amount_nanos = balance_usd === undefined ? 0 : balanceOf(balance_usd)
  const now_ms = gateway.exchange.now()
  checkName(name, 'key')
  const content = ['setup', account, balance_usd === undefined ? null : amount_nanos, name]
  // One transaction, so that an account is never left without the key that it was made for.
  const { key, text } = await changed(gateway, asking, async (tx) => {
    // Of two concurrent requests, the second finds the account of the first.
    await tx.lock(null)
    return issueOnce(tx, { request_key, content }, { randomBytes, now_ms }, async (issuing) => {
      if (balance_usd !== undefined) await createAccount(tx, { name: account, now_ms })
      return createKey(tx, account, { name }, issuing)
    })
  })
  const { account_id, id: key_id, prefix } = key
  if (amount_nanos > 0) {
    const outcome = await ledger.submit({
      op: 'top_up',
      account_id,
      amount_nanos,
      note: 'first balance',
      // Not the request's own, from which the API key is made.
      request_key: Buffer.from(bytesOf(request_key, [...content, 'top_up'])(32)).toString('hex'),
      by: byOf(gateway, asking),
      now_ms,
    })
    if (!outcome.ok)
      throw unprocessable('The account was made, but its balance was refused. Top it up on its page.')
  }
  return { account, key_id, prefix, text }
}

function balanceOf(usd: string): Nanos {
  const must = invalidRequest('balance_usd: must be an amount in USD, such as 10 or 0.50.', {
    param: 'balance_usd',
  })
  try {
    const nanos = parseUsd(usd.trim())
    if (nanos < 0) throw must
    return nanos
  } catch (thrown) {
    if (thrown instanceof RangeError) throw must
    throw thrown
  }
}
