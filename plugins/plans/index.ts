// Plans for other plugins: the plan of an account, and functions for payments to order, pay and end its months.
export { beginPeriod, endPeriod } from './beginning.ts'
export {
  chooseCard,
  clearPlanCard,
  isBoughtBy,
  isPayable,
  lapsePeriod,
  mayPayPeriod,
  type OrderedPeriod,
  orderPlanPeriod,
  purchaseOf,
} from './by-payment.ts'
export { mailAccount } from './mails.ts'
export { planBeginning } from './ordering.ts'
export { type OpenPeriod, openPeriods, periodById, periodIn, setReturned } from './store.ts'
export type { PlanPeriod } from './tables.ts'
export { PlanView, planView, QuoteBody } from './views.ts'
