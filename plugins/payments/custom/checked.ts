// Validation of a custom plugin's payment method: its properties once, and each of its answers, within a time limit.
import { isCurrency } from '../../../src/domain/currencies.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import type { Logger } from '../../../src/observe/log.ts'
import type { AmountLimits, PaymentOrder, PaymentProvider } from '../../../src/payment-api.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { withinTime } from '../../../src/utilities/time-limit.ts'
import { parseCharged, parseHint, parsePayment, parseRefund, parseStarted } from '../answers.ts'
import { MANUAL } from '../manual/provider.ts'

const BUILT_IN_NAMES = ['stripe', MANUAL]
const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/
const MAX_TITLE_CHARS = 60
const MAX_INSTRUCTIONS_CHARS = 4_000
const MIN_EXPIRES_MS = 60_000
const MAX_EXPIRES_MS = 90 * DAY_MS

/** Shorter than the 30 seconds after which the gateway itself gives up. */
const ANSWER_LIMIT_MS = 25_000
/** Providers abandon a webhook after some seconds. */
const HOOK_LIMIT_MS = 5_000

type Log = Pick<Logger, 'error'>

/**
 * Wraps a method so that the gateway can rely on its answers.
 *
 * @param candidate value from a plugin
 * @throws Error that names the fault
 */
export function checkedMethod(candidate: unknown, log: Log): PaymentProvider {
  const method = methodOf(candidate)
  const { name, title, currencies, is_test = false, expires_ms } = method
  const limited = async <T>(at: string, limit_ms: number, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await withinTime(limit_ms, work)
    } catch (cause) {
      throw new Error(`The payment method "${name}" failed at ${at}: ${messageOf(cause)}`, { cause })
    }
  }
  return {
    ...{ name, title, currencies: [...currencies], limits: structuredClone(method.limits), is_test },
    ...(expires_ms === undefined ? {} : { expires_ms }),
    start: (order) =>
      limited('start', ANSWER_LIMIT_MS, async () => {
        const started = parseStarted(await method.start(frozen(order)))
        if (started.go_to === undefined && !method.instructions)
          throw new Error('go_to is missing, and there are no instructions on how to pay without a page')
        return started
      }),
    look: (reference, order) =>
      limited('look', ANSWER_LIMIT_MS, async () => parsePayment(await method.look(reference, frozen(order)))),
    ...(method.instructions ? { instructions: (order) => instructionsOf(method, order, log) } : {}),
    ...(method.hook
      ? {
          hook: (request) =>
            limited('hook', HOOK_LIMIT_MS, async () => parseHint(await method.hook?.(request))),
        }
      : {}),
    ...(method.refund
      ? {
          refund: (order, amount_minor, key) =>
            limited('refund', ANSWER_LIMIT_MS, async () =>
              parseRefund(await method.refund?.(frozen(order), amount_minor, key), amount_minor, key),
            ),
        }
      : {}),
    ...(method.chargeSaved
      ? {
          chargeSaved: (order, may_begin) =>
            limited('chargeSaved', ANSWER_LIMIT_MS, async () =>
              parseCharged(await method.chargeSaved?.(frozen(order), may_begin)),
            ),
        }
      : {}),
  }
}

const frozen = (order: PaymentOrder): PaymentOrder => Object.freeze({ ...order })

const FUNCTIONS = ['start', 'look', 'instructions', 'hook', 'refund', 'chargeSaved'] as const
const REQUIRED: readonly string[] = ['start', 'look']

function methodOf(candidate: unknown): PaymentProvider {
  if (typeof candidate !== 'object' || candidate === null)
    throw new Error('a payment method must be an object')
  const method = candidate as PaymentProvider
  const { name, title, currencies, expires_ms, is_test } = method
  if (typeof name !== 'string' || !NAME.test(name))
    throw new Error('the name of a payment method must be of a-z, 0-9 and "-", at most 40 characters')
  const refuse = (what: string): never => {
    throw new Error(`its payment method "${name}": ${what}`)
  }
  if (BUILT_IN_NAMES.includes(name)) refuse('the name is that of a built-in one; choose another')
  if (typeof title !== 'string' || title.trim() === '' || title.length > MAX_TITLE_CHARS)
    refuse(`title must be 1 to ${MAX_TITLE_CHARS} characters`)
  if (!Array.isArray(currencies) || currencies.length === 0 || !currencies.every(isCurrency))
    refuse('currencies must be a list of ISO 4217 codes in upper case, such as ["EUR"]')
  for (const currency of currencies)
    if (!isLimits(method.limits?.[currency]))
      refuse(
        `limits.${currency} must have min_minor and max_minor, whole numbers of the smallest unit from 1, and min_minor not above max_minor`,
      )
  if (is_test !== undefined && typeof is_test !== 'boolean') refuse('is_test must be true or false')
  if (
    expires_ms !== undefined &&
    !(Number.isSafeInteger(expires_ms) && expires_ms >= MIN_EXPIRES_MS && expires_ms <= MAX_EXPIRES_MS)
  )
    refuse('expires_ms must be milliseconds, from a minute to 90 days')
  for (const field of FUNCTIONS) {
    const is_missing = method[field] === undefined
    if (is_missing ? REQUIRED.includes(field) : typeof method[field] !== 'function')
      refuse(`${field} must be a function`)
  }
  return method
}

const isLimits = (limits: AmountLimits | undefined): boolean =>
  Number.isSafeInteger(limits?.min_minor) &&
  Number.isSafeInteger(limits?.max_minor) &&
  (limits?.min_minor ?? 0) >= 1 &&
  (limits?.max_minor ?? 0) >= (limits?.min_minor ?? 0)

/** Never throws, so that the order's page works whatever the plugin does. */
function instructionsOf(method: PaymentProvider, order: PaymentOrder, log: Log): string {
  try {
    const text: unknown = method.instructions?.(frozen(order))
    if (typeof text !== 'string' || text.trim() === '') throw new Error('instructions must be a text')
    return text.slice(0, MAX_INSTRUCTIONS_CHARS)
  } catch (cause) {
    log.error({ method: method.name, order: order.id, cause }, 'a payment method does not say how to pay')
    return 'How to pay cannot be shown now. Ask support, or choose another payment method.'
  }
}
