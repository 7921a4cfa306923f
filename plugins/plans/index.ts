// The exports for other plugins: the plan of an account, and its months as payments order, pay and end them.
export { beginPeriod, endPeriod } from './beginning.ts'
export {
  chooseCard,
  dropCard,
  isPayable,
  lapsePeriod,
  mayBePaid,
  type OrderedPeriod,
  orderPlanPeriod,
  purchaseBy,
  wasBoughtBy,
} from './by-payment.ts'
export { mailAccount } from './mails.ts'
export { beingBegun } from './ordering.ts'
export { type OpenPeriod, openPeriods, periodById, periodIn, setReturned } from './store.ts'
export type { PlanPeriod } from './tables.ts'
export { PlanView, planView, QuoteBody } from './views.ts'
