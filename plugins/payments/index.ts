// Payments for other plugins: custom payment methods, checked, and the contract that they are tried against.
export { checkedMethod } from './custom/checked.ts'
export { contractFaults } from './custom/contract.ts'
