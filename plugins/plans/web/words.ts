// Texts on plans: limits, models, states and offers.
import type { AnswerOf, api } from '../../console/web/app/client.ts'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import type { Tone } from '../../console/web/parts/status.tsx'
import type { ConsoleMonth } from '../list.ts'

export type PlanPage = AnswerOf<typeof api.plan.get>
export type Plan = NonNullable<PlanPage['plan']>
export type Offer = PlanPage['offered'][number]

export const LIMIT_TITLES = {
  '5h': '5 hours',
  day: 'Today (UTC)',
  week: 'This week (UTC)',
  month: 'Plan month',
  total: 'In total',
} as const satisfies Record<Plan['limits'][number]['period'], string>

const A_PERIOD = {
  '5h': 'every 5 hours',
  day: 'a day',
  week: 'a week',
  month: 'a month',
} as const satisfies Record<Offer['limits'][number]['period'], string>

/** Formats a limit, such as "25.00 USD of calls a week". */
export const limitWords = ({ period, limit_nanos }: Offer['limits'][number]): string =>
  `${exactUsd(limit_nanos)} USD of calls ${A_PERIOD[period]}`

export const modelWords = (models: readonly string[]): readonly string[] =>
  models.includes('*') ? ['all'] : models

export const overflowWords = (overflow: boolean): string =>
  overflow ? 'Paid from the balance' : 'Refused until the limit resets'

/** An offer in relation to the account's plan. `next` and `later`: chosen, or would begin, at the end of the month. */
type Standing = 'new' | 'renewal' | 'dearer' | 'later' | 'current' | 'next'

export function standingOf(offer: Offer, plan: Plan | null): Standing {
  if (plan === null) return 'new'
  const is_same = offer.plan === plan.plan
  if (plan.state === 'unpaid') return is_same ? 'renewal' : 'new'
  if (is_same) return 'current'
  if (plan.renews && plan.next_plan === offer.plan) return 'next'
  return offer.due_nanos === null ? 'later' : 'dearer'
}

export const titleOf = (name: string | null, offered: readonly Offer[]): string =>
  offered.find(({ plan }) => plan === name)?.title ?? name ?? ''

type MonthState = 'unpaid' | ConsoleMonth['state']

export const MONTH_STATES: Readonly<Record<MonthState, { tone: Tone; word: string }>> = {
  open: { tone: 'busy', word: 'Waiting for payment' },
  paid: { tone: 'busy', word: 'Paid' },
  active: { tone: 'good', word: 'Active' },
  unpaid: { tone: 'warn', word: 'Unpaid' },
  ended: { tone: 'idle', word: 'Ended' },
  replaced: { tone: 'idle', word: 'Changed' },
  lapsed: { tone: 'idle', word: 'Not paid' },
}

export const monthState = ({ state, ends_at_ms }: ConsoleMonth, now_ms: number): MonthState =>
  state === 'active' && ends_at_ms <= now_ms ? 'unpaid' : state
