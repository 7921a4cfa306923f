// The exports for other plugins: what a viewer may credit to accounts.
export { allowanceOf, isCreditAllowed, overAllowance } from './allowance.ts'
