// Payments for other plugins: validation and contract test of custom payment methods, and shares of payments.
export { checkedMethod } from './custom/checked.ts'
export { contractFaults } from './custom/contract.ts'
export {
  type PaymentShare,
  returnDueOf,
  SHARE_CREDIT_WITHIN_MS,
  SHARE_SETTLE_WITHIN_MS,
  type SharedPayment,
  type SharingParts,
  settleShare,
  sumShares,
} from './shares.ts'
