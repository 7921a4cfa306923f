// API route for redeeming a voucher.
import { Elysia } from 'elysia'
import { unknownKey } from '../../src/access/gate.ts'
import { isLimited } from '../../src/access/key-settings.ts'
import { belongsToMember } from '../../src/access/person-keys.ts'
import { keyQueries } from '../../src/access/queries.ts'
import { ACCOUNT_FAILURES, accountCalls } from '../../src/app/surface/account-calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { permissionDenied } from '../../src/domain/errors.ts'
import { readJson } from '../../src/http/json-request.ts'
import { ErrorBody } from '../../src/http/plain-error.ts'
import { failures } from '../../src/http/schema.ts'
import { addressOf } from '../../src/http/sockets.ts'
import type { Db } from '../../src/store/db.ts'
import { type RedemptionParts, redeemVoucher } from './redeeming.ts'
import { EXAMPLE_CODE, RedeemedView, RedeemRequest, redeemedView } from './views.ts'

const MAX_BODY_BYTES = 16 * 1024

export const voucherRoutes = (gateway: Gateway, parts: RedemptionParts) =>
  new Elysia({ name: 'vouchers' }).use(accountCalls(gateway)).post(
    '/api/v1/vouchers/redeem',
    async ({ caller: { account, key }, body, origin }) => {
      await requireFullKey(gateway.db, key.id)
      const redeemed = await redeemVoucher(parts, {
        code: body.code,
        account_id: account.id,
        address: addressOf(origin),
        source: 'api',
        detail: { key: key.prefix },
        by: { actor: { kind: 'system' }, now_ms: gateway.calls.now(), request_id: origin.request_id },
      })
      return redeemedView(redeemed)
    },
    {
      parse: ({ request }: { request: Request }) => jsonOrNull(request),
      body: RedeemRequest,
      response: {
        200: RedeemedView,
        ...ACCOUNT_FAILURES,
        ...failures(ErrorBody, 404, 409, 413, 415, 422, 503),
      },
      detail: {
        tags: ['Account'],
        operationId: 'redeemVoucher',
        summary: 'Redeem a voucher',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: RedeemRequest as object,
              examples: { 'A voucher': { value: { code: EXAMPLE_CODE } } },
            },
          },
        },
        description:
          'Adds what a voucher is good for to the balance. Debt is paid first. Sent again, the same code gives the same answer, and nothing more is added. The API key must have no limits of its own, and must not be that of a member.',
      },
    },
  )

/** Never fails: Elysia parses the body before the key is checked, and a caller without a key must get 401 whatever the body is. */
const jsonOrNull = (request: Request): Promise<unknown> =>
  // Dropped: the reason. Validation then reports that the body is not an object.
  readJson(request, MAX_BODY_BYTES).catch(() => null)

/** Requires a key with the full rights of its account. @throws GatewayError permission_denied; unauthenticated */
async function requireFullKey(db: Db, id: number): Promise<void> {
  const key = await keyQueries(db).keyAndBudgets.get({ id })
  if (!key) throw unknownKey()
  if (isLimited(key) || (await belongsToMember(db, key)))
    throw permissionDenied(
      'This API key has limits of its own, or belongs to a member of the account, so it cannot redeem vouchers. Use a key of the account without limits, or redeem it in the console.',
      { code: 'key_may_not' },
    )
}
