// Payments for other plugins: custom payment methods, checked, and the contract that they are tried against; shares of payments.
export { checkedMethod } from './custom/checked.ts'
export { contractFaults } from './custom/contract.ts'
export {
  type PaymentShare,
  returnedOf,
  SHARES_GIVEN_WITHIN_MS,
  SHARES_SETTLED_FOR_MS,
  type SharedPayment,
  type SharingParts,
  settleShare,
  sharesBetween,
} from './shares.ts'
